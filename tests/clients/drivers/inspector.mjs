// Drives the Inspector's command line, one process per request, and reports what it printed.
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const LIMIT_MS = 60_000;
const inspector = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json')),
  'clients/launcher/build/index.js',
);

export async function drive(script) {
  const ask = (...request) => run(script, request);
  const list = async (method, field, ...flags) => answered(await ask('--method', method, ...flags))[field];
  const call = ({ name, arguments: given }) =>
    ask('--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(given));
  const get = ({ name, arguments: given }) => {
    const pairs = Object.entries(given).map(([key, value]) => `${key}=${value}`);
    return ask('--method', 'prompts/get', '--prompt-name', name, ...(pairs.length > 0 ? ['--prompt-args', ...pairs] : []));
  };
  // A few at a time: each of them is a process.
  const [tools, resources, templates, prompts] = await Promise.all([
    // Schemas that some host would refuse make this one fail.
    list('tools/list', 'tools', '--strict'),
    list('resources/list', 'resources'),
    list('resources/templates/list', 'resourceTemplates'),
    list('prompts/list', 'prompts'),
  ]);
  const calls = await Promise.all(script.calls.map(call));
  const reads = await Promise.all(script.reads.map((uri) => ask('--method', 'resources/read', '--uri', uri)));
  const gets = await Promise.all(script.prompts.map(get));
  return { tools, resources, templates, prompts, calls, reads, gets };
}

function run({ mode, server }, request) {
  const common = ['--format', 'json', '--quiet', '--protocol-era', mode, '--stored-auth-only'];
  const target = server.url
    ? ['--transport', 'http', '--header', `Authorization: Bearer ${server.token}`, '--', server.url]
    : ['--cwd', server.cwd, '--', server.command, ...server.args];
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [inspector, '--cli', ...request, ...common, ...target],
      // It keeps a catalogue and credentials in the home folder.
      { env: { ...server.env, HOME: server.home, PATH: process.env.PATH }, timeout: LIMIT_MS, maxBuffer: 64 << 20 },
      (failure, stdout, stderr) => {
        try {
          const last = (text) => JSON.parse(text.trim().split('\n').at(-1));
          resolve({ ...(stdout.trim() ? last(stdout) : last(stderr)), exit: failure?.code ?? 0 });
        } catch {
          reject(new Error(`the Inspector said no JSON for ${request.join(' ')} (exit ${failure?.code}):\n${stdout}${stderr}`));
        }
      },
    );
    child.stdin.end();
  });
}

function answered({ result, error, exit }) {
  if (!result || exit !== 0) throw new Error(`the Inspector failed with ${exit}: ${JSON.stringify(error ?? result)}`);
  return result;
}
