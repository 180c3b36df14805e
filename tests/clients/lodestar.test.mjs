// The seed's acceptance criteria of the coordinate plane, with the Python client: two agents, two server processes.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Workplace, program } from './becket.mjs';

const SEED_TOOLS = [
  'repo.status', 'agent.join', 'agent.heartbeat', 'agent.leave', 'task.list', 'task.get', 'task.next', 'task.claim',
  'task.release', 'task.done', 'task.verify', 'task.context', 'message.send', 'message.list', 'message.ack', 'events.pull',
];

describe('two agents on one repository', () => {
  it('work as the seed asks', async () => {
    const workplace = new Workplace();
    try {
      const run = (...args) =>
        execFileSync(program('BECKET_BIN'), ['as', 'lodestar', ...args], {
          cwd: workplace.repository,
          env: workplace.environment(),
          encoding: 'utf8',
        });
      run('init', '--name', 'house');
      const server = {
        command: program('BECKET_BIN'),
        args: ['as', 'lodestar', 'mcp', 'serve', '--repo', workplace.repository],
        env: workplace.environment(),
        cwd: workplace.root,
      };
      const seen = await drive({ first: server, second: server });
      for (const tool of SEED_TOOLS) assert.ok(seen.tools.includes(`lodestar.${tool}`), tool);
      for (const type of ['agent.joined', 'task.created', 'task.claimed', 'task.released', 'task.done', 'task.verified', 'message.sent', 'message.read'])
        assert.ok(seen.types.includes(type), `${type} in ${seen.types}`);
      assert.equal(seen.types.filter((type) => type === 'task.done').length, 1, 'each named once');
      assert.equal(seen.status.tasks.byStatus.verified, 1);
      assert.deepEqual(seen.prompts, ['lodestar_agent_workflow', 'lodestar_task_execute']);
      assert.equal(JSON.parse(seen.task).runtime.status, 'verified');

      // 3: both servers are gone; file and store say the same.
      assert.ok(existsSync(join(workplace.repository, '.lodestar', 'runtime.sqlite')));
      const spec = readFileSync(join(workplace.repository, '.lodestar', 'spec.yaml'), 'utf8');
      assert.match(spec, /status: verified/);
      const listed = JSON.parse(run('task', 'list', '--json'));
      assert.deepEqual(listed.data.tasks.map((task) => [task.id, task.status]), [['T001', 'verified'], ['T002', 'ready']]);
      assert.equal(listed.ok, true);
    } finally {
      workplace.remove();
    }
  });
});

function drive(script) {
  return new Promise((resolve, reject) => {
    const child = execFile(
      program('BECKET_PYTHON'),
      ['-W', 'ignore', join(import.meta.dirname, 'drivers', 'lodestar_acceptance.py')],
      { timeout: 120_000, maxBuffer: 64 << 20 },
      (error, stdout, stderr) => (error ? reject(new Error(`the Python clients failed:\n${stderr}`)) : resolve(JSON.parse(stdout))),
    );
    child.stdin.end(JSON.stringify(script));
  });
}
