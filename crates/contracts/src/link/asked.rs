//! What a function takes and gives, as its signature says it, for types that ask a function for that:
//! `Parameters<typeof run>[1]`, `ReturnType<typeof run>`.

use super::props::{Arguments, Bound, Expander};
use super::scope::{Found, Scope};
use crate::brackets::{group, split};
use crate::languages::typescript::{INFERRED, type_shape};
use crate::model::{DeclarationDetail, DeclarationKind, TypeShape};

/// A signature that was taken apart.
struct Signature<'s> {
    takes: &'s str,
    gives: &'s str,
}

impl<'l> Expander<'l> {
    /// What a function of the project takes at a place; `None` for a component, whose props are more than their type says.
    pub(super) fn taken<'f>(&self, of: &TypeShape, place: &str, scope: Scope<'f>) -> Option<Bound<'f>>
    where
        'l: 'f,
    {
        let place: usize = place.parse().ok()?;
        let (signature, file) = self.signature(of, scope)?;
        let takes = split(Signature::of(signature)?.takes, &[',']);
        let one = takes.get(place).filter(|one| !one.starts_with("..."))?;
        let said = split(one, &[':']).into_iter().skip(1).collect::<Vec<_>>().join(": ");
        // With its default.
        let said = said
            .rsplit_once(" = ")
            .filter(|(_, value)| !value.starts_with('>'))
            .map_or(said.as_str(), |(said, _)| said);
        Some(Bound::new(type_shape(said)?, file, &Arguments::default()))
    }

    /// What a function of the project gives, `ReturnType<typeof run>`, also when that is waited for.
    pub(super) fn result<'f>(
        &mut self,
        name: &str,
        given: &[TypeShape],
        scope: Scope<'f>,
        arguments: &Arguments<'f>,
    ) -> Option<Bound<'f>>
    where
        'l: 'f,
    {
        let first = given.first()?;
        if name == "Awaited" {
            return Some(settled(self.waited_for(first, scope, arguments)?));
        }
        let (signature, file) = self.signature(first, scope)?;
        let gives = Signature::of(signature)?.gives;
        let is_told = !gives.is_empty() && !gives.starts_with(INFERRED);
        Some(Bound::new(type_shape(gives).filter(|_| is_told)?, file, &Arguments::default()))
    }

    fn waited_for<'f>(
        &mut self,
        shape: &TypeShape,
        scope: Scope<'f>,
        arguments: &Arguments<'f>,
    ) -> Option<Bound<'f>>
    where
        'l: 'f,
    {
        match shape {
            TypeShape::Indexed { of, key } => self.indexed(of, key, scope, arguments),
            TypeShape::Reference { name, arguments: given } => match name.as_str() {
                "ReturnType" => self.result(name, given, scope, arguments),
                "Promise" => Some(Bound::new(shape.clone(), scope, arguments)),
                _ => match self.resolver.type_name(scope, name) {
                    Found::Declared(file, declared) if given.is_empty() => match &declared.detail {
                        DeclarationDetail::Shape { shape, .. } => {
                            Some(Bound::new(shape.clone(), file, &Arguments::default()))
                        }
                        _ => None,
                    },
                    _ => None,
                },
            },
            _ => None,
        }
    }

    /// The signature of `typeof run`, of several the last one, as TypeScript has it; or of a type that is a function.
    fn signature<'f>(&self, of: &TypeShape, scope: Scope<'f>) -> Option<(&'f str, Scope<'f>)>
    where
        'l: 'f,
    {
        if let TypeShape::Reference { name, arguments } = of {
            let Found::Declared(file, declared) = self.resolver.type_name(scope, name) else { return None };
            let DeclarationDetail::Shape { parameters, shape: TypeShape::Text(text) } = &declared.detail
            else {
                return None;
            };
            let is_plain = arguments.is_empty() && parameters.is_empty() && text.starts_with('(');
            return is_plain.then_some((text.as_str(), file));
        }
        let TypeShape::Query(name) = of else { return None };
        let Found::Declared(file, declared) = self.resolver.name(scope, name) else { return None };
        let is_function = matches!(declared.kind, DeclarationKind::Function | DeclarationKind::Hook);
        declared.signatures.last().filter(|_| is_function).map(|text| (text.as_str(), file))
    }
}

/// What a promise gives.
fn settled(found: Bound<'_>) -> Bound<'_> {
    match &found.shape {
        TypeShape::Reference { name, arguments } if name == "Promise" => match arguments.first() {
            Some(given) => Bound { shape: given.clone(), ..found },
            None => found,
        },
        _ => found,
    }
}

impl<'s> Signature<'s> {
    /// `None` for one with parameters of types, which nothing tells here.
    fn of(text: &'s str) -> Option<Self> {
        let (start, end) = group(text, '(', ')')?;
        let (head, rest) = (&text[..start], text[end + 1..].trim_start());
        if head.contains(['<', '{', '[', '|', '&', '*']) {
            return None;
        }
        let is_function = head.contains("function");
        let gives =
            if is_function { rest.strip_prefix(':').unwrap_or(rest) } else { rest.strip_prefix("=>")? };
        Some(Self { takes: &text[start + 1..end], gives: gives.trim() })
    }
}
