// What every client is told to do, and what each of them must then have seen.
import assert from 'node:assert/strict';
import Ajv2020 from 'ajv/dist/2020.js';

const MODERN = '2026-07-28';
const ajv = new Ajv2020({ strict: false });

/** The same for every client; drivers leave out what their client cannot do. */
export function script(workplace, mode, server) {
  return {
    mode,
    server: { ...server, home: workplace.home },
    calls: [
      { name: 'becket_status', arguments: {} },
      { name: 'becket_no_such_tool', arguments: {} },
      { name: 'becket_status', arguments: { worktree: 7 } },
      { name: 'becket_status', arguments: { worktre: 'main' } },
    ],
    reads: ['becket://status', 'becket://tool/becket_status', 'becket://no/such/thing'],
    prompts: [
      { name: 'becket_begin', arguments: { goal: 'Mend the greeting' } },
      { name: 'becket_no_such_prompt', arguments: {} },
    ],
    completions: [{ ref: { type: 'ref/resource', uri: 'becket://tool/{name}' }, argument: { name: 'name', value: 'becket_st' } }],
    subscription: { uri: 'becket://status', change: workplace.branchChange() },
  };
}

export function check(seen, { protocolVersion, workplace }) {
  checkServer(seen, protocolVersion);
  checkTools(seen, workplace);
  checkResources(seen);
  checkPrompts(seen);
  if (seen.completions) checkCompletions(seen);
  if (seen.updates) assert.deepEqual(seen.updates, ['becket://status']);
}

function checkServer(seen, protocolVersion) {
  // Some clients do not say, or were told to ask for nothing before the first call; then the result itself says it.
  const status = seen.calls[0].result;
  const named = seen.server ?? status._meta?.['io.modelcontextprotocol/serverInfo'];
  if (named || protocolVersion >= MODERN) assert.equal(named?.name, 'becket');
  if (seen.protocolVersion) assert.equal(seen.protocolVersion, protocolVersion);
  if (seen.instructions) assert.match(seen.instructions, /becket_status/);
  assert.equal(protocolVersion >= MODERN, '_meta' in status, 'from 2026-07-28, and not before, every result names the server');
}

function checkTools({ tools, calls }, workplace) {
  const tool = tools.find(({ name }) => name === 'becket_status');
  assert.ok(tool, `becket_status is not among ${tools.map(({ name }) => name)}`);
  for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
    assert.ok(title && description && annotations, `${name} lacks a title, a description or annotations`);
    assert.ok(ajv.validateSchema(inputSchema), `${name}: ${ajv.errorsText()}`);
    assert.ok(ajv.validateSchema(outputSchema), `${name}: ${ajv.errorsText()}`);
  }
  const [status, unknown, wrongType, wrongName] = calls;
  assert.ok(!status.result.isError, JSON.stringify(status.result));
  valid(tool, status.result);
  const worktrees = JSON.stringify(status.result.structuredContent);
  assert.ok(worktrees.includes(JSON.stringify(workplace.repository).slice(1, -1)), `no word of the repository in ${worktrees}`);
  assert.ok(unknown.error, 'an unknown tool is a protocol error');
  if (typeof unknown.error.code === 'number') assert.equal(unknown.error.code, -32602);
  for (const { result } of [wrongType, wrongName]) {
    assert.equal(result.isError, true, JSON.stringify(result));
    assert.match(result.structuredContent.error.code, /^[a-z]+(_[a-z]+)*$/);
    assert.ok(result.structuredContent.error.message);
    valid(tool, result);
  }
  assert.match(wrongName.result.structuredContent.error.hint, /worktree/);
}

function valid(tool, result) {
  const validate = ajv.compile(tool.outputSchema);
  assert.ok(validate(result.structuredContent), `${ajv.errorsText(validate.errors)} in ${JSON.stringify(result.structuredContent)}`);
  assert.equal(result.content[0].type, 'text');
}

function checkResources({ resources, templates, reads }) {
  assert.ok(resources.some(({ uri }) => uri === 'becket://status'));
  assert.ok(templates.some(({ uriTemplate }) => uriTemplate === 'becket://tool/{name}'));
  const [status, tool, unknown] = reads;
  assert.equal(status.result.contents[0].uri, 'becket://status');
  assert.equal(status.result.contents[0].mimeType, 'application/json');
  JSON.parse(status.result.contents[0].text);
  assert.equal(JSON.parse(tool.result.contents[0].text).name, 'becket_status');
  assert.ok(unknown.error, 'an unknown resource is a protocol error');
}

function checkPrompts({ prompts, gets }) {
  assert.ok(prompts.some(({ name }) => name === 'becket_begin'));
  assert.match(gets[0].result.messages[0].content.text, /Mend the greeting/);
  assert.ok(gets[1].error, 'an unknown prompt is a protocol error');
}

function checkCompletions({ completions }) {
  assert.deepEqual(completions[0].result.completion.values, ['becket_status']);
}
