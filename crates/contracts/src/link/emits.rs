//! Events: callback props that a component calls or passes on.

use std::collections::BTreeSet;

use becket_base::divided;
use memchr::memchr;
use rustc_hash::FxHashMap;

use super::prop_type::{is_function, union_parts};
use super::props::Expander;
use super::scope::{Found, Resolver, Scope};
use super::texts::known;
use crate::model::{
    ComponentFacts, ComponentForm, DeclarationDetail, Member, MemberKind, TypeShape, UnresolvedType,
};

/// More names for one type, or components that are made of each other, are a circle of them.
const MOST_ALIASES: usize = 12;

/// With those of the component that it is made of, as far as it has them as props.
pub(super) fn of<'l>(
    component: &ComponentFacts,
    variants: &[Vec<Member>],
    called_elsewhere: &BTreeSet<String>,
    scope: Scope<'l>,
    resolver: &'l Resolver<'l>,
) -> Vec<String> {
    let mut names = own(component, variants, called_elsewhere, scope, resolver);
    let mut inner = handed_on(component, scope, resolver, 0);
    inner.retain(|event| variants.iter().flatten().any(|member| member.name == *event));
    names.extend(inner);
    names.sort();
    names.dedup();
    names
}

/// What the component calls that another one is made of.
fn handed_on<'l>(
    component: &ComponentFacts,
    scope: Scope<'l>,
    resolver: &'l Resolver<'l>,
    depth: usize,
) -> Vec<String> {
    use ComponentForm::{ForwardRef, Lazy, Memo, Wrapped};
    if !matches!(component.form, ForwardRef | Lazy | Memo | Wrapped) || depth > MOST_ALIASES {
        return Vec::new();
    }
    let named = component.made_of.as_deref().or_else(|| component.props.as_ref().and_then(made_of));
    let Some(Found::Declared(file, inner)) = named.map(|name| resolver.component_name(scope, name)) else {
        return Vec::new();
    };
    let DeclarationDetail::Component(inner) = &inner.detail else { return Vec::new() };
    let mut names = handed_on(inner, file, resolver, depth + 1);
    if !inner.used_callbacks.is_empty() || inner.spreads_rest {
        let mut expander = Expander::new(resolver);
        let variants = expander.component(inner, file);
        names.extend(own(inner, &variants, &expander.callbacks, file, resolver));
    }
    names
}

/// The component whose props these are.
fn made_of(props: &TypeShape) -> Option<&str> {
    match props {
        TypeShape::Query(name) => Some(name),
        // What it is without being said to be something else.
        TypeShape::Reference { name, arguments } if name == TypeShape::CAST => {
            arguments.last().and_then(made_of)
        }
        // `styled(Card)<{ wide: boolean }>`
        TypeShape::Intersection(parts) => parts.first().and_then(made_of),
        _ => None,
    }
}

/// The events that are declared by name, with their signatures, where constants of this or another file hold some; and what
/// could not be followed.
pub(super) fn declared<'l>(
    component: &ComponentFacts,
    scope: Scope<'l>,
    resolver: &Resolver<'l>,
) -> (Vec<(String, String)>, Vec<UnresolvedType>) {
    let mut said = Said { resolver, events: Vec::new(), lost: Vec::new(), seen: BTreeSet::new() };
    said.component(component, scope, 0);
    (said.events, said.lost)
}

/// Events that are found, and what could not be followed.
struct Said<'r, 'l> {
    resolver: &'r Resolver<'l>,
    events: Vec<(String, String)>,
    lost: Vec<UnresolvedType>,
    /// What components extend, by file and name: once is enough, and they may extend each other.
    seen: BTreeSet<(String, String)>,
}

impl<'l> Said<'_, 'l> {
    fn component<'f>(&mut self, component: &ComponentFacts, scope: Scope<'f>, depth: usize)
    where
        'l: 'f,
    {
        for (name, text) in &component.declared_emits {
            match name.strip_prefix(ComponentFacts::SPREAD) {
                // What a call gives has no name.
                Some(made) if made.contains(['<', '(']) => {
                    self.lost.push(UnresolvedType::whole(made.to_owned(), None));
                }
                Some(constant) => self.held(&TypeShape::Query(constant.to_owned()), scope, depth),
                None => self.event(name, text, scope),
            }
        }
    }

    /// One whose name another file may have.
    fn event<'f>(&mut self, name: &str, text: &str, scope: Scope<'f>)
    where
        'l: 'f,
    {
        let name = if name.contains("${") { known(name, scope, self.resolver) } else { name.to_owned() };
        match name.strip_prefix("${").and_then(|name| name.strip_suffix('}')) {
            Some(lost) => self.lost.push(UnresolvedType::whole(format!("typeof {lost}"), None)),
            None => self.events.push((name, text.to_owned())),
        }
    }

    fn held<'f>(&mut self, shape: &TypeShape, scope: Scope<'f>, depth: usize)
    where
        'l: 'f,
    {
        match shape {
            _ if depth > MOST_ALIASES => {}
            TypeShape::Object(members) => {
                for one in members {
                    self.event(&one.name, &one.text, scope);
                }
            }
            TypeShape::Intersection(parts) => {
                for part in parts {
                    self.held(part, scope, depth + 1);
                }
            }
            TypeShape::Query(name) => {
                let from = match self.resolver.component_name(scope, name) {
                    Found::Declared(file, declaration) => match &declaration.detail {
                        DeclarationDetail::Value(shape) => return self.held(shape, file, depth + 1),
                        DeclarationDetail::Component(base) => {
                            if self.seen.insert((file.entry.to_owned(), declaration.name.clone())) {
                                self.component(base, file, depth + 1);
                            }
                            return;
                        }
                        _ => None,
                    },
                    Found::Outside(from) => Some(from),
                    Found::Unknown => None,
                };
                self.lost.push(UnresolvedType::whole(shape.text(), from));
            }
            other => self.lost.push(UnresolvedType::whole(other.text(), None)),
        }
    }
}

fn own<'l>(
    component: &ComponentFacts,
    variants: &[Vec<Member>],
    called_elsewhere: &BTreeSet<String>,
    scope: Scope<'l>,
    resolver: &Resolver<'l>,
) -> Vec<String> {
    let is_taken_apart = |name: &str| component.destructured.iter().any(|(taken, _)| taken == name);
    let mut names: Vec<String> =
        declared(component, scope, resolver).0.into_iter().map(|(name, _)| name).collect();
    // Many props are of few types.
    let mut known: FxHashMap<&str, bool> = FxHashMap::default();
    for member in variants.iter().flatten() {
        let used = component.used_callbacks.contains(&member.name)
            || (component.spreads_rest && !is_taken_apart(&member.name));
        let mut is_called = || {
            let text = member.text.as_str();
            let known = known.entry(text);
            says_callback(member) || *known.or_insert_with(|| is_of_functions(text, scope, resolver))
        };
        if used && (called_elsewhere.contains(&member.name) || is_called()) {
            names.push(member.name.clone());
        }
    }
    names
}

/// Whether the type of a member, as it is written in `scope`, is one of functions.
pub(super) fn is_callback<'f, 'l: 'f>(member: &Member, scope: Scope<'f>, resolver: &Resolver<'l>) -> bool {
    says_callback(member) || is_of_functions(&member.text, scope, resolver)
}

fn is_of_functions<'f, 'l: 'f>(text: &str, scope: Scope<'f>, resolver: &Resolver<'l>) -> bool {
    let mut parts = union_parts(text).into_iter();
    parts.any(|part| is_function(part) || names_function(part, scope, resolver))
}

/// A method; or a name that says so, which counts where no type does.
fn says_callback(member: &Member) -> bool {
    let is_unknown = || {
        member.text == super::prop_type::UNANNOTATED || member.text.ends_with("']") || member.text == "any"
    };
    member.kind == MemberKind::Method
        || member.name.strip_prefix("on").is_some_and(|rest| rest.starts_with(char::is_uppercase))
            && is_unknown()
}

fn names_function<'f, 'l: 'f>(part: &str, scope: Scope<'f>, resolver: &Resolver<'l>) -> bool {
    let end = memchr(b'<', part.as_bytes()).unwrap_or(part.len());
    let name = &part[..end];
    if matches!(name, "string" | "number" | "boolean" | "undefined" | "null" | "any" | "unknown") {
        return false;
    }
    let last = divided::after_last(name, b'.');
    if matches!(last, "Function" | "VoidFunction" | "Dispatch")
        || last.ends_with("EventHandler")
        || last.ends_with("Callback")
    {
        return true;
    }
    match stands_for_function(name, scope, resolver, 0) {
        Some(known) => known,
        None => last.ends_with("Handler") || last.ends_with("Listener"),
    }
}

/// `None` for a type that cannot be looked at.
fn stands_for_function<'f, 'l: 'f>(
    name: &str,
    scope: Scope<'f>,
    resolver: &Resolver<'l>,
    aliases: usize,
) -> Option<bool> {
    let Found::Declared(file, declaration) = resolver.type_name(scope, name) else { return None };
    let DeclarationDetail::Shape { shape, .. } = &declaration.detail else { return Some(false) };
    let mut parts = match shape {
        TypeShape::Union(parts) => parts.iter(),
        one => std::slice::from_ref(one).iter(),
    };
    Some(parts.any(|part| match part {
        TypeShape::Text(text) => is_function(text),
        TypeShape::Object(members) => members.iter().any(|member| member.kind == MemberKind::Call),
        // A function from props to an element.
        TypeShape::Generic { .. } => true,
        TypeShape::Reference { name, .. } if aliases < MOST_ALIASES => {
            name == "FC" || stands_for_function(name, file, resolver, aliases + 1).unwrap_or(false)
        }
        _ => false,
    }))
}
