//! Types whose meaning is fixed, or can be told without a compiler: those of TypeScript and React, those that many
//! projects declare in the same words, and conditional types that are plain to see.

use std::collections::BTreeSet;
use std::rc::Rc;

use becket_base::divided;

use super::component_type::distinct;
use super::filled::filled;
use super::keys::{Keys, nothing_to_pick_from};
use super::props::{Arguments, Bound, Expander, Variants, combine, common, plain, without_ref, written};
use super::scope::{Found, Scope};
use crate::languages::typescript::type_shape;
use crate::model::{ConditionalType, DeclarationDetail, DeclarationKind, Member, TypeShape};

/// What the name of an HTML element is one of.
const ELEMENT_TYPES: &[&str] =
    &["ElementType", "React.ElementType", "keyof JSX.IntrinsicElements", "keyof React.JSX.IntrinsicElements"];

/// More than this are not asked for one by one.
const MOST_LITERALS: usize = 16;

/// What a type asks of a parameter; literals as they are written.
pub(super) struct Literals {
    parameter: String,
    may_be: BTreeSet<String>,
    wanted: BTreeSet<String>,
}

fn literal(written: &str) -> TypeShape {
    match written.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
        Some(text) => TypeShape::Literal(text.to_owned()),
        None => TypeShape::Text(written.to_owned()),
    }
}

impl<'l> Expander<'l> {
    /// Types of TypeScript and React whose meaning is fixed.
    pub(super) fn known_type<'f>(
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
        let last = divided::after_last(name, b'.');
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
                said.or_else(|| {
                    let otherwise = self.within(given.get(1)?, scope, arguments);
                    // What a call makes of what it is given is anyone's guess, and called one.
                    if let Some(TypeShape::Call(call)) = first {
                        let from = match self.resolver.name(scope, &call.callee) {
                            Found::Outside(from) => Some(from),
                            _ => None,
                        };
                        self.give_up(first?, from);
                    }
                    Some(otherwise)
                })
            }
            "Partial" | "DeepPartial" | "PartialDeep" => {
                let before = self.unresolved.clone();
                let variants = each(self, &|member| Some(Member { optional: true, ..member }));
                let new = self.unresolved.difference(&before).map(|one| one.name.clone());
                self.partial.extend(new);
                variants
            }
            "Required" => each(self, &|member| Some(Member { optional: false, ..member })),
            "Readonly" | "NonNullable" | "Simplify" | "Prettify" | "NoInfer" | "Mutable" | "Writable"
            | "DeepReadonly" | "ReadonlyDeep" => each(self, &Some),
            "MarkOptional" | "MarkRequired" | "SetOptional" | "SetRequired" => {
                let keys = self.keys(given.get(1)?, first?, scope, arguments)?;
                let optional = last.ends_with("Optional");
                each(self, &|member| {
                    let is_meant = keys.have(&member.name);
                    Some(Member { optional: if is_meant { optional } else { member.optional }, ..member })
                })
            }
            // What a function of `cva` or `tv` takes beside a class.
            "VariantProps" => {
                let TypeShape::Query(name) = first? else { return None };
                match self.resolver.name(scope, name) {
                    Found::Declared(file, one) => match &one.detail {
                        DeclarationDetail::Maker { takes, .. } => Some(self.expand(takes.first()?, file)),
                        _ => None,
                    },
                    Found::Outside(_) | Found::Unknown => None,
                }
            }
            "Pick" | "Omit" => {
                let keys = self.keys(given.get(1)?, first?, scope, arguments)?;
                let wanted = last == "Pick";
                let others = std::mem::take(&mut self.unresolved);
                let members = each(self, &|member| (keys.have(&member.name) == wanted).then_some(member));
                // So it is with members that nobody knows.
                let (Keys::Only(named) | Keys::AllBut(named)) = &keys;
                let only = matches!(keys, Keys::Only(_)) == wanted;
                let narrowed = std::mem::replace(&mut self.unresolved, others).into_iter();
                self.unresolved.extend(narrowed.map(|one| one.narrowed(named, only)));
                members.map(|members| if self.distributes { members } else { vec![common(members)] })
            }
            "ReturnType" | "Awaited" => {
                let found = self.result(last, given, scope, arguments)?;
                Some(self.within(&found.shape, found.scope, &found.arguments))
            }
            "Extract" | "Exclude" => {
                let kept = self.chosen(last, given, scope, arguments)?;
                let each = kept.iter().map(|one| self.within(&one.shape, one.scope, &one.arguments));
                Some(each.collect::<Vec<_>>().concat())
            }
            "Record" => {
                let value = given.get(1)?.text();
                let value = filled(&value, arguments);
                let Keys::Only(keys) = self.keys(first?, &nothing_to_pick_from(), scope, arguments)? else {
                    return None;
                };
                Some(vec![keys.into_iter().map(|key| plain(key, value.to_string(), false)).collect()])
            }
            "PropsWithChildren" => {
                let children = plain("children".to_owned(), "ReactNode".to_owned(), true);
                let own = match first {
                    Some(_) => each(self, &Some)?,
                    None => vec![Vec::new()],
                };
                Some(combine(vec![vec![children]], own))
            }
            "PropsWithRef" => each(self, &Some),
            "UnionToIntersection"
            | "DistributiveOmit"
            | "DistributivePick"
            | "Merge"
            | "Overwrite"
            | "Except"
            | "StrictOmit" => self.well_known(name, given, scope, arguments),
            "PropsWithoutRef" => each(self, &without_ref),
            "RefAttributes" | "Attributes" | "ClassAttributes" => Some(vec![Vec::new()]),
            "ComponentProps" | "ComponentPropsWithoutRef" | "ComponentPropsWithRef" => {
                let (component, its_scope) = written(first?, scope, arguments);
                let variants = match component {
                    TypeShape::Query(name) => match self.resolver.component_name(its_scope, name) {
                        Found::Declared(_, one) if !matches!(one.detail, DeclarationDetail::Value(_)) => {
                            each(self, &Some)
                        }
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

    /// The branch of a conditional type that can be told without a compiler: something with members is an object, and
    /// what is not wanted otherwise does not exist.
    pub(super) fn decided<'s, 'f>(
        &mut self,
        conditional: &'s ConditionalType,
        scope: Scope<'f>,
        arguments: &Arguments<'f>,
    ) -> Option<&'s TypeShape>
    where
        'l: 'f,
    {
        let never = |shape: &TypeShape| matches!(shape, TypeShape::Text(text) if text == "never");
        if matches!(conditional.wanted.as_str(), "any" | "unknown") {
            return Some(&conditional.yes);
        }
        let is_object = matches!(conditional.wanted.as_str(), "object" | "{}" | "Record<string, any>");
        let is_plain = matches!(
            conditional.wanted.as_str(),
            "string"
                | "number"
                | "boolean"
                | "bigint"
                | "symbol"
                | "undefined"
                | "null"
                | "never"
                | "[never]"
        );
        if is_object || is_plain {
            let mut beside = self.beside();
            let members = beside.within(&conditional.check, scope, arguments);
            let has_members = members.iter().any(|variant| !variant.is_empty());
            return match (has_members, is_object) {
                (true, true) => Some(&conditional.yes),
                (true, false) => Some(&conditional.no),
                (false, _) => None,
            };
        }
        if let Some(check) = self.checked(&conditional.check, scope, arguments) {
            let wants_element = ELEMENT_TYPES.contains(&conditional.wanted.as_str());
            let wants_function = conditional.wanted.starts_with('(') && conditional.wanted.contains(" => ");
            match &check.shape {
                TypeShape::Literal(_) if wants_element => return Some(&conditional.yes),
                TypeShape::Query(name) if wants_function && self.is_function(name, check.scope) => {
                    return Some(&conditional.yes);
                }
                _ => {}
            }
        }
        match (never(&conditional.yes), never(&conditional.no)) {
            (false, true) if !conditional.wanted.contains("infer ") => Some(&conditional.yes),
            _ => None,
        }
    }

    /// A type that asks which of some literals a parameter is, `Variant extends 'filled' ? Filled : Standard`, asked for each
    /// of those that it may be.
    pub(super) fn one_by_one<'f>(
        &mut self,
        conditional: &ConditionalType,
        scope: Scope<'f>,
        arguments: &Arguments<'f>,
    ) -> Option<Variants>
    where
        'l: 'f,
    {
        let Literals { parameter, may_be, wanted } = self.literals(conditional, scope, arguments)?;
        let mut variants = Variants::new();
        for one in may_be {
            let branch = if wanted.contains(&one) { &conditional.yes } else { &conditional.no };
            let shape = literal(&one);
            let bound = Bound::new(shape, scope, &Arguments::default());
            let mut arguments = (**arguments).clone();
            arguments.insert(parameter.clone(), bound);
            distinct(&mut variants, self.within(branch, scope, &Rc::new(arguments)));
        }
        Some(variants)
    }

    /// The literals that a parameter may be, and those that a type asks for.
    pub(super) fn literals<'f>(
        &mut self,
        conditional: &ConditionalType,
        scope: Scope<'f>,
        arguments: &Arguments<'f>,
    ) -> Option<Literals>
    where
        'l: 'f,
    {
        let asks = |text: &str| text.starts_with('\'') || matches!(text, "true" | "false");
        let TypeShape::Reference { name, arguments: none } = &conditional.check else { return None };
        if !none.is_empty() || !asks(&conditional.wanted) {
            return None;
        }
        let bound = arguments.get(name)?.clone();
        let (mut may_be, mut wanted) = (BTreeSet::new(), BTreeSet::new());
        self.collect_literals(&bound.shape, bound.scope, &bound.arguments, &mut may_be)?;
        self.collect_literals(&type_shape(&conditional.wanted)?, scope, arguments, &mut wanted)?;
        (may_be.len() <= MOST_LITERALS).then(|| Literals { parameter: name.clone(), may_be, wanted })
    }

    /// `None` where something else is among them.
    pub(super) fn collect_literals<'f>(
        &mut self,
        shape: &TypeShape,
        scope: Scope<'f>,
        arguments: &Arguments<'f>,
        found: &mut BTreeSet<String>,
    ) -> Option<()>
    where
        'l: 'f,
    {
        self.deeper(|expander| match shape {
            TypeShape::Literal(_) => {
                found.insert(shape.text());
                Some(())
            }
            TypeShape::Text(text) if text == "boolean" => {
                found.extend(["false".to_owned(), "true".to_owned()]);
                Some(())
            }
            TypeShape::Text(text) if matches!(text.as_str(), "true" | "false" | "undefined" | "null") => {
                found.insert(text.clone());
                Some(())
            }
            TypeShape::Union(parts) => {
                parts.iter().try_for_each(|part| expander.collect_literals(part, scope, arguments, found))
            }
            TypeShape::Reference { name, arguments: none } if none.is_empty() => {
                if let Some(bound) = arguments.get(name) {
                    return expander.collect_literals(&bound.shape, bound.scope, &bound.arguments, found);
                }
                let Found::Declared(file, one) = expander.resolver.type_name(scope, name) else {
                    return None;
                };
                match &one.detail {
                    DeclarationDetail::Shape { shape, .. } => {
                        expander.collect_literals(shape, file, &Arguments::default(), found)
                    }
                    _ => None,
                }
            }
            _ => None,
        })
    }

    /// Members that are there or are not: `T extends Feature ? { static?: boolean } : {}`. The type is named all the same.
    pub(super) fn undecided<'f>(
        &mut self,
        conditional: &ConditionalType,
        scope: Scope<'f>,
        arguments: &Arguments<'f>,
    ) -> Variants
    where
        'l: 'f,
    {
        self.give_up(&TypeShape::Text(conditional.text.clone()), None);
        let Some(branch) = self.perhaps(conditional, scope, arguments) else { return vec![Vec::new()] };
        let variants = self.within(branch, scope, arguments);
        let optional = |member: Member| Member { optional: true, ..member };
        variants.into_iter().map(|variant| variant.into_iter().map(optional).collect()).collect()
    }

    /// The branch with members of a type that asks what a value is: the value is not looked at.
    pub(super) fn perhaps<'s, 'f>(
        &mut self,
        conditional: &'s ConditionalType,
        scope: Scope<'f>,
        arguments: &Arguments<'f>,
    ) -> Option<&'s TypeShape>
    where
        'l: 'f,
    {
        let branch = conditional.perhaps()?;
        let check = self.checked(&conditional.check, scope, arguments)?;
        matches!(check.shape, TypeShape::Query(_)).then_some(branch)
    }

    /// What a parameter or a member of a type stands for.
    fn checked<'f>(
        &mut self,
        shape: &TypeShape,
        scope: Scope<'f>,
        arguments: &Arguments<'f>,
    ) -> Option<Bound<'f>>
    where
        'l: 'f,
    {
        self.deeper(|expander| match shape {
            TypeShape::Reference { name, arguments: none } if none.is_empty() => {
                let bound = arguments.get(name)?.clone();
                expander.checked(&bound.shape, bound.scope, &bound.arguments)
            }
            TypeShape::Indexed { of, key } => {
                let found = expander.indexed(of, key, scope, arguments)?;
                expander.checked(&found.shape, found.scope, &found.arguments)
            }
            other => Some(Bound::new(other.clone(), scope, arguments)),
        })
    }

    /// Whether a name stands for something that can be called. It may take fewer parameters than are wanted of it.
    fn is_function<'f>(&self, name: &str, scope: Scope<'f>) -> bool
    where
        'l: 'f,
    {
        use DeclarationKind::{Component, Function, Hook};
        match self.resolver.name(scope, name) {
            Found::Declared(_, one) => matches!(one.kind, Component | Function | Hook),
            Found::Outside(_) | Found::Unknown => false,
        }
    }

    /// What is asked of each member of a union for itself, and not of the union.
    pub(super) fn distributed<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.distributes, true);
        let found = look(self);
        self.distributes = before;
        found
    }

    /// Types that many projects declare for themselves, in words that only a compiler can follow.
    pub(super) fn well_known<'f>(
        &mut self,
        name: &str,
        given: &[TypeShape],
        scope: Scope<'f>,
        arguments: &Arguments<'f>,
    ) -> Option<Variants>
    where
        'l: 'f,
    {
        let last = divided::after_last(name, b'.');
        match (last, given) {
            ("UnionToIntersection", [TypeShape::Union(parts)]) => {
                Some(self.within(&TypeShape::Intersection(parts.clone()), scope, arguments))
            }
            ("UnionToIntersection" | "DeepPartial" | "Mutable" | "Writable", [one]) => {
                Some(self.within(one, scope, arguments))
            }
            ("Simplify" | "Prettify" | "Expand" | "Id", [one]) => Some(self.within(one, scope, arguments)),
            ("Merge" | "Overwrite" | "Override", [first, second]) => {
                let parts = vec![first.clone(), second.clone()];
                Some(self.within(&TypeShape::Intersection(parts), scope, arguments))
            }
            ("DistributiveOmit" | "Except" | "StrictOmit", _) => {
                self.distributed(|expander| expander.known_type("Omit", given, scope, arguments))
            }
            ("DistributivePick", _) => {
                self.distributed(|expander| expander.known_type("Pick", given, scope, arguments))
            }
            _ => None,
        }
    }
}
