// The official conformance suite against the real handler, transport and token check.
// One build has the suite's fixtures besides becket's own tools and must pass all; the shipped one has none, and may fail
// only where it would need one.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startBearerProxy } from './bearer_proxy.mjs';
import { Workplace, program, startHttpServer } from './becket.mjs';

const LIMIT_MS = 300_000;
const suite = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);

/** What must be passed: no failure is expected, so there is no list of expected failures. */
const SETS = [
  { title: '2025-06-18', flags: ['--suite', 'all', '--spec-version', '2025-06-18'], required: 27 },
  { title: '2025-11-25', flags: ['--requirements', '2025-11-25'], required: 30 },
  { title: '2026-07-28', flags: ['--requirements', '2026-07-28'], required: 37 },
];

describe('conformance, with the fixtures', () => {
  const server = serveDuring('BECKET_CONFORMANCE_BIN');
  for (const { title, flags, required } of SETS) {
    it(`${title}: ${required} of ${required} required`, async (test) => {
      const score = await run(server.url, flags);
      test.diagnostic(`${title}: ${describeScore(score)}`);
      assert.deepEqual(failures(score.required), [], 'required scenarios fail');
      assert.equal(score.required.length, required, 'the suite ran another number of required scenarios');
    });
  }
});

describe('the shipped build', () => {
  const server = serveDuring('BECKET_BIN');
  for (const { title, flags, required } of SETS) {
    it(`${title}: nothing fails but for want of a fixture`, async (test) => {
      const score = await run(server.url, flags);
      test.diagnostic(`shipped build, ${title}: ${describeScore(score)}`);
      const other = score.required.flatMap(({ name, problems }) =>
        problems.filter((problem) => problem.startsWith('FAILURE') && !WANTS_A_FIXTURE.test(problem)).map((problem) => `${name}: ${problem}`),
      );
      assert.deepEqual(other, []);
      assert.equal(score.required.length, required, 'the suite ran another number of required scenarios');
    });
  }
});

/** How the suite says that it found no fixture: by its name, or as the lack of what the fixture would have answered. */
const WANTS_A_FIXTURE = /\btest_|\btest:\/\/|Not testable|Prerequisite failed|Expected InputRequiredResult/;

/** A server behind a proxy for as long as the tests of the enclosing block run. */
function serveDuring(variable) {
  const served = {};
  let workplace, server, proxy;
  before(async () => {
    workplace = new Workplace();
    server = await startHttpServer(workplace, { binary: program(variable) });
    proxy = await startBearerProxy(server);
    served.url = proxy.url;
  });
  after(async () => {
    await proxy?.stop();
    const end = await server?.stop();
    workplace?.remove();
    assert.deepEqual(end, { code: 0, signal: null }, 'the server did not end cleanly');
  });
  return served;
}

async function run(url, flags) {
  const folder = mkdtempSync(join(tmpdir(), 'becket-conformance-'));
  try {
    const printed = await new Promise((resolve) => {
      const arguments_ = [suite, 'server', '--url', url, ...flags, '--output-dir', folder];
      execFile(process.execPath, arguments_, { timeout: LIMIT_MS, maxBuffer: 64 << 20 }, (_, stdout, stderr) =>
        resolve(stdout + stderr),
      );
    });
    return read(printed, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The summary says what ran and what counts; the checks say why a scenario failed. */
function read(printed, folder) {
  const [, summary] = printed.split('=== SUMMARY ===');
  if (!summary) throw new Error(`the suite printed no summary:\n${printed}`);
  const unscored = new Set([...summary.matchAll(/^ {2}[✓✗] (\S+) \(/gm)].map(([, name]) => name));
  const scenarios = [...summary.matchAll(/^([✓✗]) (\S+): (\d+) passed, (\d+) failed/gm)].map(
    ([, mark, name, passed, failed]) => ({
      name,
      ok: mark === '✓' && failed === '0',
      passed: Number(passed),
      failed: Number(failed),
      problems: problems(folder, name),
    }),
  );
  return {
    required: scenarios.filter(({ name }) => !unscored.has(name)),
    unscored: scenarios.filter(({ name }) => unscored.has(name)),
  };
}

function problems(folder, name) {
  const result = readdirSync(folder).find((entry) => entry.replace(/-\d{4}-\d\d-\d\dT.*$/, '') === `server-${name}`);
  if (!result) return [];
  return JSON.parse(readFileSync(join(folder, result, 'checks.json'), 'utf8'))
    .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
    .map(({ id, status, errorMessage }) => `${status} ${id}: ${errorMessage}`);
}

const failures = (scenarios) =>
  scenarios.filter(({ ok }) => !ok).map(({ name, problems }) => `${name}: ${problems.join('; ')}`);

function describeScore({ required, unscored }) {
  const passed = (list) => `${list.filter(({ ok }) => ok).length}/${list.length}`;
  const warned = required.filter(({ problems }) => problems.some((text) => text.startsWith('WARNING')));
  const extra = unscored.length > 0 ? `, optional ${passed(unscored)}` : '';
  return `required ${passed(required)}${extra}, with warnings ${warned.length}`;
}
