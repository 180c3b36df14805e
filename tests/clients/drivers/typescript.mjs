// Drives the TypeScript SDKs, version 1 and version 2, through one script and reports what they saw.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as v2 from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioTransportV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpTransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

const CLIENT = { name: 'becket-typescript', version: '1.0.0' };
const run = promisify(execFile);
const NOTICE_LIMIT_MS = 15_000;

/** Where the two versions differ. */
export const sdks = {
  v1: {
    client: () => new ClientV1(CLIENT),
    stdio: (server) => new StdioTransportV1(server),
    http: (url, options) => new HttpTransportV1(url, options),
    call: (client, params, options) => client.callTool(params, undefined, options),
    onUpdate: (client, handler) => client.setNotificationHandler(ResourceUpdatedNotificationSchema, handler),
  },
  v2: {
    client: (mode) => new v2.Client(CLIENT, mode === 'default' ? {} : { versionNegotiation: { mode: negotiation(mode) } }),
    stdio: (server) => new StdioTransportV2(server),
    http: (url, options) => new v2.StreamableHTTPClientTransport(url, options),
    call: (client, params, options) => client.callTool(params, options),
    onUpdate: (client, handler) => client.setNotificationHandler('notifications/resources/updated', handler),
  },
};

const negotiation = (mode) => (mode === 'auto' || mode === 'legacy' ? mode : { pin: mode });

export async function drive(sdk, script) {
  const client = sdk.client(script.mode);
  const transport = connectTo(sdk, script.server);
  // Version 1 tells the negotiated version to the transport alone.
  let negotiated;
  const tell = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (version) => {
    negotiated = version;
    tell?.(version);
  };
  await client.connect(transport);
  const wire = tap(transport);
  try {
    const seen = {
      server: client.getServerVersion(),
      protocolVersion: client.getNegotiatedProtocolVersion?.() ?? negotiated,
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions(),
      tools: (await client.listTools()).tools,
      resources: (await client.listResources()).resources,
      templates: (await client.listResourceTemplates()).resourceTemplates,
      prompts: (await client.listPrompts()).prompts,
      calls: [],
    };
    for (const call of script.calls) seen.calls.push(await callTool(sdk, client, call, wire));
    seen.reads = await each(script.reads, (uri) => client.readResource({ uri }));
    seen.gets = await each(script.prompts, (prompt) => client.getPrompt(prompt));
    seen.completions = await each(script.completions, (completion) => client.complete(completion));
    if (script.subscription) seen.updates = await subscribe(sdk, client, script.subscription);
    return seen;
  } finally {
    await transport.terminateSession?.();
    await client.close();
  }
}

function connectTo(sdk, server) {
  if (!server.url) return sdk.stdio({ ...server, stderr: 'ignore' });
  return sdk.http(new URL(server.url), { requestInit: { headers: { Authorization: `Bearer ${server.token}` } } });
}

/** Every message from now on, as it arrives. */
function tap(transport) {
  const messages = [];
  const deliver = transport.onmessage;
  transport.onmessage = (message, ...more) => {
    messages.push(message);
    deliver(message, ...more);
  };
  return messages;
}

async function callTool(sdk, client, { name, arguments: given, progress }, wire) {
  if (!progress) return outcome(() => sdk.call(client, { name, arguments: given }, {}));
  const before = wire.length;
  // The callback asks for progress. What it gets proves little: the SDK drops a step that arrives in one piece with the answer.
  const answer = await outcome(() => sdk.call(client, { name, arguments: given }, { onprogress: () => {} }));
  const steps = wire.slice(before).filter(({ method }) => method === 'notifications/progress');
  return { ...answer, progress: steps.map(({ params }) => params) };
}

async function each(list, ask) {
  const answers = [];
  for (const item of list) answers.push(await outcome(() => ask(item)));
  return answers;
}

async function outcome(ask) {
  try {
    return { result: await ask() };
  } catch (error) {
    return { error: { code: error.code, message: error.message, data: error.data } };
  }
}

async function subscribe(sdk, client, { uri, change }) {
  const updated = new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(`no update of ${uri} in time`)), NOTICE_LIMIT_MS).unref();
    sdk.onUpdate(client, (notification) => resolve([notification.params.uri]));
  });
  if (client.getProtocolEra?.() === 'modern') {
    const subscription = await client.listen({ resourceSubscriptions: [uri] });
    await run(change.command, change.args, change.options);
    const updates = await updated;
    await subscription.close();
    return updates;
  }
  await client.subscribeResource({ uri });
  await run(change.command, change.args, change.options);
  const updates = await updated;
  await client.unsubscribeResource({ uri });
  return updates;
}
