// Real TypeScript sources as trees of their own: the source folder of an npm package, its manifest, its tsconfig, and
// the types of its dependencies beside them.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MODULES = realpathSync(join(dirname(fileURLToPath(import.meta.url)), 'node_modules'));

/** `conditions`: how the package's own tsconfig reaches its sources through its `exports` map. */
export const CORPORA = [
  { name: 'rxjs' },
  { name: 'zod', conditions: ['@zod/source'] },
  { name: '@tanstack/query-core' },
  { name: '@tanstack/react-query' },
  { name: 'react-native-paper' },
  { name: '@react-navigation/stack' },
  { name: 'react-native-svg' },
  { name: 'react-native-screens' },
  { name: 'react-native-gesture-handler' },
];

/** The program named by an environment variable that `./test` sets. */
export function becket() {
  const path = process.env.BECKET_BIN;
  if (!path) throw new Error('BECKET_BIN is not set: run this through ./test');
  return path;
}

/** The installed packages. */
export function installed(...path) {
  return join(MODULES, ...path);
}

/** A folder of sources, with a home of its own for the program. */
export class Tree {
  constructor({ name }) {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'becket-tree-')));
    this.root = join(this.folder, 'tree');
    this.home = join(this.folder, 'home');
    mkdirSync(this.root);
    mkdirSync(this.home);
    for (const part of ['package.json', 'tsconfig.json', 'src']) {
      const from = installed(name, part);
      if (existsSync(from)) cpSync(from, join(this.root, part), { recursive: true });
    }
    symlinkSync(MODULES, join(this.root, 'node_modules'));
  }

  /** The last argument may be further variables. */
  run(...args) {
    const extra = typeof args.at(-1) === 'object' ? args.pop() : {};
    return execFileSync(becket(), args, {
      cwd: this.root,
      env: { HOME: this.home, PATH: process.env.PATH, ...extra },
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
  }

  json(...args) {
    return JSON.parse(this.run(...args, '--json')).data;
  }

  graph() {
    return this.json('context', 'graph', '--include-tests');
  }

  contracts(files) {
    const shown = this.json('context', 'show', ...files);
    return new Map((Array.isArray(shown) ? shown : [shown]).map(({ entryId, contract }) => [entryId, contract]));
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
