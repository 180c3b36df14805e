// A dirty clone becomes commits and a draft of a pull request, driven by a client that others wrote.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Workplace, program } from './becket.mjs';
import * as python from './drivers/python.mjs';

const SERVERS = [
  { server: 'becket', args: ['mcp', '--toolsets', 'commit'] },
  { server: 'segmint', args: ['as', 'segmint'] },
];

describe('commits', { concurrency: 2 }, () => {
  for (const { server, args } of SERVERS) {
    it(`Python on ${server}: list, group, propose, apply all, draft, undo`, async () => {
      const workplace = new Workplace();
      try {
        const git = (...words) =>
          execFileSync('git', words, { cwd: workplace.repository, env: workplace.environment(), encoding: 'utf8' }).trim();
        const clone = join(workplace.repository, '..', `clone-${server}`);
        git('config', 'user.name', 'Ada');
        git('config', 'user.email', 'ada@example.org');
        git('add', '--all');
        git('commit', '--quiet', '--allow-empty', '-m', 'base');
        git('clone', '--quiet', workplace.repository, clone);
        const inClone = (...words) =>
          execFileSync('git', words, { cwd: clone, env: workplace.environment(), encoding: 'utf8' }).trim();
        inClone('config', 'user.name', 'Ada');
        inClone('config', 'user.email', 'ada@example.org');
        mkdirSync(join(clone, 'src'), { recursive: true });
        writeFileSync(join(clone, 'src', 'greeting.ts'), 'export const greet = (name: string) => `Good day, ${name}`;\n');
        writeFileSync(join(clone, 'notes ä.md'), '# Notes\n\nno newline at the end');
        const drive = (calls) =>
          python.drive({
            mode: 'legacy',
            server: { command: program('BECKET_BIN'), args, env: workplace.environment(), cwd: clone },
            calls,
            reads: [],
            prompts: [],
            completions: [],
          });
        const answers = async (calls) => {
          const seen = await drive(calls);
          return seen.calls.map(({ result }) => {
            assert.ok(!result.isError, JSON.stringify(result));
            return result.structuredContent;
          });
        };
        const head = inClone('rev-parse', 'HEAD');
        const [listed, grouped] = await answers([
          { name: 'list_changes', arguments: {} },
          { name: 'group_changes', arguments: { change_ids: ['change-1', 'change-2'] } },
        ]);
        assert.deepEqual(listed.changes.map(({ file_path }) => file_path), ['notes ä.md', 'src/greeting.ts']);
        // Another process knows the groups, and the plan.
        const group_ids = grouped.groups.map(({ id }) => id);
        const [proposed] = await answers([{ name: 'propose_commits', arguments: { group_ids } }]);
        const commit_ids = proposed.commits.map(({ id }) => id);
        const [applied, draft] = await answers([
          { name: 'apply_all', arguments: { plan_id: proposed.plan_id, expected_head_sha: head } },
          { name: 'generate_pr', arguments: { commit_ids } },
        ]);
        assert.equal(applied.commits.length, commit_ids.length);
        assert.equal(inClone('status', '--porcelain'), '');
        assert.equal(inClone('show', 'HEAD:notes ä.md'), '# Notes\n\nno newline at the end');
        assert.ok(draft.title.length > 0 && draft.description.includes(proposed.commits[0].title));
        const [undone] = await answers([{ name: 'undo', arguments: {} }]);
        assert.equal(undone.head, head);
        assert.equal(inClone('rev-parse', 'HEAD'), head);
      } finally {
        workplace.remove();
      }
    });
  }
});
