// The live feed over WebSocket, with clients that others wrote: `ws`, and the one that Node has as browsers have it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import Socket from 'ws';
import { Tree, becket } from './trees.mjs';

const PATIENCE = 20_000;

describe('the feed', () => {
  const tree = new Tree({ name: '@tanstack/query-core' });
  const token = randomBytes(24).toString('hex');
  let child;
  let ended;
  let url;

  before(async () => {
    child = spawn(becket(), ['mcp', '--http', '127.0.0.1:0'], {
      cwd: tree.root,
      env: { HOME: tree.home, PATH: process.env.PATH, BECKET_HTTP_TOKEN: token },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    ended = once(child, 'exit');
    for await (const line of createInterface(child.stderr)) {
      const found = line.match(/listening on http:\/\/([^/]+)\/mcp/);
      if (found) {
        url = `ws://${found[1]}/feed`;
        break;
      }
    }
    child.stderr.resume();
  });

  after(async () => {
    child.kill('SIGTERM');
    const [code] = await ended;
    tree.remove();
    assert.equal(code, 0);
  });

  /** Appends to a source, so that every edit is another one. */
  const edit = (text) => writeFileSync(join(tree.root, 'src', 'live.ts'), text);

  it('tells a program with a header of every edit, in order', { timeout: PATIENCE }, async () => {
    const socket = new Socket(url, { headers: { Authorization: `Bearer ${token}` } });
    const messages = reader(socket);
    const watching = await messages.next('watching');
    assert.equal(watching.projectPath, tree.root);
    edit('export const one = 1;\n');
    const first = await messages.next('drift');
    assert.deepEqual([first.changedFiles, first.changes[0].change], [['src/live.ts'], 'added']);
    edit('export const two = 1;\n');
    const second = await messages.next('drift');
    assert.equal(second.sequence, first.sequence + 1);
    assert.deepEqual([second.breaking, second.changes[0].entryId], [1, 'src/live.ts']);
    // A comment is nobody's drift: what comes next is the edit after it.
    edit('// words\nexport const two = 1;\n');
    await new Promise((resolve) => setTimeout(resolve, 300));
    edit('export const two = 1;\nexport const three = 1;\n');
    const third = await messages.next('drift');
    assert.deepEqual([third.sequence, third.compatible, third.breaking], [second.sequence + 1, 1, 0]);
    // Who comes later hears how things stand now, and not how they stood for the first.
    const late = new Socket(url, { headers: { Authorization: `Bearer ${token}` } });
    assert.equal((await reader(late).next('watching')).sequence, third.sequence);
    late.close();
    socket.close();
  });

  it('tells a page that presents its token as a subprotocol', { timeout: PATIENCE }, async () => {
    const socket = new WebSocket(url, ['becket.feed.v1', `bearer.${token}`]);
    const messages = reader(socket);
    await messages.next('watching');
    assert.equal(socket.protocol, 'becket.feed.v1');
    edit('export const page = 1;\n');
    assert.equal((await messages.next('drift')).changes[0].entryId, 'src/live.ts');
    socket.close();
  });

  it('lets nobody in without the token, by the URL, or from elsewhere', { timeout: PATIENCE }, async () => {
    const bearer = { Authorization: `Bearer ${token}` };
    assert.equal(await refusal(url, {}), 401);
    assert.equal(await refusal(url, { Authorization: 'Bearer wrong' }), 401);
    assert.equal(await refusal(`${url}?token=${token}`, bearer), 400);
    assert.equal(await refusal(url, { ...bearer, Origin: 'https://evil.example' }), 403);
    assert.equal(await refusal(url, { ...bearer, Host: 'evil.example' }), 403);
  });

  it('says with a code that the server ends', { timeout: PATIENCE }, async () => {
    const socket = new Socket(url, { headers: { Authorization: `Bearer ${token}` } });
    await reader(socket).next('watching');
    const closed = once(socket, 'close');
    child.kill('SIGTERM');
    assert.equal((await closed)[0], 1001);
  });
});

/** The messages of a socket, one after the other. */
function reader(socket) {
  const queue = [];
  let wake = () => {};
  const take = ({ data }) => {
    queue.push(JSON.parse(data));
    wake();
  };
  socket.addEventListener('message', take);
  return {
    async next(type) {
      while (queue.length === 0) await new Promise((resolve) => (wake = resolve));
      const message = queue.shift();
      assert.equal(message.type, type, JSON.stringify(message));
      return message;
    },
  };
}

function refusal(url, headers) {
  return new Promise((resolve, reject) => {
    const socket = new Socket(url, { headers });
    socket.on('unexpected-response', (_, response) => resolve(response.statusCode));
    socket.on('open', () => reject(new Error('it was let in')));
    socket.on('error', () => {});
  });
}
