// The binary under test: how it is started, over both transports, in a home and a repository of its own.
import { spawn, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const START_LIMIT_MS = 20_000;
const STOP_LIMIT_MS = 10_000;

/** The program named by an environment variable that `./test` sets. */
export function program(variable) {
  const path = process.env[variable];
  if (!path) throw new Error(`${variable} is not set: run this through ./test`);
  return path;
}

/** A throw-away home and Git repository. */
export class Workplace {
  constructor() {
    this.root = mkdtempSync(join(tmpdir(), 'becket-clients-'));
    this.home = join(this.root, 'home');
    this.repository = join(this.root, 'repository');
    mkdirSync(this.home);
    mkdirSync(join(this.repository, 'src'), { recursive: true });
    writeFileSync(join(this.repository, 'src', 'greeting.ts'), 'export const greet = (name: string) => `Hello, ${name}`;\n');
    this.git('init', '--quiet', '--initial-branch', 'main');
    this.git('add', '.');
    this.git('commit', '--quiet', '--message', 'Greet people by name');
  }

  git(...args) {
    return execFileSync('git', args, { cwd: this.repository, env: this.environment(), encoding: 'utf8' });
  }

  /** Nothing of the machine reaches the server but where programs are. */
  environment(extra = {}) {
    return {
      HOME: this.home,
      PATH: process.env.PATH,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'Test',
      GIT_AUTHOR_EMAIL: 'test@example.com',
      GIT_COMMITTER_NAME: 'Test',
      GIT_COMMITTER_EMAIL: 'test@example.com',
      ...extra,
    };
  }

  /** A change that the status tells of: another branch is checked out. */
  branchChange() {
    const name = `branch-${randomBytes(6).toString('hex')}`;
    return {
      command: 'sh',
      // Several clients do this at once, and git does not wait for another's lock.
      args: ['-c', 'for try in $(seq 100); do git checkout --quiet -b "$1" && exit; sleep 0.1; done; exit 1', 'sh', name],
      options: { cwd: this.repository, env: this.environment() },
    };
  }

  /** What a client needs to start the server itself. */
  stdio() {
    return {
      command: program('BECKET_BIN'),
      args: ['mcp', '--repo', this.repository],
      env: this.environment(),
      cwd: this.root,
    };
  }

  remove() {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A server on a free port of the loopback; resolves once it listens. */
export async function startHttpServer(workplace, options = {}) {
  const { binary, token } = { binary: program('BECKET_BIN'), token: randomBytes(24).toString('hex'), ...options };
  const child = spawn(binary, ['mcp', '--repo', workplace.repository, '--http', '127.0.0.1:0'], {
    env: workplace.environment(token ? { BECKET_HTTP_TOKEN: token } : {}),
    cwd: workplace.root,
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const talk = [];
  const exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  const url = await new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error(`the server ${why}; its stderr:\n${talk.join('\n')}`));
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      fail('did not start in time');
    }, START_LIMIT_MS);
    createInterface(child.stderr).on('line', (line) => {
      talk.push(line);
      const listening = talk.join('\n').match(/listening on (http:\/\/\S+)/);
      // The line after it, when the server made the token itself.
      if (listening && (token || line.includes('token file: '))) {
        clearTimeout(timer);
        resolve(listening[1]);
      }
    });
    child.once('error', (error) => fail(`could not be started (${error.message})`));
    exited.then(({ code, signal }) => {
      clearTimeout(timer);
      fail(`ended with ${signal ?? code}`);
    });
  });

  return {
    url,
    token,
    talk,
    /** Ends it as an operator would; says how it went. */
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
      const end = await exited;
      clearTimeout(timer);
      return end;
    },
  };
}
