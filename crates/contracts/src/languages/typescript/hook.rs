//! What hooks take: their parameters, which the merged view shows as props.

use std::collections::BTreeSet;

use oxc_ast::ast::{BindingPattern, Ident};

use super::component::Callable;
use super::print::{Print, literal_type};
use crate::model::{Member, MemberKind, TypeShape};

/// The parameters of a hook, each by a name of its own.
pub(super) fn parameters(print: Print<'_, '_>, callable: Callable<'_, '_>) -> Vec<Member> {
    let (items, rest) = (&callable.parameters().items, callable.parameters().rest.as_ref());
    let patterns = items.iter().map(|item| &item.pattern).chain(rest.map(|rest| &rest.rest.argument));
    let mut names =
        Names(patterns.filter_map(BindingPattern::get_identifier_name).map(Ident::into_string).collect());
    let mut taken: Vec<Member> = Vec::new();
    for item in items {
        let text = match &item.type_annotation {
            Some(ty) => print.annotation(ty),
            None if item.pattern.is_object_pattern() => print.pattern(&item.pattern),
            None => item.initializer.as_deref().and_then(literal_type).unwrap_or_default().to_owned(),
        };
        taken.push(member(names.of(&item.pattern), text, item.optional || item.initializer.is_some()));
    }
    if let Some(rest) = rest {
        let text = rest.type_annotation.as_ref().map(|ty| print.annotation(ty));
        taken.push(member(names.of(&rest.rest.argument), text.unwrap_or_default(), true));
    }
    taken
}

/// With the parameters of one more overload: each is a variant of what the hook takes.
pub(super) fn overloaded(known: TypeShape, more: Option<TypeShape>) -> TypeShape {
    let mut all = match known {
        TypeShape::Union(all) => all,
        first => vec![first],
    };
    all.extend(more);
    all.dedup();
    TypeShape::Union(all)
}

/// Names that are given.
struct Names(BTreeSet<String>);

impl Names {
    /// What is taken apart at once has no name of its own, and gets one.
    fn of(&mut self, pattern: &BindingPattern<'_>) -> String {
        if let BindingPattern::BindingIdentifier(name) = pattern {
            return name.name.into_string();
        }
        let mut name = "options".to_owned();
        let mut number = 1;
        while !self.0.insert(name.clone()) {
            number += 1;
            name = format!("options{number}");
        }
        name
    }
}

fn member(name: String, text: String, optional: bool) -> Member {
    Member { name, kind: MemberKind::Property, text, optional, doc: None, elsewhere: false }
}
