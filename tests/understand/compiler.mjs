// What the TypeScript compiler says of a tree: exported names, import edges, and the props of exported components.
import { existsSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import ts from 'typescript';

/**
 * @param root a folder with sources and a `node_modules` for their types
 * @param files the sources, relative to it
 * @param conditions of `exports` maps that lead to sources
 */
export function read(root, files, conditions) {
  const top = realpathSync(root);
  const options = optionsOf(top, conditions);
  const program = ts.createProgram(files.map((file) => join(top, file)), options);
  const checker = program.getTypeChecker();
  const inside = (fileName) => {
    const path = relative(top, fileName).split(sep).join('/');
    return path.startsWith('..') || path.startsWith('node_modules/') ? undefined : path;
  };
  const view = { exports: new Map(), edges: new Map(), components: new Map(), unknown: new Set() };
  for (const file of files) {
    const source = program.getSourceFile(join(top, file));
    if (!source) throw new Error(`the compiler does not know ${file}`);
    const symbols = exportedSymbols(checker, source);
    const own = (declaration) => inside(declaration.getSourceFile().fileName) !== undefined;
    // A star of a package gives names that only the package knows.
    view.exports.set(file, new Set(symbols.filter((one) => one.declarations?.some(own)).map(nameOf)));
    view.edges.set(file, edges(program, options, source, inside));
    for (const symbol of symbols) {
      const component = componentOf(checker, source, symbol, own);
      if (component?.unknown) view.unknown.add(`${file}#${component.local}`);
      else if (component) view.components.set(`${file}#${component.name}`, component);
    }
  }
  return view;
}

/** Resolution as the project asks for it, everything else as strict as it gets. */
function optionsOf(top, conditions) {
  const path = join(top, 'tsconfig.json');
  const own = existsSync(path)
    ? ts.parseJsonConfigFileContent(ts.readConfigFile(path, ts.sys.readFile).config, ts.sys, top).options
    : {};
  return {
    baseUrl: own.baseUrl,
    paths: own.paths,
    pathsBasePath: own.pathsBasePath,
    rootDirs: own.rootDirs,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    customConditions: ['source', ...conditions],
    jsx: ts.JsxEmit.Preserve,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
    types: [],
  };
}

function exportedSymbols(checker, source) {
  const module = checker.getSymbolAtLocation(source);
  if (!module) return [];
  const assigned = module.exports?.get(ts.InternalSymbolName.ExportEquals);
  return assigned ? [assigned] : checker.getExportsOfModule(module);
}

function nameOf(symbol) {
  return symbol.escapedName === ts.InternalSymbolName.ExportEquals ? 'default' : ts.unescapeLeadingUnderscores(symbol.escapedName);
}

/** Files of the tree that this one names in an import, an export, an `import()`, a `require`, an import type or a reference. */
function edges(program, options, source, inside) {
  const found = new Set();
  for (const specifier of [...(source.imports ?? []), ...required(source)]) {
    const mode = program.getModeForUsageLocation?.(source, specifier);
    const { resolvedModule } = ts.resolveModuleName(
      specifier.text, source.fileName, options, ts.sys, undefined, undefined, mode,
    );
    const path = resolvedModule && inside(resolvedModule.resolvedFileName);
    if (path && path !== inside(source.fileName) && !path.endsWith('.json')) found.add(path);
  }
  for (const { fileName } of source.referencedFiles) {
    const named = ts.resolveTripleslashReference(fileName, source.fileName);
    if (inside(named) && existsSync(named)) found.add(inside(named));
  }
  return found;
}

/** What a `require` names: of TypeScript the compiler resolves none. */
function required(source) {
  const found = [];
  const visit = (node) => {
    const is = ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'require';
    if (is && node.arguments.length === 1 && ts.isStringLiteralLike(node.arguments[0])) found.push(node.arguments[0]);
    ts.forEachChild(node, visit);
  };
  if (source.text.includes('require(')) visit(source);
  return found;
}

/** A component that this very file declares and exports, with the names of its props. */
function componentOf(checker, source, symbol, own) {
  const exported = nameOf(symbol);
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const declaration = target.valueDeclaration ?? target.declarations?.[0];
  if (!declaration || declaration.getSourceFile() !== source) return undefined;
  if (!(target.flags & ts.SymbolFlags.Value) && !ts.isExportAssignment(declaration)) return undefined;
  const local = target.name === 'default' ? 'default' : target.name;
  const shown = exported === 'default' && local === 'default' ? declaredName(declaration) : local;
  if (shown !== 'default' && !/^[A-Z]/.test(shown)) return undefined;
  const type = checker.getTypeOfSymbolAtLocation(target, source);
  const props = propsTypes(checker, type, source);
  // Something that the compiler takes for `any` it knows nothing of: no difference can be told.
  const anything = type.flags & ts.TypeFlags.Any || type.getCallSignatures().some((one) => one.getReturnType().flags & ts.TypeFlags.Any);
  if (props ? props.some((one) => one.flags & ts.TypeFlags.Any) : anything) return { local: shown, unknown: true };
  if (props === undefined) return undefined;
  const all = new Set();
  const declared = new Set();
  for (const one of props) collect(checker, one, own, all, declared);
  // With an index signature any name is one of a prop.
  const open = props.some((one) => checker.getIndexInfosOfType(one).length > 0);
  return { name: exported, local: shown, all, declared, open };
}

function declaredName(declaration) {
  if (ts.isExportAssignment(declaration) && ts.isIdentifier(declaration.expression)) return declaration.expression.text;
  return declaration.name?.text ?? 'default';
}

/** The types of the props of a component, one for each overload; none where it takes no props, `undefined` for what is no component. */
function propsTypes(checker, type, location) {
  // A context can be rendered since React 19, and is no component for that.
  if (type.symbol?.name === 'Context' && type.getProperty('Provider')) return undefined;
  // `ComponentType` is a function or a class: either tells the props.
  if (type.isUnion()) return type.types.map((part) => propsTypes(checker, part, location)).find((props) => props !== undefined);
  for (const signature of type.getConstructSignatures()) {
    const instance = signature.getReturnType();
    const props = instance.getProperty('props');
    if (props && instance.getProperty('render') && instance.getProperty('setState')) {
      return [checker.getTypeOfSymbolAtLocation(props, location)];
    }
  }
  const calls = type.getCallSignatures().filter((signature) => {
    return signature.parameters.length <= 2 && isRendered(checker, signature.getReturnType());
  });
  const taken = calls.flatMap(({ parameters: [first] }) => (first ? [checker.getTypeOfSymbolAtLocation(first, location)] : []));
  // A function from something else than an object is no component.
  const primitive = ts.TypeFlags.StringLike | ts.TypeFlags.NumberLike | ts.TypeFlags.BooleanLike;
  return calls.length === 0 || taken.some((props) => props.flags & primitive) ? undefined : taken;
}

/** What a component gives: elements, or nothing at all, which is what one without looks gives. */
function isRendered(checker, type) {
  return !!(type.flags & ts.TypeFlags.Null) || (hasElement(checker, type) && isNode(checker, type));
}

function hasElement(checker, type, depth = 0) {
  if (type.aliasSymbol?.name === 'ReactNode') return true;
  if (type.isUnion()) return type.types.some((part) => hasElement(checker, part, depth));
  const held = heldBy(checker, type, depth);
  if (held) return hasElement(checker, held, depth + 1);
  return ['type', 'props', 'key'].every((name) => type.getProperty(name)) && !!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection));
}

/** What can be rendered, a text and nothing included; a server renders a promise. */
function isNode(checker, type, depth = 0) {
  if (type.aliasSymbol?.name === 'ReactNode') return true;
  const { Null, Undefined, StringLike, NumberLike, BooleanLike, BigIntLike } = ts.TypeFlags;
  if (type.isUnion()) return type.types.every((part) => isNode(checker, part, depth));
  if (type.flags & (Null | Undefined | StringLike | NumberLike | BooleanLike | BigIntLike)) return true;
  const held = heldBy(checker, type, depth);
  return held ? isNode(checker, held, depth + 1) : hasElement(checker, type, depth);
}

/** The type of what a list or a promise has in it; a list of itself has an end here. */
function heldBy(checker, type, depth) {
  const lists = ['Array', 'ReadonlyArray', 'Iterable', 'AsyncIterable', 'Promise', 'PromiseLike'];
  return depth < 5 && lists.includes(type.symbol?.name) ? checker.getTypeArguments(type)[0] : undefined;
}

/** A union has the names of all of its variants. */
function collect(checker, type, own, all, declared) {
  const apparent = type.flags & ts.TypeFlags.TypeParameter ? (checker.getBaseConstraintOfType(type) ?? type) : type;
  if (apparent.isUnion()) {
    for (const part of apparent.types) collect(checker, part, own, all, declared);
    return;
  }
  for (const property of checker.getPropertiesOfType(apparent)) {
    all.add(property.name);
    if (property.declarations?.some(own)) declared.add(property.name);
  }
}
