// Stands between a client that cannot send a token and the server: adds the Authorization header, and nothing else.
// Host, Origin and all other headers reach the server as they were sent, so that the server's own checks are tested.
import { createServer, request } from 'node:http';
import { once } from 'node:events';

export async function startBearerProxy({ url, token }) {
  const { hostname, port } = new URL(url);
  const proxy = createServer((incoming, outgoing) => {
    const onward = request({
      hostname,
      port,
      method: incoming.method,
      path: incoming.url,
      headers: [...incoming.rawHeaders, 'Authorization', `Bearer ${token}`],
      setHost: false,
      agent: false,
    });
    onward.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode, answer.statusMessage, answer.rawHeaders);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
      answer.on('close', () => answer.complete || outgoing.destroy());
    });
    onward.on('error', () => outgoing.destroy());
    // A client that goes away cancels its request: the server must see that too.
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  // The suite closes nothing on its own, and a stream may be silent for long.
  proxy.requestTimeout = 0;
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${proxy.address().port}/mcp`,
    stop() {
      proxy.closeAllConnections();
      return new Promise((resolve) => proxy.close(resolve));
    },
  };
}
