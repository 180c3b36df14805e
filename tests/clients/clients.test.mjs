// Clients that others wrote, against the real binary, over stdio and HTTP, one by one and all at once.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { Workplace, program, startHttpServer } from './becket.mjs';
import * as inspector from './drivers/inspector.mjs';
import * as python from './drivers/python.mjs';
import * as typescript from './drivers/typescript.mjs';
import { check, script } from './expectations.mjs';

const v1 = (script) => typescript.drive(typescript.sdks.v1, script);
const v2 = (script) => typescript.drive(typescript.sdks.v2, script);

/** Every client in every mode, and the version that it must end up with. */
const CLIENTS = [
  { client: 'Python', drive: python.drive, mode: 'auto', protocolVersion: '2026-07-28' },
  { client: 'Python', drive: python.drive, mode: 'legacy', protocolVersion: '2025-11-25' },
  { client: 'Python', drive: python.drive, mode: '2026-07-28', protocolVersion: '2026-07-28' },
  { client: 'TypeScript 1', drive: v1, mode: 'default', protocolVersion: '2025-11-25' },
  { client: 'TypeScript 2', drive: v2, mode: 'default', protocolVersion: '2025-11-25' },
  { client: 'TypeScript 2', drive: v2, mode: 'auto', protocolVersion: '2026-07-28' },
  { client: 'TypeScript 2', drive: v2, mode: '2026-07-28', protocolVersion: '2026-07-28' },
  { client: 'Inspector', drive: inspector.drive, mode: 'modern', protocolVersion: '2026-07-28' },
  { client: 'Inspector', drive: inspector.drive, mode: 'legacy', protocolVersion: '2025-11-25' },
  { client: 'Inspector', drive: inspector.drive, mode: 'auto', protocolVersion: '2026-07-28' },
];
/** The cases wait on processes most of the time. */
const SEVERAL = { concurrency: 2, timeout: 900_000 };
/** Those that hold a connection. */
const CONNECTED = CLIENTS.filter(({ client }) => client !== 'Inspector');

describe('stdio', SEVERAL, () => {
  for (const { client, drive, mode, protocolVersion } of CLIENTS) {
    it(`${client}, ${mode}: ${protocolVersion}`, () =>
      inWorkplace(async (workplace) => {
        check(await drive(script(workplace, mode, workplace.stdio())), { protocolVersion, workplace });
      }));
  }

  for (const { client, drive, mode } of CONNECTED) {
    it(`${client}, ${mode}: crinkle is the foundation alone`, () =>
      inWorkplace(async (workplace) => {
        const server = { ...workplace.stdio(), args: ['as', 'crinkle', 'mcp', '--repo', workplace.repository] };
        const seen = await drive({ ...nothing, mode, server });
        if (seen.server) assert.equal(seen.server.name, 'crinkle');
        assert.deepEqual([seen.tools, seen.resources, seen.templates, seen.prompts], [[], [], [], []]);
      }));
  }
});

describe('HTTP', SEVERAL, () => {
  let workplace, server;
  before(async () => {
    workplace = new Workplace();
    server = await startHttpServer(workplace);
  });
  after(async () => {
    const end = await server?.stop();
    workplace?.remove();
    assert.deepEqual(end, { code: 0, signal: null }, 'the server did not end cleanly');
  });

  for (const { client, drive, mode, protocolVersion } of CLIENTS) {
    it(`${client}, ${mode}: ${protocolVersion}`, async () => {
      check(await drive(script(workplace, mode, server)), { protocolVersion, workplace });
    });
  }

  it('all of them at once on one server', async () => {
    const several = [...CONNECTED, ...CONNECTED];
    const seen = await Promise.all(several.map(({ drive, mode }) => drive(script(workplace, mode, server))));
    seen.forEach((one, index) => check(one, { protocolVersion: several[index].protocolVersion, workplace }));
  });

  it('a wrong token is refused', async () => {
    const stranger = { url: server.url, token: 'a'.repeat(48) };
    for (const { client, drive, mode } of CONNECTED) {
      await assert.rejects(drive({ ...nothing, mode, server: stranger }), `${client}, ${mode} got in`);
    }
    assert.ok(!server.talk.some((line) => line.includes(server.token)), 'the token is in the log');
  });
});

it('a generated token is in a file that only the user can read', () =>
  inWorkplace(async (workplace) => {
    const server = await startHttpServer(workplace, { token: undefined });
    try {
      const file = server.talk.join('\n').match(/token file: (.+)/)?.[1];
      assert.ok(file, server.talk.join('\n'));
      if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600);
      const token = readFileSync(file, 'utf8').trim();
      check(await v2(script(workplace, 'auto', { url: server.url, token })), { protocolVersion: '2026-07-28', workplace });
    } finally {
      await server.stop();
    }
  }));

describe('what only fixtures do', SEVERAL, () => {
  for (const { client, drive, mode } of CONNECTED) {
    for (const transport of ['stdio', 'HTTP']) {
      it(`${client}, ${mode}, ${transport}: progress`, () =>
        inWorkplace(async (workplace) => {
          const binary = program('BECKET_CONFORMANCE_BIN');
          const http = transport === 'HTTP' ? await startHttpServer(workplace, { binary }) : undefined;
          try {
            const server = http ?? { ...workplace.stdio(), command: binary };
            const call = { name: 'test_tool_with_progress', arguments: {}, progress: true };
            const { calls } = await drive({ ...nothing, mode, server, calls: [call] });
            assert.deepEqual(calls[0].progress.map(({ progress }) => progress), [0, 50, 100]);
          } finally {
            await http?.stop();
          }
        }));
    }
  }
});

/** A script that only connects and lists. */
const nothing = { calls: [], reads: [], prompts: [], completions: [] };

async function inWorkplace(test) {
  const workplace = new Workplace();
  try {
    await test(workplace);
  } finally {
    workplace.remove();
  }
}
