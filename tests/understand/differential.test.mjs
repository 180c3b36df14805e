// becket against the TypeScript compiler, over the TypeScript sources that npm packages ship.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compare, score } from './comparison.mjs';
import { CORPORA, Tree } from './trees.mjs';

/** Shares that have to be equal, over all corpora together. */
const EQUAL = { exports: 0.995, edges: 0.995, props: 0.98 };
/** So that an empty corpus does not pass. */
const AT_LEAST = { exports: 1300, edges: 4400, props: 480 };
const SHOWN = 60;

describe('against the TypeScript compiler', () => {
  const tally = { exports: score(), edges: score(), props: score() };

  for (const corpus of CORPORA) {
    it(corpus.name, () => {
      const tree = new Tree(corpus);
      try {
        compare(tree, corpus, tally);
      } finally {
        tree.remove();
      }
    });
  }

  for (const [what, share] of Object.entries(EQUAL)) {
    it(`${what}: at least ${share * 100} % are equal`, (context) => {
      const { same, all, differences } = tally[what];
      context.diagnostic(`${what}: ${same} of ${all} equal (${((same / all) * 100).toFixed(2)} %)`);
      for (const line of differences.slice(0, SHOWN)) context.diagnostic(`  ${line}`);
      assert.ok(all >= AT_LEAST[what], `only ${all} ${what} were compared`);
      assert.ok(same / all >= share, `${what}: ${same} of ${all}\n${differences.join('\n')}`);
    });
  }
});
