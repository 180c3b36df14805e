//! Types that components have, and values that are of such a type: whether something is a component, and its props.

use std::rc::Rc;

use becket_base::divided;

use super::filled::filled;
use super::props::{Arguments, Expander, Place, Variants, bind, plain, unbound};
use super::scope::{Found, Scope};
use crate::model::{
    COMPONENT_TYPES, CallShape, ComponentForm, Declaration, DeclarationDetail, DeclarationKind, Kind, Member,
    NATIVE_COMPONENTS, TypeParameter, TypeShape, is_react, is_react_class, is_vue_file,
};

impl<'l> Expander<'l> {
    /// A constant that stands for another value (`const Card = Plain`, `wrap(Plain)`) or is declared to be of a type is
    /// a component when that one is, and a class when its parent is.
    pub(super) fn is_component<'f>(&mut self, declaration: &Declaration, scope: Scope<'f>) -> bool
    where
        'l: 'f,
    {
        let DeclarationDetail::Component(component) = &declaration.detail else { return false };
        if declaration.kind == DeclarationKind::Component {
            return true;
        }
        // The options of a component are what one is made of.
        let Some(shape) = component.props.as_ref().filter(|_| component.form != ComponentForm::Vue) else {
            return false;
        };
        let before = std::mem::replace(&mut self.only_whether, true);
        let is_component = self.deeper(|expander| {
            if declaration.kind == DeclarationKind::Class {
                Some(expander.extends_component(shape, scope))
            } else {
                Some(expander.stands_for_component(shape, scope))
            }
        });
        self.only_whether = before;
        is_component.unwrap_or(false)
    }

    fn extends_component<'f>(&mut self, parent: &TypeShape, scope: Scope<'f>) -> bool
    where
        'l: 'f,
    {
        let name = match parent {
            TypeShape::Generic { shape, .. } => return self.extends_component(shape, scope),
            TypeShape::Reference { name, .. } => name,
            _ => return false,
        };
        match self.resolver.component_name(scope, name) {
            Found::Declared(file, declaration) => self.is_component(declaration, file),
            // Of another package it is one if it looks so: several give React's own under their name.
            Found::Outside(from) => {
                let last = divided::after_last(name, b'.');
                is_react(&from) || is_react_class(last) && scope.facts.kind == Kind::ReactComponent
            }
            Found::Unknown => false,
        }
    }

    fn stands_for_component<'f>(&mut self, shape: &TypeShape, scope: Scope<'f>) -> bool
    where
        'l: 'f,
    {
        match shape {
            TypeShape::Reference { name, arguments } if name == TypeShape::CAST => {
                arguments.iter().any(|argument| self.stands_for_component(argument, scope))
            }
            TypeShape::Query(name) => match self.resolver.component_name(scope, name) {
                Found::Declared(file, declaration) => self.is_component(declaration, file),
                // What is rendered is a component, wherever it comes from.
                Found::Outside(from) => {
                    if let Some((file, name)) = self.resolver.member(scope, name) {
                        let named = TypeShape::Query(name.to_owned());
                        return self
                            .deeper(|expander| Some(expander.stands_for_component(&named, file)))
                            .unwrap_or(false);
                    }
                    scope.facts.components.contains(name)
                        || is_vue_file(&from)
                        || is_native(name, &from, scope)
                        || name.ends_with("Provider")
                        || is_beside_components(name, &from, scope)
                }
                Found::Unknown => false,
            },
            other => self.component_type(other, scope, &Arguments::default()).is_some(),
        }
    }

    /// The props of a type that components have: `FC<Props>`, a function from props to an element, or an alias of one.
    pub(super) fn component_type<'f>(
        &mut self,
        shape: &TypeShape,
        scope: Scope<'f>,
        arguments: &Arguments<'f>,
    ) -> Option<Variants>
    where
        'l: 'f,
    {
        self.deeper(|expander| expander.component_type_of(shape, scope, arguments))
    }

    fn component_type_of<'f>(
        &mut self,
        shape: &TypeShape,
        scope: Scope<'f>,
        arguments: &Arguments<'f>,
    ) -> Option<Variants>
    where
        'l: 'f,
    {
        match shape {
            // `FC<Props> & { Item: … }`; of several overloads each is a variant.
            TypeShape::Intersection(parts) | TypeShape::Union(parts) => {
                let each = parts.iter().filter_map(|part| self.component_type(part, scope, arguments));
                let mut variants: Variants = Vec::new();
                distinct(&mut variants, each.flatten());
                (!variants.is_empty()).then_some(variants)
            }
            TypeShape::Generic { parameters, shape } => {
                let own = unbound(parameters, scope, arguments);
                let all = arguments.iter().chain(own.iter());
                let all = all.map(|(name, bound)| (name.clone(), bound.clone())).collect();
                self.component_type(shape, scope, &Rc::new(all))
            }
            TypeShape::Call(call) => self.call(call, scope, arguments),
            // One of the values that a call gives: `const [Provider, useStore] = create()`.
            TypeShape::Indexed { of, key } if matches!(**of, TypeShape::Call(_)) => {
                let (part, at) = self.part(of, key, scope, arguments)?;
                self.component_type(part, at.scope, &at.arguments)
            }
            TypeShape::Indexed { of, key } => {
                let found = self.indexed(of, key, scope, arguments)?;
                self.component_type(&found.shape, found.scope, &found.arguments)
            }
            TypeShape::Query(name) => match self.resolver.component_name(scope, name) {
                Found::Declared(file, declaration) if self.is_component(declaration, file) => {
                    match &declaration.detail {
                        DeclarationDetail::Component(_) if self.only_whether => Some(vec![Vec::new()]),
                        DeclarationDetail::Component(component) => Some(self.component(component, file)),
                        _ => None,
                    }
                }
                _ => None,
            },
            TypeShape::Reference { name, arguments: given } => {
                self.component_name(name, given, scope, arguments)
            }
            _ => None,
        }
    }

    fn component_name<'f>(
        &mut self,
        name: &str,
        given: &[TypeShape],
        scope: Scope<'f>,
        arguments: &Arguments<'f>,
    ) -> Option<Variants>
    where
        'l: 'f,
    {
        if let Some(bound) = arguments.get(name) {
            return self.component_type(&bound.shape, bound.scope, &bound.arguments);
        }
        if name == TypeShape::CAST {
            return given.iter().find_map(|one| self.component_type(one, scope, arguments));
        }
        if let Found::Declared(file, declaration) = self.resolver.type_name(scope, name) {
            let DeclarationDetail::Shape { parameters, shape } = &declaration.detail else { return None };
            let at = Place { scope, arguments: Rc::clone(arguments) };
            let own = bind(parameters, |index| given.get(index), &at, file);
            let mut variants = self.component_type(shape, file, &own)?;
            // Further ways to call it, said elsewhere.
            for (added, by) in self.added(declaration, given, &at, file) {
                let more = self.component_type(added, by.scope, &by.arguments);
                distinct(&mut variants, more.into_iter().flatten());
            }
            return Some(variants);
        }
        let last = divided::after_last(name, b'.');
        if matches!(last, "Readonly" | "NonNullable") {
            return self.component_type(given.first()?, scope, arguments);
        }
        // What is given to it are not its props, but the value that it gives on.
        if last == "Provider" && self.is_of_react(name, scope) {
            let value = given.first().map(|value| filled(&value.text(), arguments).into_owned());
            let value = value.unwrap_or_else(|| "any".to_owned());
            let children = plain("children".to_owned(), "ReactNode".to_owned(), true);
            return Some(vec![vec![plain("value".to_owned(), value, false), children]]);
        }
        if !COMPONENT_TYPES.contains(&last) {
            return None;
        }
        let at = usize::from(last == "ForwardRefRenderFunction");
        let Some(props) = given.get(at) else { return given.is_empty().then(|| vec![Vec::new()]) };
        if self.only_whether {
            return Some(vec![Vec::new()]);
        }
        // `MemoExoticComponent<typeof Card>` names the component itself.
        let is_of_component = matches!(last, "MemoExoticComponent" | "LazyExoticComponent");
        let of_component = is_of_component.then(|| self.component_type(props, scope, arguments)).flatten();
        of_component.or_else(|| Some(self.within(props, scope, arguments)))
    }

    /// Whether a type is one of React's, by what is imported or by the name that React has everywhere.
    fn is_of_react<'f>(&self, name: &str, scope: Scope<'f>) -> bool
    where
        'l: 'f,
    {
        match self.resolver.type_name(scope, name) {
            Found::Outside(from) => is_react(&from),
            Found::Unknown => name.starts_with("React."),
            Found::Declared(..) => false,
        }
    }

    /// The props of the component that a function of the project gives.
    pub(super) fn call<'f>(
        &mut self,
        call: &CallShape,
        scope: Scope<'f>,
        arguments: &Arguments<'f>,
    ) -> Option<Variants>
    where
        'l: 'f,
    {
        let (made, at) = self.made(call, scope, arguments)?;
        self.component_type(made, at.scope, &at.arguments)
    }

    /// What a function of the project gives when it is called so.
    fn made<'f>(
        &mut self,
        call: &CallShape,
        scope: Scope<'f>,
        arguments: &Arguments<'f>,
    ) -> Option<(&'f TypeShape, Place<'f>)>
    where
        'l: 'f,
    {
        self.made_by(&call.callee, call, scope, &Place { scope, arguments: Rc::clone(arguments) })
    }

    /// One of several values that a call gives.
    fn part<'f>(
        &mut self,
        of: &TypeShape,
        key: &str,
        scope: Scope<'f>,
        arguments: &Arguments<'f>,
    ) -> Option<(&'f TypeShape, Place<'f>)>
    where
        'l: 'f,
    {
        let TypeShape::Call(call) = of else { return None };
        let (made, at) = self.made(call, scope, arguments)?;
        let TypeShape::Parts(parts) = made else { return None };
        let (_, part) = parts.iter().find(|(name, _)| name == key)?;
        Some((part, at))
    }

    /// As [`Expander::made`], of a function that has a name in `home` and is called at a place that may be another.
    fn made_by<'f>(
        &mut self,
        callee: &str,
        call: &CallShape,
        home: Scope<'f>,
        at: &Place<'f>,
    ) -> Option<(&'f TypeShape, Place<'f>)>
    where
        'l: 'f,
    {
        let found = self.resolver.name(home, callee);
        let found = found.wanted(|one| matches!(one.detail, DeclarationDetail::Maker { .. }));
        let Found::Declared(file, declaration) = found else { return None };
        let DeclarationDetail::Maker { parameters, takes, gives } = &declaration.detail else { return None };
        match gives {
            TypeShape::Query(other) => self.deeper(|expander| expander.made_by(other, call, file, at)),
            // One of the functions that another call gives: `const { withContext } = createStyles()`.
            TypeShape::Indexed { of, key } if matches!(**of, TypeShape::Call(_)) => {
                let (part, by) =
                    self.deeper(|expander| expander.part(of, key, file, &Arguments::default()))?;
                let (parameters, shape) = match part {
                    TypeShape::Generic { parameters, shape } => (parameters.as_slice(), &**shape),
                    other => (&[][..], other),
                };
                let TypeShape::Reference { name, arguments } = shape else { return None };
                let (gives, takes) = arguments.split_first().filter(|_| name == TypeShape::MAKES)?;
                let own = bound_by(call, parameters, takes, at, by.scope);
                let all = by.arguments.iter().chain(own.iter());
                let arguments = all.map(|(name, bound)| (name.clone(), bound.clone())).collect();
                Some((gives, Place { scope: by.scope, arguments: Rc::new(arguments) }))
            }
            _ => {
                let arguments = bound_by(call, parameters, takes, at, file);
                Some((gives, Place { scope: file, arguments }))
            }
        }
    }

    /// One level further down, if there is one.
    pub(super) fn deeper<T>(&mut self, look: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.depth += 1;
        let found = if self.goes_on() { look(self) } else { None };
        self.depth -= 1;
        found
    }
}

/// What the parameters of a function in `file` are when it is called so: as the call says, or as what it is given tells.
fn bound_by<'f>(
    call: &CallShape,
    parameters: &[TypeParameter],
    takes: &[TypeShape],
    at: &Place<'f>,
    file: Scope<'f>,
) -> Arguments<'f> {
    let passed = |parameter: &TypeParameter| {
        let passed = takes.iter().zip(&call.values).find(|(take, _)| names(take, &parameter.name));
        let is_whole =
            |take: &TypeShape| matches!(take, TypeShape::Reference { name, .. } if *name == parameter.name);
        passed
            .map(|(take, value)| if is_whole(take) { value } else { props_of(value) })
            .filter(|value| !matches!(value, TypeShape::Text(_)))
    };
    let given = |index: usize| {
        if call.types.is_empty() { parameters.get(index).and_then(passed) } else { call.types.get(index) }
    };
    bind(parameters, given, at, file)
}

pub(super) fn distinct(variants: &mut Variants, more: impl IntoIterator<Item = Vec<Member>>) {
    for variant in more {
        if !variants.contains(&variant) {
            variants.push(variant);
        }
    }
}

/// `Primitive.Root` of a package: something else of `Primitive` is rendered, or there is nothing else than components in it.
fn is_beside_components(name: &str, from: &str, scope: Scope<'_>) -> bool {
    const OF_COMPONENTS: &[&str] =
        &["@radix-ui/react-", "radix-ui", "@base-ui", "@headlessui/", "@ariakit/react"];
    let Some((namespace, _)) = divided::around_first(name, b'.') else { return false };
    let beside =
        |rendered: &String| rendered.strip_prefix(namespace).is_some_and(|part| part.starts_with('.'));
    namespace != "React"
        && (scope.facts.components.iter().any(beside)
            || OF_COMPONENTS.iter().any(|start| from.starts_with(start)))
}

fn is_native(name: &str, from: &str, scope: Scope<'_>) -> bool {
    let imports = scope.facts.imports.iter().filter(|import| import.specifier == from);
    let mut names = imports.flat_map(|import| &import.names);
    from == "react-native"
        && names.any(|one| one.local == name && NATIVE_COMPONENTS.contains(&one.imported.as_str()))
}

/// What a function that stands in a call takes: `FC<Props>` is what it is, and `Props` what is asked for.
fn props_of(value: &TypeShape) -> &TypeShape {
    match value {
        TypeShape::Generic { shape, .. } => props_of(shape),
        TypeShape::Reference { name, arguments } if name == "FC" => arguments.first().unwrap_or(value),
        other => other,
    }
}

/// `P` in `ComponentType<P>`, and `T` itself.
fn names(take: &TypeShape, parameter: &str) -> bool {
    match take {
        TypeShape::Reference { name, arguments } => {
            name == parameter || arguments.iter().any(|argument| names(argument, parameter))
        }
        TypeShape::Intersection(parts) | TypeShape::Union(parts) => {
            parts.iter().any(|part| names(part, parameter))
        }
        _ => false,
    }
}
