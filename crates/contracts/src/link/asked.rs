//! What a function takes and gives, as its signature says it, for types that ask a function for that:
//! `Parameters<typeof run>[1]`, `ReturnType<typeof run>`.

use super::props::{Arguments, Bound, Expander};
use super::scope::{Found, Scope};
use crate::brackets::{group, split};
use crate::languages::typescript::{INFERRED, type_shape};
use crate::model::{DeclarationKind, TypeShape};

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
    pub(super) fn result<'f>(&self, name: &str, given: &[TypeShape], scope: Scope<'f>) -> Option<Bound<'f>>
    where
        'l: 'f,
    {
        let first = given.first()?;
        if name == "Awaited" {
            let TypeShape::Reference { name, arguments } = first else { return None };
            let found = self.result(name, arguments, scope).filter(|_| name == "ReturnType")?;
            return Some(match &found.shape {
                TypeShape::Reference { name, arguments } if name == "Promise" => {
                    Bound { shape: arguments.first()?.clone(), ..found }
                }
                _ => found,
            });
        }
        let (signature, file) = self.signature(first, scope)?;
        let gives = Signature::of(signature)?.gives;
        let is_told = !gives.is_empty() && !gives.starts_with(INFERRED);
        Some(Bound::new(type_shape(gives).filter(|_| is_told)?, file, &Arguments::default()))
    }

    /// The signature of `typeof run`; of several the last one, as TypeScript has it.
    fn signature<'f>(&self, of: &TypeShape, scope: Scope<'f>) -> Option<(&'f str, Scope<'f>)>
    where
        'l: 'f,
    {
        let TypeShape::Query(name) = of else { return None };
        let Found::Declared(file, declared) = self.resolver.name(scope, name) else { return None };
        let is_function = matches!(declared.kind, DeclarationKind::Function | DeclarationKind::Hook);
        declared.signatures.last().filter(|_| is_function).map(|text| (text.as_str(), file))
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
