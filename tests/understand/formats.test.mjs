// What becket writes, read by others: the original's own validator, a JSON Schema validator, and a TOON reader.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { decode } from '@toon-format/toon';
import Ajv2020 from 'ajv/dist/2020.js';
import { CORPORA, Tree, installed } from './trees.mjs';

const SCHEMAS = join(dirname(fileURLToPath(import.meta.url)), '../../crates/contracts/schema');
const MODES = ['none', 'header', 'full'];
const SOURCES = CORPORA.filter(({ name }) => name !== 'zod' && name !== 'rxjs');

const ajv = new Ajv2020({ strict: false, allErrors: true });
const schema = (name) => ajv.compile(JSON.parse(readFileSync(join(SCHEMAS, name), 'utf8')));
const valid = { index: schema('context-main.schema.json'), folder: schema('context.schema.json') };

/** Every file below a folder, by its path in it. */
function files(folder, inside = '') {
  return readdirSync(join(folder, inside), { withFileTypes: true }).flatMap((entry) => {
    const path = join(inside, entry.name);
    return entry.isDirectory() ? files(folder, path) : [path];
  });
}

/** Runs `check` with the folder that a run with these options wrote. */
function written(corpus, options, check) {
  const tree = new Tree(corpus);
  try {
    const out = join(tree.folder, 'out');
    tree.run('context', '--out', out, '--quiet', ...options);
    check(tree, out);
  } finally {
    tree.remove();
  }
}

describe('the original', () => {
  for (const corpus of SOURCES) {
    it(`accepts what --schema 0.4 writes of ${corpus.name}`, () => {
      written(corpus, ['--schema', '0.4'], (tree, out) => {
        const stamp = installed('logicstamp-context', 'dist', 'cli', 'stamp.js');
        const env = { HOME: tree.home, PATH: process.env.PATH };
        const run = spawnSync(process.execPath, [stamp, 'context', 'validate'], { cwd: out, env, encoding: 'utf8' });
        assert.equal(run.status, 0, run.stdout + run.stderr);
        const main = JSON.parse(readFileSync(join(out, 'context_main.json'), 'utf8'));
        assert.match(run.stdout, new RegExp(`Total folders: ${main.folders.length}\\b`), run.stdout);
        assert.match(run.stdout, new RegExp(`Valid: ${main.folders.length}\\b`), run.stdout);
      });
    });
  }

  it('refuses what is no context file, so that the above means something', () => {
    written(SOURCES[0], ['--schema', '0.4'], (tree, out) => {
      const stamp = installed('logicstamp-context', 'dist', 'cli', 'stamp.js');
      const env = { HOME: tree.home, PATH: process.env.PATH };
      const broken = join(tree.root, 'package.json');
      const run = spawnSync(process.execPath, [stamp, 'context', 'validate', broken], { cwd: out, env, encoding: 'utf8' });
      assert.notEqual(run.status, 0);
    });
  });
});

describe('the published schemas', () => {
  for (const version of ['0.3', '0.4']) {
    for (const mode of MODES) {
      it(`hold for ${mode} in ${version}`, () => {
        for (const corpus of SOURCES) {
          written(corpus, ['--schema', version, '--include-code', mode, '--include-style', '--predict-behavior'], (_, out) => {
            const all = files(out);
            assert.ok(all.length > 1, corpus.name);
            for (const path of all) {
              const value = JSON.parse(readFileSync(join(out, path), 'utf8'));
              const validate = path === 'context_main.json' ? valid.index : valid.folder;
              assert.ok(validate(value), `${corpus.name} ${path}: ${ajv.errorsText(validate.errors?.slice(0, 5))}`);
            }
          });
        }
      });
    }
  }
});

describe('formats', () => {
  it('TOON and NDJSON say what JSON says', () => {
    for (const corpus of SOURCES) {
      written(corpus, [], (tree, out) => {
        const plain = new Map(files(out).map((path) => [dirname(path), join(out, path)]).filter(([, path]) => !path.endsWith('context_main.json')));
        for (const [format, name, read] of [
          ['toon', 'context.toon', (text) => decode(text)],
          ['ndjson', 'context.ndjson', (text) => text.trim().split('\n').map((line) => JSON.parse(line))],
        ]) {
          const other = join(tree.folder, format);
          tree.run('context', '--out', other, '--quiet', '--format', format);
          for (const [folder, path] of plain) {
            const expected = JSON.parse(readFileSync(path, 'utf8')).map(timeless);
            const found = read(readFileSync(join(other, folder, name), 'utf8')).map(timeless);
            assert.deepEqual(found, expected, `${corpus.name} ${format} ${relative(out, path)}`);
          }
        }
      });
    }
  });
});

/** The one field that is not made of the sources. */
function timeless(bundle) {
  return { ...bundle, createdAt: undefined };
}
