// Contracts and drift, driven by clients that others wrote: the seed's tools line by line, and the feed of drift.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { Workplace, startHttpServer } from './becket.mjs';
import * as python from './drivers/python.mjs';
import * as typescript from './drivers/typescript.mjs';

const CLEAN = `import { glob } from 'glob';
export function cleanCommand(path: string): void { glob(path); }
export function displayPath(path: string): string { return path; }
`;
const CLEAN_AFTER = `${CLEAN}export function findMainContextFile(): string { return ''; }
`;
const CARD = `export interface CardProps { title: string; onOpen?: () => void }
export function Card({ title, onOpen }: CardProps) { return <b onClick={onOpen}>{title}</b>; }
`;

function project() {
  const workplace = new Workplace();
  const write = (path, text) => {
    const target = join(workplace.repository, path);
    mkdirSync(join(target, '..'), { recursive: true });
    writeFileSync(target, text);
  };
  write('src/cli/commands/clean.ts', CLEAN);
  write('src/components/Card.tsx', CARD);
  return { workplace, write };
}

async function connected(workplace) {
  const client = new Client({ name: 'becket-understand', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ ...workplace.stdio(), stderr: 'ignore' }));
  const call = async (name, args = {}) => {
    const result = await client.callTool({ name: `logicstamp_${name}`, arguments: args });
    return result.isError ? { failed: result.structuredContent.error } : result.structuredContent;
  };
  return { client, call };
}

/** That an object has these fields, each of this type. */
function shaped(value, shape, where = '') {
  for (const [field, expected] of Object.entries(shape)) {
    const found = value?.[field];
    const at = `${where}.${field}`;
    if (typeof expected === 'string') assert.equal(Array.isArray(found) ? 'array' : typeof found, expected, at);
    else if (expected instanceof RegExp) assert.match(String(found), expected, at);
    else shaped(found, expected, at);
  }
}

describe('the seed, tool by tool', () => {
  it('refresh, list, read, edit, compare, and the last result', async () => {
    const { workplace, write } = project();
    const { client, call } = await connected(workplace);
    try {
      const refreshed = await call('refresh_snapshot', { profile: 'llm-chat', mode: 'header', projectPath: workplace.repository });
      shaped(refreshed, {
        snapshotId: /^snap_\d+/,
        projectPath: 'string',
        profile: /^llm-chat$/,
        mode: /^header$/,
        folders: 'array',
        summary: {
          totalComponents: 'number',
          totalBundles: 'number',
          totalFolders: 'number',
          totalTokenEstimate: 'number',
          tokenEstimates: { gpt4oMini: 'number', gpt4oMiniFullCode: 'number', claude: 'number', claudeFullCode: 'number' },
          missingDependencies: 'array',
        },
      });
      assert.equal(refreshed.summary.totalComponents, 3);
      assert.ok(existsSync(join(workplace.repository, 'context_main.json')));
      const folder = refreshed.folders.find(({ path }) => path === 'src/cli/commands');
      assert.deepEqual([folder.bundles, folder.components, typeof folder.tokenEstimate], [1, ['clean.ts'], 'number']);

      const { snapshotId } = refreshed;
      const listed = await call('list_bundles', { snapshotId, folderPrefix: 'src/cli' });
      assert.equal(listed.totalBundles, 1);
      shaped(listed.bundles[0], {
        id: /^bundle_clean$/,
        rootComponent: /^clean$/,
        filePath: /^src\/cli\/commands\/clean\.ts$/,
        folder: /^src\/cli\/commands$/,
        bundlePath: /^src\/cli\/commands\/context\.json$/,
        position: /^1\/1$/,
        bundleHash: /^uifb:[0-9a-f]{24}$/,
        approxTokens: 'number',
      });

      const { bundlePath } = listed.bundles[0];
      const read = await call('read_bundle', { snapshotId, bundlePath, rootComponent: 'clean' });
      shaped(read, {
        snapshotId: 'string',
        bundlePath: 'string',
        rootComponent: 'string',
        bundle: {
          $schema: 'string',
          position: 'string',
          type: /^LogicStampBundle$/,
          schemaVersion: /^0\.1$/,
          entryId: /^src\/cli\/commands\/clean\.ts$/,
          depth: 'number',
          createdAt: 'string',
          bundleHash: /^uifb:/,
          graph: { nodes: 'array', edges: 'array' },
          meta: { missing: 'array', source: 'string' },
        },
      });
      const [{ contract }] = read.bundle.graph.nodes;
      shaped(contract, { type: /^UIFContract$/, schemaVersion: /^0\.3$/, semanticHash: /^uif:[0-9a-f]{24}$/, version: 'object', logicSignature: 'object' });
      assert.deepEqual(contract.exports.named, ['cleanCommand', 'displayPath']);
      const all = await call('read_bundle', { snapshotId, bundlePath });
      assert.ok(all.bundles.length >= 1);

      const same = await call('compare_snapshot', { projectPath: workplace.repository });
      assert.deepEqual([same.baseline, same.status, same.folderDiffs], ['disk', 'pass', []]);
      shaped(same.summary, {
        totalFolders: 'number',
        unchangedFolders: 'number',
        changedFolders: 'number',
        addedFolders: 'number',
        removedFolders: 'number',
        tokenDelta: { gpt4oMini: 'number', claude: 'number' },
      });

      write('src/cli/commands/clean.ts', CLEAN_AFTER);
      const diff = await call('compare_snapshot', { projectPath: workplace.repository });
      assert.equal(diff.status, 'diff');
      const [changed] = diff.folderDiffs;
      assert.deepEqual([changed.path, changed.status], ['src/cli/commands', 'changed']);
      const [change] = changed.changes;
      shaped(change, {
        rootComponent: /^clean$/,
        type: /^uif_contract_changed$/,
        semanticHashBefore: /^uif:/,
        semanticHashAfter: /^uif:/,
        tokenDelta: 'number',
      });
      assert.deepEqual(change.details.addedFunctions, ['findMainContextFile']);
      assert.ok(change.details.modifiedFields.includes('version.functions'));

      write('src/components/Card.tsx', CARD.replace('title: string;', 'title: number; tone: string;'));
      const props = await call('compare_snapshot', { projectPath: workplace.repository });
      const card = props.folderDiffs.find(({ path }) => path === 'src/components').changes[0];
      assert.equal(card.type, 'props_signature_changed');
      assert.deepEqual(card.details.addedProps, ['tone']);

      const last = await call('get_last_compare_result');
      assert.deepEqual(last.folderDiffs, props.folderDiffs);
      assert.equal((await call('get_last_compare_result', { since: '2999-01-01T00:00:00Z' })).failed.code, 'no_compare_result');

      for (const baseline of ['snapshot', 'git:HEAD', workplace.repository]) {
        const against = await call('compare_snapshot', { projectPath: workplace.repository, baseline });
        assert.equal(against.status, 'diff', baseline);
      }
      const forced = await call('compare_snapshot', { projectPath: workplace.repository, forceRegenerate: true, includeStyle: true });
      assert.equal(forced.status, 'diff');
    } finally {
      await client.close();
      workplace.remove();
    }
  });

  it('modes, documents, watch status and errors', async () => {
    const { workplace } = project();
    const { client, call } = await connected(workplace);
    try {
      const missing = await call('compare_snapshot', { projectPath: workplace.repository });
      assert.match(missing.failed.message, /context_main\.json not found in .*forceRegenerate: true/);
      const modes = await call('compare_modes', { projectPath: workplace.repository });
      const cost = { tokensGPT4o: 'number', tokensClaude: 'number' };
      shaped(modes, {
        projectPath: 'string',
        tokenEstimation: { method: 'string' },
        comparisonVsRawSource: {
          rawSource: { ...cost, savingsPercent: 'number' },
          header: { ...cost, savingsPercent: 'number' },
          headerStyle: { ...cost, savingsPercent: 'number' },
        },
        modeBreakdown: {
          none: { ...cost, savingsVsFull: 'number' },
          header: { ...cost, savingsVsFull: 'number' },
          headerStyle: { ...cost, savingsVsFull: 'number' },
          full: { ...cost, savingsVsFull: 'number' },
        },
        stats: { totalFiles: 'number', totalTS: 'number', totalTSX: 'number' },
      });
      assert.deepEqual(modes.stats, { ...modes.stats, totalFiles: 3, totalTS: 2, totalTSX: 1 });
      const docs = await call('read_logicstamp_docs');
      for (const key of ['forLLMs', 'usage', 'uifContracts', 'schema', 'context', 'compareModes', 'limitations']) {
        assert.match(docs[key], /^# /, key);
      }
      const status = await call('watch_status', { projectPath: workplace.repository });
      assert.deepEqual([status.watchModeActive, typeof status.message], [false, 'string']);
      for (const [name, args, code] of [
        ['refresh_snapshot', { profile: 'nope' }, 'invalid_arguments'],
        ['refresh_snapshot', { mode: 'nope' }, 'invalid_arguments'],
        ['refresh_snapshot', { projectPath: '/etc' }, 'path_outside_root'],
        ['list_bundles', { snapshotId: 'snap_1' }, 'unknown_snapshot'],
        ['compare_snapshot', { baseline: 'git:no-such-ref', projectPath: workplace.repository }, /./],
      ]) {
        const { failed } = await call(name, args);
        assert.ok(failed, `${name} ${JSON.stringify(args)}`);
        assert.match(failed.code, code instanceof RegExp ? code : new RegExp(`^${code}$`));
        assert.ok(failed.hint, failed.code);
      }
    } finally {
      await client.close();
      workplace.remove();
    }
  });
});

const CLIENTS = [
  { client: 'Python', drive: python.drive, mode: 'legacy' },
  { client: 'Python', drive: python.drive, mode: '2026-07-28' },
  { client: 'TypeScript 1', drive: (script) => typescript.drive(typescript.sdks.v1, script), mode: 'default' },
  { client: 'TypeScript 2', drive: (script) => typescript.drive(typescript.sdks.v2, script), mode: '2026-07-28' },
];

describe('drift as it happens', { concurrency: 2 }, () => {
  for (const { client, drive, mode } of CLIENTS) {
    for (const transport of ['stdio', 'http']) {
      it(`${client}, ${mode}, over ${transport}`, async () => {
        const { workplace } = project();
        const server = transport === 'http' ? await startHttpServer(workplace) : undefined;
        try {
          const seen = await drive({
            mode,
            server: server ? { url: server.url, token: server.token } : workplace.stdio(),
            calls: [],
            reads: ['becket://drift'],
            prompts: [],
            completions: [],
            subscription: { uri: 'becket://drift', change: edit(workplace) },
          });
          assert.deepEqual(seen.updates, ['becket://drift']);
          const recent = JSON.parse(seen.reads[0].result.contents[0].text);
          assert.deepEqual([recent.watching, recent.events], [false, []]);
        } finally {
          await server?.stop();
          workplace.remove();
        }
      });
    }
  }

  it('says in a log message what broke, and for whom', async () => {
    const { workplace, write } = project();
    write('src/menu.ts', "import { cleanCommand } from './cli/commands/clean';\nexport const menu = [cleanCommand];\n");
    const { client } = await connected(workplace);
    try {
      const told = new Promise((resolve) => {
        client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
          if (params.data?.drift) resolve(params);
        });
      });
      await client.subscribeResource({ uri: 'becket://drift' });
      write('src/cli/commands/clean.ts', CLEAN.replace('(path: string): void', '(path: string, force: boolean): void'));
      const { level, data } = await told;
      assert.equal(level, 'warning');
      assert.deepEqual(data.drift.changedFiles, ['src/cli/commands/clean.ts']);
      const [change] = data.drift.changes;
      assert.deepEqual([change.verdict, change.declarations[0].name], ['breaking', 'cleanCommand']);
      assert.deepEqual(change.declarations[0].usedBy, ['src/menu.ts']);
      const { contents } = await client.readResource({ uri: 'becket://drift' });
      const recent = JSON.parse(contents[0].text);
      assert.deepEqual([recent.watching, recent.events.length], [true, 1]);
    } finally {
      await client.close();
      workplace.remove();
    }
  });
});

function edit(workplace) {
  const text = CLEAN.replace('displayPath', 'showPath');
  return {
    command: 'sh',
    args: ['-c', 'printf %s "$1" > src/cli/commands/clean.ts', 'sh', text],
    options: { cwd: workplace.repository, env: workplace.environment() },
  };
}
