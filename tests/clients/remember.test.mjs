// The entries that say why, driven by clients that others wrote: every tool, the resource and the completion.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Workplace, program } from './becket.mjs';
import * as python from './drivers/python.mjs';
import * as typescript from './drivers/typescript.mjs';

const CLIENTS = [
  { client: 'Python', drive: python.drive, mode: 'legacy' },
  { client: 'Python', drive: python.drive, mode: '2026-07-28' },
  { client: 'TypeScript 1', drive: (script) => typescript.drive(typescript.sdks.v1, script), mode: 'default' },
];
/** `becket` lists names with underscores, `context-stash` as its seed has them. */
const SERVERS = [
  { server: 'becket', args: ['mcp', '--toolsets', 'remember'], name: (verb) => `context_${verb}` },
  { server: 'context-stash', args: ['as', 'context-stash', '--serve'], name: (verb) => `context.${verb}` },
];

describe('entries', { concurrency: 2 }, () => {
  for (const { client, drive, mode } of CLIENTS) {
    for (const { server, args, name } of SERVERS) {
      it(`${client}, ${mode}, on ${server}`, async () => {
        const workplace = new Workplace();
        try {
          execFileSync(program('BECKET_BIN'), ['as', 'context-stash', '--init'], {
            cwd: workplace.repository,
            env: workplace.environment(),
          });
          const seen = await drive({
            mode,
            server: { command: program('BECKET_BIN'), args, env: workplace.environment(), cwd: workplace.repository },
            calls: [
              { name: name('create'), arguments: { markdown: '# Why greet\n\nPeople like it.', anchors: ['src/greeting.ts'] } },
              { name: name('get'), arguments: { ref: '00001' } },
              { name: name('list'), arguments: {} },
              { name: name('search'), arguments: { query: 'people' } },
              { name: name('refs'), arguments: { target: 'src/greeting.ts' } },
              { name: name('verify'), arguments: { ref: '00001', note: 'looked' } },
              { name: name('get'), arguments: { ref: '../README' } },
            ],
            reads: ['context://00001'],
            prompts: [],
            completions: [{ ref: { type: 'ref/resource', uri: 'context://{ref}' }, argument: { name: 'ref', value: '0' } }],
          });
          check(seen, workplace, name);
        } finally {
          workplace.remove();
        }
      });
    }
  }
});

function check(seen, workplace, name) {
  const verbs = ['create', 'get', 'list', 'search', 'refs', 'verify'];
  const listed = seen.tools.map((tool) => tool.name);
  for (const verb of verbs) assert.ok(listed.includes(name(verb)), `${name(verb)} is not among ${listed}`);
  const [created, got, all, found, refs, verified, refused] = seen.calls.map(({ result }) => result);
  for (const result of [created, got, all, found, refs, verified]) assert.ok(!result.isError, JSON.stringify(result));
  assert.equal(created.structuredContent.file, '00001.md');
  assert.ok(existsSync(join(workplace.repository, '.context', '00001.md')));
  assert.equal(got.structuredContent.markdown, readFileSync(join(workplace.repository, '.context', '00001.md'), 'utf8'));
  // A client of the original reads the text.
  assert.equal(JSON.parse(got.content[0].text).markdown, got.structuredContent.markdown);
  assert.deepEqual(all.structuredContent.entries.map(({ ref, file }) => ({ ref, file })), [{ ref: '00001', file: '00001.md' }]);
  assert.equal(found.structuredContent.results[0].snippet, 'People like it.');
  assert.equal(refs.structuredContent.explanations[0].ref, '00001');
  assert.equal(verified.structuredContent.state, 'fresh');
  assert.equal(refused.structuredContent.error.code, 'invalid_ref');
  assert.match(JSON.stringify(seen.reads[0]), /People like it/);
  assert.match(JSON.stringify(seen.completions[0]), /00001/);
}
