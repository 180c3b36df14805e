//! Which props a component takes: its declared type, expanded into members, one list per variant.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use becket_base::divided;
use rustc_hash::{FxHashMap, FxHashSet};

use super::emits;
use super::filled::{filled, is_of_others};
use super::prop_type::{UNANNOTATED, is_function, union_parts};
use super::scope::{Found, Resolver, Scope};
use crate::model::{
    ComponentFacts, Declaration, DeclarationDetail, DeclarationKind, Member, MemberKind, TypeParameter,
    TypeShape, UnresolvedType, is_react, is_react_class,
};

/// More variants than this are shown as one, with what is not in all of them optional.
const MOST_VARIANTS: usize = 16;
const DEEPEST: usize = 32;
const MOST_TYPES: usize = 20_000;

pub(super) type Variants = Vec<Vec<Member>>;

pub(super) struct Expander<'l> {
    pub(super) resolver: &'l Resolver<'l>,
    pub(super) unresolved: BTreeSet<UnresolvedType>,
    /// The names of those of which nothing has to be given: `Partial<Package>`.
    pub(super) partial: BTreeSet<String>,
    pub(super) depth: usize,
    /// Members of other files that are functions: their types may have names that mean something only there.
    pub(super) callbacks: BTreeSet<String>,
    /// The props that a component calls or passes on by name, and the file that it stands in.
    used: Option<(BTreeSet<String>, String)>,
    /// A type that picks members is asked for each member of a union, and not for the union.
    pub(super) distributes: bool,
    /// Whether something is a component is all that is asked, and not which props it has.
    pub(super) only_whether: bool,
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
    /// Nobody gives a type for the parameter: this is the most that it can be, and in texts it is known by its name.
    pub(super) is_free: bool,
}

impl<'f> Bound<'f> {
    pub(super) fn new(shape: TypeShape, scope: Scope<'f>, arguments: &Arguments<'f>) -> Self {
        Self { shape, scope, arguments: Rc::clone(arguments), is_free: false }
    }
}

/// Where a type is written, and what parameters stand for there.
pub(super) struct Place<'f> {
    pub(super) scope: Scope<'f>,
    pub(super) arguments: Arguments<'f>,
}

impl<'l> Expander<'l> {
    pub(super) fn new(resolver: &'l Resolver<'l>) -> Self {
        Self {
            resolver,
            unresolved: BTreeSet::new(),
            partial: BTreeSet::new(),
            depth: 0,
            callbacks: BTreeSet::new(),
            used: None,
            distributes: false,
            only_whether: false,
            fuel: Rc::new(Cell::new(MOST_TYPES)),
        }
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
        if self.used.is_none() {
            let names = component.used_callbacks.iter().cloned().collect();
            self.used = Some((names, scope.entry.to_owned()));
        }
        self.component_of(component, scope, &[], &Place { scope, arguments: Arguments::default() })
    }

    /// As [`Expander::component`], of a generic one with the types that are given for its parameters.
    pub(super) fn component_of<'f>(
        &mut self,
        component: &ComponentFacts,
        scope: Scope<'f>,
        given: &[TypeShape],
        at: &Place<'f>,
    ) -> Variants
    where
        'l: 'f,
    {
        let before = self.unresolved.clone();
        let mut variants = match &component.props {
            Some(TypeShape::Generic { parameters, shape }) => {
                let bound = match given {
                    [] => unbound(parameters, scope, &Arguments::default()),
                    given => bind(parameters, |index| given.get(index), at, scope),
                };
                self.within(shape, scope, &bound)
            }
            Some(shape) => self.expand(shape, scope),
            None => vec![Vec::new()],
        };
        for member in variants.iter_mut().flatten() {
            member.optional |= component.given.contains(&member.name);
        }
        let new: Vec<&UnresolvedType> = self.unresolved.difference(&before).collect();
        let is_optional = |one: &&UnresolvedType| is_of_element(one) || self.partial.contains(&one.name);
        if component.props.is_some() && new.is_empty() {
            return variants;
        }
        let known: FxHashSet<&str> = variants.iter().flatten().map(|member| member.name.as_str()).collect();
        let is_missing = |(name, _): &&(String, _)| !known.contains(name.as_str());
        let missing: Vec<_> = component.destructured.iter().filter(is_missing).collect();
        for (name, default) in missing {
            // Whether such a type asks for it is told by its name, or not at all.
            let (text, is_optional) = match UnresolvedType::whole_of(new.iter().copied()) {
                Some(whole) => (
                    format!("{whole}['{name}']"),
                    new.iter().all(|one| is_optional(one) || is_of_component(one) && is_of_every(name)),
                ),
                None => (UNANNOTATED.to_owned(), false),
            };
            let optional = is_optional || default.is_some();
            for variant in &mut variants {
                variant.push(plain(name.clone(), text.clone(), optional));
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
        if variants.len() > MOST_VARIANTS { vec![merged(&variants).into_owned()] } else { variants }
    }

    fn one<'f>(&mut self, shape: &TypeShape, scope: Scope<'f>, arguments: &Arguments<'f>) -> Variants
    where
        'l: 'f,
    {
        match shape {
            TypeShape::Object(members) => {
                self.note_callbacks(members, scope, arguments);
                vec![members.iter().map(|member| self.told(member, scope, arguments)).collect()]
            }
            TypeShape::Intersection(parts) => {
                let mut variants = vec![Vec::new()];
                for part in parts {
                    let more = self.within(part, scope, arguments);
                    variants = combine(variants, more);
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
                None => self.unknown(filled(&mapped.text, arguments).into_owned(), None),
            },
            TypeShape::Generic { parameters, shape } => {
                let bound = unbound(parameters, scope, arguments);
                let bound = arguments
                    .iter()
                    .map(|(name, bound)| (name.clone(), bound.clone()))
                    .chain(bound.iter().map(|(name, bound)| (name.clone(), bound.clone())));
                self.within(shape, scope, &Rc::new(bound.collect()))
            }
            TypeShape::Conditional(conditional) => match self.decided(conditional, scope, arguments) {
                // Asked of a parameter, it is asked of each member of a union.
                Some(branch) if matches!(&conditional.check, TypeShape::Reference { name, .. } if arguments.contains_key(name)) => {
                    self.distributed(|expander| expander.within(branch, scope, arguments))
                }
                Some(branch) => self.within(branch, scope, arguments),
                None => match self.one_by_one(conditional, scope, arguments) {
                    Some(variants) => variants,
                    None => self.undecided(conditional, scope, arguments),
                },
            },
            TypeShape::Indexed { of, key } => match self.indexed(of, key, scope, arguments) {
                Some(found) => self.within(&found.shape, found.scope, &found.arguments),
                None => self.unknown(shape.text(), None),
            },
            TypeShape::Call(call) => match self.call(call, scope, arguments) {
                Some(variants) => variants,
                None => self.unknown(shape.text(), None),
            },
            TypeShape::Query(name) => match self.resolver.component_name(scope, name) {
                Found::Declared(file, declaration) => match &declaration.detail {
                    DeclarationDetail::Component(component) => self.component(component, file),
                    DeclarationDetail::Value(members) => self.expand(members, file),
                    _ => self.unknown(format!("typeof {name}"), None),
                },
                Found::Outside(from) => self.unknown(format!("typeof {name}"), Some(from)),
                Found::Unknown => self.unknown(format!("typeof {name}"), None),
            },
            TypeShape::Text(text) if is_nothing(text) => vec![Vec::new()],
            TypeShape::Literal(_) | TypeShape::Text(_) | TypeShape::Parts(_) => {
                self.give_up(shape, None);
                vec![Vec::new()]
            }
        }
    }

    fn note_callbacks<'f>(&mut self, members: &[Member], scope: Scope<'f>, arguments: &Arguments<'f>)
    where
        'l: 'f,
    {
        let Some((used, home)) = &self.used else { return };
        let called = members.iter().filter(|member| used.contains(&member.name));
        let called = called.filter(|member| match arguments.get(&member.text) {
            // Known by its name, it is what it extends.
            Some(bound) if bound.is_free => is_function(&bound.shape.text()),
            _ => home != scope.entry && emits::is_callback(member, scope, self.resolver),
        });
        self.callbacks.extend(called.map(|member| member.name.clone()));
    }

    /// A member as it is seen with these types for the parameters.
    fn told<'f>(&self, member: &Member, scope: Scope<'f>, arguments: &Arguments<'f>) -> Member
    where
        'l: 'f,
    {
        let home = self.used.as_ref().map(|(_, home)| home.as_str());
        if let Cow::Owned(name) = self.key_of(&member.name, scope) {
            return self.told(&Member { name, ..member.clone() }, scope, arguments);
        }
        match filled(&member.text, arguments) {
            Cow::Borrowed(_) => {
                Member { elsewhere: home.is_some_and(|home| home != scope.entry), ..member.clone() }
            }
            Cow::Owned(text) => {
                let elsewhere = home
                    .is_some_and(|home| is_of_others(&member.text, scope, arguments, home, self.resolver));
                Member { text, elsewhere, ..member.clone() }
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
                let at = Place { scope, arguments: Rc::clone(arguments) };
                match &declaration.detail {
                    // A conditional type and its like have members only for a compiler: it is named, unless it is one
                    // of those that everybody writes alike.
                    DeclarationDetail::Shape { parameters, shape } => {
                        let bound = bind(parameters, |index| given.get(index), &at, file);
                        let is_certain = match shape {
                            TypeShape::Text(written) => is_nothing(written),
                            TypeShape::Conditional(one) => {
                                self.decided(one, file, &bound).is_some()
                                    || self.literals(one, file, &bound).is_some()
                                    || self.perhaps(one, file, &bound).is_some()
                            }
                            _ => true,
                        };
                        let known = (!matches!(shape, TypeShape::Object(_) | TypeShape::Intersection(_)))
                            .then(|| self.well_known(name, given, scope, arguments))
                            .flatten();
                        match known {
                            Some(variants) => variants,
                            None if is_certain => {
                                let mut variants = self.within(shape, file, &bound);
                                for (added, by) in self.added(declaration, given, &at, file) {
                                    let more = self.within(added, by.scope, &by.arguments);
                                    variants = combine(variants, more);
                                }
                                variants
                            }
                            None => self.unknown(text(name, given, arguments), None),
                        }
                    }
                    _ if self.is_plain_class(declaration, file) => {
                        match self.instance_of(declaration, file) {
                            Some((parameters, shape)) => {
                                let bound = bind(&parameters, |index| given.get(index), &at, file);
                                self.within(&shape, file, &bound)
                            }
                            None => self.unknown(text(name, given, arguments), None),
                        }
                    }
                    // A class that extends another component.
                    DeclarationDetail::Component(component) => self.component_of(component, file, given, &at),
                    _ => self.unknown(text(name, given, arguments), None),
                }
            }
            // What a class extends that is React's behind another file, or of a package that gives it again.
            Found::Outside(_) if is_react_class(divided::after_last(name, b'.')) => {
                given.first().map_or_else(|| vec![Vec::new()], |props| self.within(props, scope, arguments))
            }
            Found::Outside(from) if animates(name) => {
                let whole = text(name, given, arguments);
                let mut beside = self.beside();
                let own = given.first().map(|props| beside.within(props, scope, arguments));
                let animated = |member: Member| Member {
                    text: format!("{whole}['{}']", member.name),
                    kind: MemberKind::Property,
                    ..member
                };
                let own = own.unwrap_or_else(|| vec![Vec::new()]);
                let own =
                    own.into_iter().map(|variant| variant.into_iter().map(animated).collect()).collect();
                // The package may have more to add.
                self.unknown(whole.clone(), Some(from));
                own
            }
            // `import { PropsWithChildren as Props } from 'react'`
            Found::Outside(from) => match self.known_type(there(name, scope), given, scope, arguments) {
                Some(variants) => variants,
                None => self.unknown(text(name, given, arguments), Some(from)),
            },
            Found::Unknown => match self.known_type(name, given, scope, arguments) {
                Some(variants) => variants,
                None => self.unknown(text(name, given, arguments), None),
            },
        }
    }

    /// What other files add to an interface that is given these types.
    pub(super) fn added<'f>(
        &self,
        declaration: &Declaration,
        given: &[TypeShape],
        at: &Place<'f>,
        file: Scope<'f>,
    ) -> Vec<(&'f TypeShape, Place<'f>)>
    where
        'l: 'f,
    {
        if declaration.kind != DeclarationKind::Interface {
            return Vec::new();
        }
        let added = self.resolver.added(file, &declaration.name).into_iter();
        let bound = added.filter_map(|(by, added)| match &added.detail {
            DeclarationDetail::Shape { parameters, shape } => {
                let arguments = bind(parameters, |index| given.get(index), at, by);
                Some((shape, Place { scope: by, arguments }))
            }
            _ => None,
        });
        bound.collect()
    }

    pub(super) fn give_up(&mut self, shape: &TypeShape, from: Option<String>) {
        self.unresolved.insert(UnresolvedType::whole(shape.text(), from));
    }

    fn unknown(&mut self, name: String, from: Option<String>) -> Variants {
        self.unresolved.insert(UnresolvedType::whole(name, from));
        vec![Vec::new()]
    }
}

/// Whether a type is one of React's for what an element of HTML takes: all of that is optional.
fn is_of_element(one: &UnresolvedType) -> bool {
    let (name, given) = divided::around_first(&one.name, b'<').unwrap_or((&one.name, ""));
    let last = divided::after_last(name, b'.');
    one.from.as_deref().is_none_or(is_react)
        && (last.ends_with("Attributes")
            || matches!(last, "DetailedHTMLProps" | "HTMLProps" | "SVGProps")
            || last.starts_with("ComponentProps") && given.starts_with('\'')
            || last.starts_with("IntrinsicElements['"))
}

/// Whether a type is what a component of a package takes: `ComponentProps<typeof Dialog.Title>`.
fn is_of_component(one: &UnresolvedType) -> bool {
    let (name, given) = divided::around_first(&one.name, b'<').unwrap_or((&one.name, ""));
    let last = divided::after_last(name, b'.');
    last.starts_with("ComponentProps") && given.starts_with(TypeShape::TYPEOF)
}

/// Whether a prop is one that no component asks for.
fn is_of_every(name: &str) -> bool {
    matches!(name, "children" | "className" | "id" | "ref" | "style")
}

/// Whether a type of a package has the members of the one that it is given, each of which may also be animated: the names
/// that React Native, Reanimated and React Spring have for it.
fn animates(name: &str) -> bool {
    let last = divided::after_last(name, b'.');
    matches!(last, "AnimatedProps" | "AnimateProps" | "WithAnimatedObject" | "WithAnimatedValue")
}

/// What the parameters of something in `file` stand for, when it is given types at another place.
pub(super) fn bind<'f, 's>(
    parameters: &[TypeParameter],
    given: impl Fn(usize) -> Option<&'s TypeShape>,
    at: &Place<'f>,
    file: Scope<'f>,
) -> Arguments<'f> {
    let mut bound: BTreeMap<String, Bound<'f>> = BTreeMap::new();
    for (index, parameter) in parameters.iter().enumerate() {
        let one = match (given(index), parameter.default.as_ref().or(parameter.constraint.as_ref())) {
            (Some(given), _) => Bound::new(given.clone(), at.scope, &at.arguments),
            (None, Some(otherwise)) => Bound::new(otherwise.clone(), file, &Rc::new(bound.clone())),
            (None, None) => continue,
        };
        bound.insert(parameter.name.clone(), one);
    }
    Rc::new(bound)
}

/// Parameters that nobody gives a type for are what they extend, and go by their names.
pub(super) fn unbound<'f>(
    parameters: &[TypeParameter],
    file: Scope<'f>,
    around: &Arguments<'f>,
) -> Arguments<'f> {
    let each = parameters.iter().filter_map(|parameter| {
        let shape = parameter.constraint.clone().or_else(|| parameter.default.clone())?;
        Some((parameter.name.clone(), Bound { is_free: true, ..Bound::new(shape, file, around) }))
    });
    Rc::new(each.collect())
}

pub(super) fn plain(name: String, text: String, optional: bool) -> Member {
    Member { name, kind: MemberKind::Property, text, optional, doc: None, elsewhere: false }
}

pub(super) fn without_ref(member: Member) -> Option<Member> {
    (member.name != "ref").then_some(member)
}

/// The members that all variants have.
pub(super) fn common(mut variants: Variants) -> Vec<Member> {
    let Some((first, others)) = variants.split_first_mut() else { return Vec::new() };
    let mut all = std::mem::take(first);
    for other in others {
        all.retain_mut(|member| {
            let Some(same) = other.iter().find(|one| one.name == member.name) else { return false };
            member.optional |= same.optional;
            member.elsewhere |= same.elsewhere;
            widen(member, same);
            true
        });
    }
    all
}

/// Takes in the type that a member has in another variant.
fn widen(member: &mut Member, same: &Member) {
    if !union_parts(&member.text).contains(&same.text.as_str()) {
        let part = |text: &str| if is_function(text) { format!("({text})") } else { text.to_owned() };
        member.text = format!("{} | {}", part(&member.text), part(&same.text));
        member.kind = MemberKind::Property;
    }
}

/// All variants as one: what is missing in some is optional.
pub(super) fn merged(variants: &[Vec<Member>]) -> Cow<'_, [Member]> {
    struct Seen {
        last: usize,
        variants: usize,
    }
    if let [only] = variants {
        let names: FxHashSet<&str> = only.iter().map(|member| member.name.as_str()).collect();
        if names.len() == only.len() {
            return only.into();
        }
    }
    let mut all: Vec<(Member, Seen)> = Vec::new();
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    for (at, variant) in variants.iter().enumerate() {
        for member in variant {
            let place = *places.entry(&member.name).or_insert(all.len());
            match all.get_mut(place) {
                Some((same, seen)) => {
                    same.optional |= member.optional;
                    widen(same, member);
                    seen.variants += usize::from(seen.last != at);
                    seen.last = at;
                }
                None => all.push((member.clone(), Seen { last: at, variants: 1 })),
            }
        }
    }
    let is_missing = |seen: &Seen| seen.variants < variants.len();
    let whole = all
        .into_iter()
        .map(|(member, seen)| Member { optional: member.optional || is_missing(&seen), ..member });
    Cow::Owned(whole.collect())
}

/// Every variant of the one with every variant of the other; the later one overrules.
pub(super) fn combine(mut left: Variants, mut right: Variants) -> Variants {
    if let ([first], [second]) = (&mut left[..], &mut right[..]) {
        overrule(first, std::mem::take(second));
        return left;
    }
    let mut variants = Vec::with_capacity(left.len() * right.len());
    for first in &left {
        for second in &right {
            let mut both = first.clone();
            overrule(&mut both, second.clone());
            variants.push(both);
        }
    }
    if variants.len() > MOST_VARIANTS { vec![merged(&variants).into_owned()] } else { variants }
}

fn overrule(members: &mut Vec<Member>, later: Vec<Member>) {
    if members.is_empty() {
        *members = later;
        return;
    }
    let names: FxHashSet<&str> = later.iter().map(|member| member.name.as_str()).collect();
    members.retain(|member| !names.contains(member.name.as_str()));
    members.extend(later);
}

/// What a parameter stands for, through as many parameters as there are in between.
pub(super) fn written<'s, 'f>(
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

pub(super) fn is_nothing(text: &str) -> bool {
    matches!(text, "undefined" | "null" | "never" | "any" | "unknown" | "object" | "{}" | "void")
}

fn text(name: &str, given: &[TypeShape], arguments: &Arguments<'_>) -> String {
    filled(&TypeShape::named(name, given), arguments).into_owned()
}

/// What the module calls it that a name is imported from.
fn there<'f>(name: &'f str, scope: Scope<'f>) -> &'f str {
    let bound = scope.facts.imports.iter().flat_map(|import| &import.names).find(|one| one.local == name);
    let bound = bound.map(|one| one.imported.as_str());
    bound.filter(|imported| !matches!(*imported, "*" | "default")).unwrap_or(name)
}
