//! Which props a component takes: its declared type, expanded into members, one list per variant.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::keys::{Keys, nothing_to_pick_from};
use super::prop_type::UNANNOTATED;
use super::scope::{Found, Resolver, Scope};
use crate::model::{
    COMPONENT_TYPES, ComponentFacts, DeclarationDetail, Member, MemberKind, TypeShape, UnresolvedType,
};

/// More variants than this are shown as one, with what is not in all of them optional.
const MOST_VARIANTS: usize = 16;
const DEEPEST: usize = 32;
const MOST_TYPES: usize = 20_000;

pub(super) type Variants = Vec<Vec<Member>>;

pub(super) struct Expander<'l> {
    pub(super) resolver: &'l Resolver<'l>,
    pub(super) unresolved: BTreeSet<UnresolvedType>,
    pub(super) depth: usize,
    /// Types that may still be looked at: those that name each other again and again must end, too.
    fuel: Rc<Cell<usize>>,
}

/// What type parameters stand for.
pub(super) type Arguments<'f> = Rc<BTreeMap<String, Bound<'f>>>;

/// A type with everything that is needed to read it: it may name parameters of the place where it was written.
#[derive(Clone)]
pub(super) struct Bound<'f> {
    pub(super) shape: TypeShape,
    pub(super) scope: Scope<'f>,
    pub(super) arguments: Arguments<'f>,
}

impl<'l> Expander<'l> {
    pub(super) fn new(resolver: &'l Resolver<'l>) -> Self {
        Self { resolver, unresolved: BTreeSet::new(), depth: 0, fuel: Rc::new(Cell::new(MOST_TYPES)) }
    }

    /// For a type of which only the members matter, one level further down.
    pub(super) fn beside(&self) -> Self {
        Self { depth: self.depth + 1, fuel: Rc::clone(&self.fuel), ..Self::new(self.resolver) }
    }

    /// Whether one more type may be looked at.
    pub(super) fn goes_on(&self) -> bool {
        let left = self.fuel.get();
        self.fuel.set(left.saturating_sub(1));
        self.depth <= DEEPEST && left > 0
    }

    /// The props of a component. What its pattern takes apart is known by name even where the type is not.
    pub(super) fn component<'f>(&mut self, component: &ComponentFacts, scope: Scope<'f>) -> Variants
    where
        'l: 'f,
    {
        let before = self.unresolved.clone();
        let mut variants = match &component.props {
            Some(shape) => self.expand(shape, scope),
            None => vec![Vec::new()],
        };
        let new: Vec<&UnresolvedType> = self.unresolved.difference(&before).collect();
        if component.props.is_some() && new.is_empty() {
            return variants;
        }
        let known: BTreeSet<String> = variants.iter().flatten().map(|member| member.name.clone()).collect();
        for (name, default) in &component.destructured {
            if known.contains(name) {
                continue;
            }
            let text = match new.as_slice() {
                [only] => format!("{}['{name}']", only.name),
                _ => UNANNOTATED.to_owned(),
            };
            for variant in &mut variants {
                variant.push(plain(name.clone(), text.clone(), default.is_some()));
            }
        }
        variants
    }

    pub(super) fn expand<'f>(&mut self, shape: &TypeShape, scope: Scope<'f>) -> Variants
    where
        'l: 'f,
    {
        self.within(shape, scope, &Arguments::default())
    }

    pub(super) fn within<'f>(
        &mut self,
        shape: &TypeShape,
        scope: Scope<'f>,
        arguments: &Arguments<'f>,
    ) -> Variants
    where
        'l: 'f,
    {
        if !self.goes_on() {
            self.give_up(shape, None);
            return vec![Vec::new()];
        }
        self.depth += 1;
        let variants = self.one(shape, scope, arguments);
        self.depth -= 1;
        if variants.len() > MOST_VARIANTS { vec![merged(&variants)] } else { variants }
    }

    fn one<'f>(&mut self, shape: &TypeShape, scope: Scope<'f>, arguments: &Arguments<'f>) -> Variants
    where
        'l: 'f,
    {
        match shape {
            TypeShape::Object(members) => {
                vec![members.iter().map(|member| substitute(member, arguments)).collect()]
            }
            TypeShape::Intersection(parts) => {
                let mut variants = vec![Vec::new()];
                for part in parts {
                    let more = self.within(part, scope, arguments);
                    variants = combine(&variants, &more);
                }
                variants
            }
            TypeShape::Union(parts) => {
                let empty = |part: &&TypeShape| !matches!(part, TypeShape::Text(text) if is_nothing(text));
                let parts: Vec<&TypeShape> = parts.iter().filter(empty).collect();
                parts.into_iter().flat_map(|part| self.within(part, scope, arguments)).collect()
            }
            TypeShape::Reference { name, arguments: given } => self.reference(name, given, scope, arguments),
            TypeShape::Mapped(mapped) => match self.mapped(mapped, scope, arguments) {
                Some(variants) => variants,
                None => self.unknown(mapped.text.clone(), None),
            },
            TypeShape::Query(name) => match self.resolver.component_name(scope, name) {
                Found::Declared(file, declaration) => match &declaration.detail {
                    DeclarationDetail::Component(component) => self.component(component, file),
                    _ => self.unknown(format!("typeof {name}"), None),
                },
                Found::Outside(from) => self.unknown(format!("typeof {name}"), Some(from)),
                Found::Unknown => self.unknown(format!("typeof {name}"), None),
            },
            TypeShape::Text(text) if is_nothing(text) => vec![Vec::new()],
            TypeShape::Literal(_) | TypeShape::Text(_) => {
                self.give_up(shape, None);
                vec![Vec::new()]
            }
        }
    }

    fn reference<'f>(
        &mut self,
        name: &str,
        given: &[TypeShape],
        scope: Scope<'f>,
        arguments: &Arguments<'f>,
    ) -> Variants
    where
        'l: 'f,
    {
        if let Some(bound) = arguments.get(name) {
            return self.within(&bound.shape, bound.scope, &bound.arguments);
        }
        match self.resolver.type_name(scope, name) {
            Found::Declared(file, declaration) => {
                if let DeclarationDetail::Shape { parameters, shape } = &declaration.detail {
                    // A conditional type and its like have members only for a compiler: it is named.
                    if matches!(shape, TypeShape::Text(text) if !is_nothing(text)) {
                        return self.unknown(text(name, given), None);
                    }
                    let bound = parameters.iter().zip(given).map(|(parameter, argument)| {
                        let bound = Bound { shape: argument.clone(), scope, arguments: Rc::clone(arguments) };
                        (parameter.clone(), bound)
                    });
                    return self.within(shape, file, &Rc::new(bound.collect()));
                }
                self.unknown(text(name, given), None)
            }
            Found::Outside(from) => match self.known_type(name, given, scope, arguments) {
                Some(variants) => variants,
                None => self.unknown(text(name, given), Some(from)),
            },
            Found::Unknown => match self.known_type(name, given, scope, arguments) {
                Some(variants) => variants,
                None => self.unknown(text(name, given), None),
            },
        }
    }

    /// Types of TypeScript and React whose meaning is fixed.
    fn known_type<'f>(
        &mut self,
        name: &str,
        given: &[TypeShape],
        scope: Scope<'f>,
        arguments: &Arguments<'f>,
    ) -> Option<Variants>
    where
        'l: 'f,
    {
        let first = given.first();
        let last = name.rsplit('.').next().unwrap_or_default();
        let each = |expander: &mut Self, change: &dyn Fn(Member) -> Option<Member>| -> Option<Variants> {
            let variants = expander.within(first?, scope, arguments);
            Some(
                variants
                    .into_iter()
                    .map(|variant| variant.into_iter().filter_map(change).collect())
                    .collect(),
            )
        };
        match last {
            TypeShape::CAST => {
                let said = self.component_type(first?, scope, arguments);
                said.or_else(|| Some(self.within(given.get(1)?, scope, arguments)))
            }
            "Partial" => each(self, &|member| Some(Member { optional: true, ..member })),
            "Required" => each(self, &|member| Some(Member { optional: false, ..member })),
            "Readonly" | "NonNullable" | "Simplify" | "Prettify" | "NoInfer" => each(self, &Some),
            "Pick" | "Omit" => {
                let keys = self.keys(given.get(1)?, first?, scope, arguments)?;
                let wanted = last == "Pick";
                each(self, &|member| (keys.have(&member.name) == wanted).then_some(member))
            }
            "Record" => {
                let (value, _) = written(given.get(1)?, scope, arguments);
                let Keys::Only(keys) = self.keys(first?, &nothing_to_pick_from(), scope, arguments)? else {
                    return None;
                };
                Some(vec![keys.into_iter().map(|key| plain(key, value.text(), false)).collect()])
            }
            "PropsWithChildren" => {
                let children = plain("children".to_owned(), "ReactNode".to_owned(), true);
                let own = match first {
                    Some(_) => each(self, &Some)?,
                    None => vec![Vec::new()],
                };
                Some(combine(&[vec![children]], &own))
            }
            "PropsWithRef" => each(self, &Some),
            "PropsWithoutRef" => each(self, &without_ref),
            "RefAttributes" | "Attributes" | "ClassAttributes" => Some(vec![Vec::new()]),
            "ComponentProps" | "ComponentPropsWithoutRef" | "ComponentPropsWithRef" => {
                let (component, its_scope) = written(first?, scope, arguments);
                let variants = match component {
                    TypeShape::Query(name) => match self.resolver.component_name(its_scope, name) {
                        Found::Declared(..) => each(self, &Some),
                        _ => None,
                    },
                    _ => self.component_type(first?, scope, arguments),
                }?;
                if last != "ComponentPropsWithoutRef" {
                    return Some(variants);
                }
                let less = |variant: Vec<Member>| variant.into_iter().filter_map(without_ref).collect();
                Some(variants.into_iter().map(less).collect())
            }
            _ => None,
        }
    }

    /// The props of a type that components have: `FC<Props>`, or an alias of it.
    fn component_type<'f>(
        &mut self,
        shape: &TypeShape,
        scope: Scope<'f>,
        arguments: &Arguments<'f>,
    ) -> Option<Variants>
    where
        'l: 'f,
    {
        let TypeShape::Reference { name, arguments: given } = shape else { return None };
        if let Some(bound) = arguments.get(name) {
            return self.component_type(&bound.shape, bound.scope, &bound.arguments);
        }
        if let Found::Declared(file, declaration) = self.resolver.type_name(scope, name) {
            let DeclarationDetail::Shape { parameters, shape } = &declaration.detail else { return None };
            let bound = parameters.iter().zip(given).map(|(parameter, argument)| {
                let bound = Bound { shape: argument.clone(), scope, arguments: Rc::clone(arguments) };
                (parameter.clone(), bound)
            });
            self.depth += 1;
            let found =
                self.goes_on().then(|| self.component_type(shape, file, &Rc::new(bound.collect()))).flatten();
            self.depth -= 1;
            return found;
        }
        let last = name.rsplit('.').next().unwrap_or_default();
        let props = given.first().filter(|_| COMPONENT_TYPES.contains(&last))?;
        Some(self.within(props, scope, arguments))
    }

    fn give_up(&mut self, shape: &TypeShape, from: Option<String>) {
        self.unresolved.insert(UnresolvedType { name: shape.text(), from });
    }

    fn unknown(&mut self, name: String, from: Option<String>) -> Variants {
        self.unresolved.insert(UnresolvedType { name, from });
        vec![Vec::new()]
    }
}

pub(super) fn plain(name: String, text: String, optional: bool) -> Member {
    Member { name, kind: MemberKind::Property, text, optional, doc: None }
}

fn without_ref(member: Member) -> Option<Member> {
    (member.name != "ref").then_some(member)
}

/// All variants as one: what is missing in some is optional.
pub(super) fn merged(variants: &[Vec<Member>]) -> Vec<Member> {
    let mut all: Vec<Member> = Vec::new();
    for member in variants.iter().flatten() {
        match all.iter_mut().find(|known| known.name == member.name) {
            Some(known) => {
                known.optional |= member.optional;
                if !known.text.split(" | ").any(|part| part == member.text) && known.text != member.text {
                    known.text = format!("{} | {}", known.text, member.text);
                }
            }
            None => all.push(member.clone()),
        }
    }
    for member in &mut all {
        member.optional |= !variants.iter().all(|variant| variant.iter().any(|one| one.name == member.name));
    }
    all
}

/// Every variant of the one with every variant of the other; the later one overrules.
fn combine(left: &[Vec<Member>], right: &[Vec<Member>]) -> Variants {
    let mut variants = Vec::new();
    for first in left {
        for second in right {
            let mut both: Vec<Member> = first
                .iter()
                .filter(|member| !second.iter().any(|other| other.name == member.name))
                .cloned()
                .collect();
            both.extend(second.iter().cloned());
            variants.push(both);
        }
    }
    if variants.len() > MOST_VARIANTS { vec![merged(&variants)] } else { variants }
}

/// What a parameter stands for, through as many parameters as there are in between.
fn written<'s, 'f>(
    shape: &'s TypeShape,
    scope: Scope<'f>,
    arguments: &'s Arguments<'f>,
) -> (&'s TypeShape, Scope<'f>) {
    match shape {
        TypeShape::Reference { name, arguments: none } if none.is_empty() => match arguments.get(name) {
            Some(bound) => written(&bound.shape, bound.scope, &bound.arguments),
            None => (shape, scope),
        },
        _ => (shape, scope),
    }
}

fn substitute(member: &Member, arguments: &Arguments<'_>) -> Member {
    match arguments.get(&member.text) {
        Some(bound) => Member { text: bound.shape.text(), ..member.clone() },
        None => member.clone(),
    }
}

fn is_nothing(text: &str) -> bool {
    matches!(text, "undefined" | "null" | "never" | "any" | "unknown" | "object" | "{}" | "void")
}

fn text(name: &str, given: &[TypeShape]) -> String {
    TypeShape::Reference { name: name.to_owned(), arguments: given.to_vec() }.text()
}
