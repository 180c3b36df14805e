// becket against the TypeScript compiler, over the TypeScript sources that npm packages ship.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CORPORA, Tree } from './trees.mjs';
import { read } from './compiler.mjs';

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

function score() {
  return { same: 0, all: 0, differences: [] };
}

function compare(tree, corpus, tally) {
  const graph = tree.graph();
  const contracts = tree.contracts(graph.files);
  const sources = graph.files.filter((file) => /\.[cm]?tsx?$/.test(file));
  const compiler = read(tree.root, sources, corpus.conditions ?? []);
  for (const file of sources) {
    const contract = contracts.get(file);
    compareExports(tally.exports, `${corpus.name}/${file}`, contract, compiler.exports.get(file));
    const ours = new Set(graph.edges.filter((edge) => edge.from === file && !edge.through).map((edge) => edge.to));
    compareEdges(tally.edges, `${corpus.name}/${file}`, ours, compiler.edges.get(file));
  }
  compareProps(tally.props, corpus.name, contracts, compiler);
}

function compareExports(score, file, contract, theirs) {
  const ours = new Set([...(contract.exports?.named ?? []), ...(contract.exports?.default ? ['default'] : [])]);
  score.all += 1;
  const difference = sets(ours, theirs);
  if (difference) score.differences.push(`${file}: ${difference}`);
  else score.same += 1;
}

function compareEdges(score, file, ours, theirs) {
  for (const path of new Set([...ours, ...theirs])) {
    score.all += 1;
    if (ours.has(path) && theirs.has(path)) score.same += 1;
    else score.differences.push(`${file} -> ${path}: only ${ours.has(path) ? 'becket' : 'the compiler'}`);
  }
}

/** What the sources declare has to be there; what a package declares may be, and nothing else. */
function compareProps(score, corpus, contracts, { components, unknown }) {
  const seen = new Set(unknown);
  for (const [key, component] of components) {
    const [file] = key.split('#');
    const contract = contracts.get(file);
    const ours = declaration(contract, component);
    score.all += 1;
    if (!ours) {
      score.differences.push(`${corpus}/${key}: becket sees no component`);
      continue;
    }
    seen.add(`${file}#${ours.name}`);
    const names = new Set((ours.props ?? []).flat().map((member) => member.name));
    const missing = [...component.declared].filter((name) => !names.has(name));
    const extra = [...names].filter((name) => !component.all.has(name));
    if (missing.length + extra.length === 0) score.same += 1;
    else score.differences.push(`${corpus}/${key}: missing [${missing}] extra [${extra}]`);
  }
  for (const [file, contract] of contracts) {
    for (const one of contract.declarations ?? []) {
      if (one.kind !== 'component' || !one.exported || seen.has(`${file}#${one.name}`)) continue;
      score.all += 1;
      score.differences.push(`${corpus}/${file}#${one.name}: only becket sees a component`);
    }
  }
}

function declaration(contract, component) {
  const components = (contract.declarations ?? []).filter((one) => one.kind === 'component' && one.exported);
  const local = component.name === 'default' ? contract.exports.default : component.local;
  return components.find((one) => one.name === local) ?? components.find((one) => one.name === component.local);
}

function sets(ours, theirs) {
  const missing = [...theirs].filter((name) => !ours.has(name));
  const extra = [...ours].filter((name) => !theirs.has(name));
  return missing.length + extra.length === 0 ? undefined : `missing [${missing}] extra [${extra}]`;
}
