// The two views of a tree, file by file: what becket says and what the TypeScript compiler says.
import { read } from './compiler.mjs';

/** How much is equal, and what is not. */
export function score() {
  return { same: 0, all: 0, differences: [] };
}

/** Both views of a tree; `tally` has a score for each of what is compared. */
export function compare(tree, corpus, tally) {
  const graph = tree.graph();
  const contracts = tree.contracts(graph.files);
  const sources = graph.files.filter((file) => /\.[cm]?tsx?$/.test(file));
  const compiler = read(tree.root, sources, corpus.conditions ?? []);
  for (const file of sources) {
    const contract = contracts.get(file);
    compareExports(tally.exports, `${corpus.name}/${file}`, contract, compiler.exports.get(file));
    const ours = new Set(graph.edges.filter((edge) => edge.from === file && !edge.through && !isTwin(edge)).map((edge) => edge.to));
    compareEdges(tally.edges, `${corpus.name}/${file}`, ours, compiler.edges.get(file));
  }
  compareProps(tally.props, corpus.name, new Map(sources.map((file) => [file, contracts.get(file)])), compiler);
}

/** Of a declaration file to the code beside it, which nobody wrote as an import: the compiler has no such edge. */
function isTwin({ from, to }) {
  const [, stem, kind] = from.match(/^(.*)\.d\.([cm]?)ts$/) ?? [];
  return stem !== undefined && [`${stem}.${kind}js`, `${stem}.${kind}jsx`].includes(to);
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
  const isNamed = (member) => member.kind !== 'index';
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
    const names = new Set((ours.props ?? []).flat().filter(isNamed).map((member) => member.name));
    const missing = [...component.declared].filter((name) => !names.has(name));
    const extra = component.open ? [] : [...names].filter((name) => !component.all.has(name));
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
