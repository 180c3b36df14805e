//! Local facts to a contract: what imports resolve to is followed, for types of props and for names behind barrels.
//!
//! A pure function of the facts and of the files that they lead to, which `project` supplies. Everything that was looked at is named in
//! the result, so that a cache knows what a contract rests on.

mod asked;
mod chosen;
mod component_type;
mod composed;
mod emits;
mod exports;
mod filled;
mod instance;
mod keys;
mod known;
mod names;
mod nest;
mod next;
mod prop_type;
mod props;
mod routes;
mod scope;
mod seen;
mod texts;

pub use next::may_be_route;
pub use routes::{Handed, place};
pub use scope::RestsOn;
pub(crate) use seen::{module_path, seen_from, shown};

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::graph::{Library, Members};
use crate::mentions::{is_class, replaced};
use crate::model::{
    ApiSignature, ComponentFacts, Contract, ContractDeclaration, Declaration, DeclarationDetail,
    DeclarationKind, Exports, Import, ImportedAs, Kind, LocalFacts, LogicSignature, Member, PropType, Route,
    State, TypeShape, UnresolvedType, Version, is_react, is_vue,
};
use becket_base::divided;
use props::Expander;
use scope::{Alone, Found, Resolver, Scope};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linked {
    /// Without hashes, style and prediction: those are added by whoever wants them.
    pub contract: Contract,
    pub rests_on: RestsOn,
    /// What it mounts of other files, for [`place`].
    pub handed: Vec<Handed>,
}

/// The contract of a file that stands alone.
pub fn link_alone(entry_id: &str, facts: &LocalFacts) -> Linked {
    link(&Alone { path: entry_id, facts }, 0)
}

/// Whether a file has hooks or components, or what may be one, and imports nothing of the library that would make them that.
pub fn may_be_of_any_library(facts: &LocalFacts) -> bool {
    let is_of_react = |import: &Import| {
        let package = divided::before_first(&import.specifier, b'/');
        matches!(package, "react" | "preact" | "react-dom" | "react-native" | "next")
    };
    let may_be = match facts.kind {
        Kind::ReactHook | Kind::ReactComponent => true,
        Kind::TsModule => {
            facts.declarations.iter().any(|one| matches!(one.detail, DeclarationDetail::Component(_)))
        }
        _ => false,
    };
    may_be && !facts.imports.iter().any(is_of_react)
}

/// Whether a file calls no hooks, and is of what runs on a server: `useSwagger(app: INestApplication)` uses something.
fn is_of_server(facts: &LocalFacts) -> bool {
    let mut packages = facts.imports.iter().map(|import| import.specifier.as_str());
    let is_server = |package: &str| {
        package.starts_with("node:")
            || package.starts_with("@nestjs/")
            || matches!(package, "express" | "fastify" | "hono" | "koa" | "undici" | "ws")
            || matches!(
                package,
                "child_process"
                    | "cluster"
                    | "dgram"
                    | "dns"
                    | "fs"
                    | "fs/promises"
                    | "http"
                    | "http2"
                    | "https"
                    | "net"
                    | "os"
                    | "tls"
                    | "worker_threads"
                    | "zlib"
            )
    };
    facts.hooks.is_empty()
        && packages.clone().any(is_server)
        && !packages.any(|package| is_react(package) || is_vue(package))
}

/// The contract of one file.
pub fn link(members: &dyn Members, at: usize) -> Linked {
    let resolver = Resolver::new(members);
    let scope = resolver.scope(at);
    let Scope { entry: entry_id, facts, .. } = scope;
    let mut unresolved = BTreeSet::new();
    let declarations: Vec<ContractDeclaration> = facts
        .declarations
        .iter()
        .map(|declaration| declared(declaration, scope, &resolver, &mut unresolved))
        .collect();
    let nextjs = next::of(scope, &resolver, members.next_app(at));
    let kind = names::kind(entry_id, facts, &declarations, nextjs.as_ref());
    let kind = match (kind, members.library(at)) {
        (Kind::ReactHook, Library::Vue) => Kind::VueComposable,
        (Kind::ReactComponent, Library::Vue) => Kind::VueComponent,
        (Kind::ReactHook, Library::Other) => Kind::TsModule,
        // Also in a project that has React elsewhere.
        (Kind::ReactHook, _) if is_of_server(facts) => Kind::TsModule,
        _ => kind,
    };
    let (routes, handed, too_many) = routes::of(scope, &resolver);
    let seen = seen::through(&declarations, scope, &resolver);
    let contract = Contract {
        type_name: "UIFContract".to_owned(),
        schema_version: "0.3".to_owned(),
        kind,
        entry_id: entry_id.to_owned(),
        description: names::description(entry_id, kind, facts, &routes),
        version: version(kind, facts, &declarations),
        logic_signature: merged(kind, &declarations, &seen, scope, &resolver),
        exports: exports::of(scope, &resolver),
        passed_on: seen::passed_on(scope, &resolver),
        declarations: seen::published(declarations, seen),
        routes,
        nextjs,
        style: None,
        prediction: Vec::new(),
        unresolved: unresolved.into_iter().collect(),
        diagnostics: facts.diagnostics.iter().cloned().chain(too_many).collect(),
        semantic_hash: String::new(),
        file_hash: String::new(),
        brief: false,
    };
    Linked { contract, rests_on: resolver.rests_on(at), handed }
}

/// The file that declares what `file` exports as `name`, and its local name there. Follows barrels, renames and stars.
pub fn declaring_file<'a>(members: &'a dyn Members, file: usize, name: &str) -> Option<(usize, &'a str)> {
    let resolver = Resolver::new(members);
    match resolver.exported(resolver.scope(file), name)? {
        Found::Declared(file, declaration) => Some((file.at, &declaration.name)),
        Found::Outside(_) | Found::Unknown => None,
    }
}

fn declared(
    declaration: &Declaration,
    scope: Scope<'_>,
    resolver: &Resolver<'_>,
    unresolved: &mut BTreeSet<UnresolvedType>,
) -> ContractDeclaration {
    let mut whole = ContractDeclaration {
        name: declaration.name.clone(),
        kind: kind_of(declaration, scope, resolver),
        exported: declaration.exported,
        lines: declaration.lines,
        signatures: declaration.signatures.clone(),
        decorators: declaration.decorators.clone(),
        doc: declaration.doc.clone(),
        form: None,
        props: Vec::new(),
        emits: Vec::new(),
        state: Vec::new(),
        imported: Vec::new(),
        given_by: seen::given_by(declaration, scope, resolver),
        inherits: Vec::new(),
    };
    if whole.kind == DeclarationKind::Component && whole.kind != declaration.kind {
        whole.signatures = declaration.signatures.iter().map(|text| as_component(text).to_owned()).collect();
    }
    match &declaration.detail {
        DeclarationDetail::Component(component) if whole.kind == DeclarationKind::Component => {
            let mut expander = Expander::new(resolver);
            let variants = expander.component(component, scope);
            whole.inherits = expander.unresolved.iter().cloned().collect();
            whole.form = Some(component.form);
            whole.emits = emits::of(component, &variants, &expander.callbacks, scope, resolver);
            unresolved.extend(emits::declared(component, scope, resolver).1);
            whole.state = state(component, scope, &mut expander);
            whole.props = if variants.iter().all(Vec::is_empty) { Vec::new() } else { variants };
            if whole.declared_props().iter().any(|variant| !variant.is_empty()) {
                let each = whole.signatures.iter();
                whole.signatures = each.map(|text| without_react(text, scope).into_owned()).collect();
            }
            let whole = |one: UnresolvedType| UnresolvedType::whole(one.name, one.from);
            unresolved.extend(expander.unresolved.into_iter().map(whole));
        }
        DeclarationDetail::Hook { parameters, state } if whole.kind == DeclarationKind::Hook => {
            // Each overload is a variant.
            let variants = match parameters {
                TypeShape::Union(variants) => variants.as_slice(),
                one => std::slice::from_ref(one),
            };
            whole.props = variants.iter().filter_map(members_of).map(<[Member]>::to_vec).collect();
            if whole.props.iter().all(Vec::is_empty) {
                whole.props.clear();
            }
            whole.state.clone_from(state);
            whole.state.sort();
            whole.state.dedup_by(|a, b| a.name == b.name);
        }
        _ => {}
    }
    whole
}

/// `React.` is a way to import, where the props of a component tell what it is and its signature only how it is declared.
fn without_react<'t>(signature: &'t str, scope: Scope<'_>) -> Cow<'t, str> {
    if is_class(signature) || signature.starts_with("namespace ") || !signature.contains('.') {
        return signature.into();
    }
    let is_whole = |name: &str| {
        let bound = scope.facts.imports.iter().find_map(|import| {
            let name = import.names.iter().find(|one| one.local == name)?;
            Some(is_react(&import.specifier) && matches!(name.imported.as_str(), "default" | "*"))
        });
        bound.unwrap_or(name == "React")
    };
    replaced(signature, |mention| {
        let (root, rest) = divided::around_first(mention.text, b'.')?;
        is_whole(root).then_some(rest)
    })
}

fn members_of(shape: &TypeShape) -> Option<&[Member]> {
    match shape {
        TypeShape::Object(members) => Some(members),
        _ => None,
    }
}

/// A component is known by its props, and not by what the calls are given that make it; but for its parts.
fn as_component(signature: &str) -> &str {
    const MADE: &str = ": inferred ";
    let Some((head, made)) = signature.split_once(MADE) else { return signature };
    let calls = made.find(['(', '[', '<', '{']).filter(|at| matches!(made.as_bytes()[*at], b'(' | b'['));
    if calls.is_none() || made.starts_with("assign(") {
        return signature;
    }
    &signature[..head.len() + MADE.trim_end().len()]
}

fn kind_of(declaration: &Declaration, scope: Scope<'_>, resolver: &Resolver<'_>) -> DeclarationKind {
    let can_be = matches!(declaration.detail, DeclarationDetail::Component(_));
    // Named as hooks are, and nothing in its file is React's.
    if declaration.kind == DeclarationKind::Hook && is_of_server(scope.facts) {
        return DeclarationKind::Function;
    }
    if can_be && Expander::new(resolver).is_component(declaration, scope) {
        DeclarationKind::Component
    } else {
        declaration.kind
    }
}

fn state(component: &ComponentFacts, scope: Scope<'_>, expander: &mut Expander<'_>) -> Vec<State> {
    let mut all = component.state.clone();
    if let Some(shape) = &component.state_shape {
        let members = expander.expand(shape, scope).into_iter().flatten();
        for member in members {
            all.retain(|known| known.name != member.name);
            let undefined = if member.optional { " | undefined" } else { "" };
            all.push(State { name: member.name, text: format!("{}{undefined}", member.text) });
        }
    }
    all.sort();
    all.dedup_by(|a, b| a.name == b.name);
    all
}

fn version(kind: Kind, facts: &LocalFacts, declarations: &[ContractDeclaration]) -> Version {
    let named = |wanted: &[DeclarationKind]| {
        let all = declarations.iter().filter(|declaration| wanted.contains(&declaration.kind));
        sorted(all.map(|declaration| declaration.name.clone()))
    };
    let classes = named(&[DeclarationKind::Class]);
    let backend = kind == Kind::NodeApi && !(facts.decorators.is_empty() && classes.is_empty());
    Version {
        variables: named(&[DeclarationKind::Constant, DeclarationKind::Variable]),
        hooks: facts.hooks.clone(),
        components: facts.components.clone(),
        functions: named(&[DeclarationKind::Function, DeclarationKind::Hook, DeclarationKind::Component]),
        imports: sorted(facts.imports.iter().map(|import| import.specifier.clone())),
        language_specific: backend.then(|| {
            let lists = [("classes", classes), ("decorators", facts.decorators.clone())];
            lists
                .into_iter()
                .filter(|(_, list)| !list.is_empty())
                .map(|(key, list)| (key.to_owned(), list))
                .collect()
        }),
    }
}

/// One view over the components that others see, or over all where they see none. Of exported hooks it has the state, and
/// the parameters where the file is about hooks.
fn merged(
    kind: Kind,
    declarations: &[ContractDeclaration],
    seen: &[Option<Vec<ImportedAs>>],
    scope: Scope<'_>,
    resolver: &Resolver<'_>,
) -> LogicSignature {
    let facts = scope.facts;
    let mut members: Vec<Cow<'_, [Member]>> = Vec::new();
    let mut untold: Vec<Member> = Vec::new();
    let mut emits = BTreeMap::new();
    let mut states = BTreeMap::new();
    let hooks_count = matches!(kind, Kind::ReactHook | Kind::VueComposable);
    let counts = |one: &ContractDeclaration| match one.kind {
        DeclarationKind::Component => true,
        DeclarationKind::Hook => hooks_count && one.exported,
        _ => false,
    };
    let all = || declarations.iter().zip(seen);
    let is_seen = |one: &ContractDeclaration, seen: &Option<_>| seen.is_some() || one.is_unnamed();
    let any = all().any(|(one, seen)| counts(one) && is_seen(one, seen));
    let told: Vec<_> = all().filter(|(one, seen)| !any || is_seen(one, seen)).map(|(one, _)| one).collect();
    // What is exported is seen first, so that a private component does not speak for the file.
    let ordered = told.iter().filter(|one| one.exported).chain(told.iter().filter(|one| !one.exported));
    for declaration in ordered.clone() {
        if counts(declaration) {
            let own = props::merged(&declaration.props);
            let is_taken = declaration.is_taken();
            untold.extend(own.iter().filter(|prop| is_taken(prop)).cloned());
            members.push(own);
        }
        if counts(declaration) || declaration.exported {
            for state in &declaration.state {
                states.entry(state.name.clone()).or_insert_with(|| state.text.clone());
            }
        }
    }
    let mut props = prop_type::merged(members.iter().flat_map(|own| &**own));
    for Member { name, text, .. } in untold {
        match props.get_mut(&name) {
            Some(prop) if *prop == PropType::Plain(text.clone()) => *prop = PropType::untold(text),
            _ => {}
        }
    }
    for declaration in ordered {
        if declaration.emits.is_empty() {
            continue;
        }
        let local = facts.declaration(&declaration.name);
        let said = match local.map(|one| &one.detail) {
            Some(DeclarationDetail::Component(component)) => emits::declared(component, scope, resolver).0,
            _ => Vec::new(),
        };
        for event in &declaration.emits {
            let own = said.iter().find(|(name, _)| name == event).map(|(_, text)| text.clone());
            // An event that is declared may have the name of a prop, and is none.
            let prop = props.get(event).filter(|_| own.is_none());
            let ty = prop.map(prop_type::as_function).unwrap_or_else(|| PropType::Described {
                kind: "function".to_owned(),
                literals: None,
                signature: own.filter(|text| !text.is_empty()),
                optional: false,
            });
            emits.entry(event.clone()).or_insert(ty);
        }
    }
    LogicSignature {
        props,
        emits: emits.into_iter().collect(),
        state: states.into_iter().collect(),
        api_signature: api(&facts.routes),
    }
}

fn api(routes: &[Route]) -> Option<ApiSignature> {
    if !routes.iter().any(Route::is_told) {
        return None;
    }
    let mut parameters = BTreeMap::new();
    for parameter in routes.iter().flat_map(|route| &route.parameters) {
        let text = if parameter.text.is_empty() { "unannotated".to_owned() } else { parameter.text.clone() };
        parameters.entry(parameter.name.clone()).or_insert(text);
    }
    let returned = sorted(routes.iter().map(|route| route.returns.clone()).filter(|text| !text.is_empty()));
    let bodies = routes.iter().flat_map(|route| &route.parameters);
    let bodies = bodies.filter(|parameter| parameter.source == crate::model::RouteParameterSource::Body);
    let requested = sorted(bodies.map(|parameter| parameter.text.clone()).filter(|text| !text.is_empty()));
    Some(ApiSignature {
        parameters: parameters.into_iter().collect(),
        return_type: (!returned.is_empty()).then(|| returned.join(" | ")),
        request_type: (!requested.is_empty()).then(|| requested.join(" | ")),
        response_type: None,
    })
}

fn sorted(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    names.dedup();
    names
}

impl Exports {
    /// Every name, the default one as `default`.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.default.iter().map(|_| "default").chain(self.named.iter().map(String::as_str))
    }
}
