// The same sources give the same bytes: in two directories, in two orders of making, on one and on two threads, with and
// without what is remembered.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { CORPORA, Tree } from './trees.mjs';

/** Every file below a folder, by its path in it. */
function files(folder, inside = '') {
  return readdirSync(join(folder, inside), { withFileTypes: true }).flatMap((entry) => {
    const path = join(inside, entry.name);
    return entry.isDirectory() ? files(folder, path) : [path];
  });
}

/** What a run writes, without the one field that is the time of writing. */
function written(tree, threads, ...options) {
  const out = join(tree.folder, 'out');
  rmSync(out, { recursive: true, force: true });
  tree.run('context', '--quiet', '--include-tests', '--include-style', '--out', out, ...options, { RAYON_NUM_THREADS: `${threads}` });
  return new Map(files(out).map((path) => [path, readFileSync(join(out, path), 'utf8').replace(/"createdAt": ?"[^"]*"/g, '"createdAt"')]));
}

/** The same tree under a name of another length, its files made in the other order. */
function turned(tree) {
  const place = join(tree.folder, 'app', 'cli', 'somewhere-else');
  const paths = files(tree.root).filter((path) => !path.startsWith('node_modules')).reverse();
  for (const path of paths) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    cpSync(join(tree.root, path), join(place, path));
  }
  rmSync(tree.root, { recursive: true });
  tree.root = place;
}

describe('the same bytes', () => {
  for (const corpus of CORPORA.filter(({ name }) => name !== 'zod')) {
    it(corpus.name, () => {
      const [one, other] = [new Tree(corpus), new Tree(corpus)];
      try {
        const first = written(one, 2);
        assert.ok(first.size > 1);
        turned(other);
        for (const [how, again] of [
          ['with what is remembered', () => written(one, 2)],
          ['without it', () => written(one, 2, '--clean-cache')],
          ['on one thread', () => written(one, 1, '--clean-cache')],
          ['in another directory, made in another order', () => written(other, 2)],
          ['there on one thread', () => written(other, 1, '--clean-cache')],
        ]) {
          assert.deepEqual(again(), first, how);
        }
        // And after an edit that is taken back.
        const [path] = files(join(one.root, 'src')).filter((name) => /\.tsx?$/.test(name));
        const target = join(one.root, 'src', path);
        renameSync(target, `${target}.away`);
        assert.notDeepEqual(written(one, 2), first);
        renameSync(`${target}.away`, target);
        assert.deepEqual(written(one, 2), first, 'after an edit that was taken back');
      } finally {
        one.remove();
        other.remove();
      }
    });
  }
});
