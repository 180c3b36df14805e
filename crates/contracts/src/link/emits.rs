//! Events: callback props that a component calls or passes on.

use super::prop_type::{is_function, union_parts};
use super::scope::{Found, Resolver, Scope};
use crate::model::{ComponentFacts, DeclarationDetail, Member, MemberKind, TypeShape};

pub(super) fn of<'l>(
    component: &ComponentFacts,
    variants: &[Vec<Member>],
    scope: Scope<'l>,
    resolver: &Resolver<'l>,
) -> Vec<String> {
    let is_taken_apart = |name: &str| component.destructured.iter().any(|(taken, _)| taken == name);
    let mut names: Vec<String> = component.declared_emits.iter().map(|(name, _)| name.clone()).collect();
    for member in variants.iter().flatten() {
        let used = component.used_callbacks.contains(&member.name)
            || (component.spreads_rest && !is_taken_apart(&member.name));
        if used && is_callback(member, scope, resolver) {
            names.push(member.name.clone());
        }
    }
    names.sort();
    names.dedup();
    names
}

fn is_callback<'l>(member: &Member, scope: Scope<'l>, resolver: &Resolver<'l>) -> bool {
    if member.kind == MemberKind::Method {
        return true;
    }
    let parts = union_parts(&member.text);
    let parts: Vec<&str> = parts.into_iter().filter(|part| !matches!(*part, "undefined" | "null")).collect();
    if parts.iter().any(|part| is_function(part) || names_function(part, scope, resolver)) {
        return true;
    }
    // A name that says so counts where no type does.
    let unknown =
        member.text == super::prop_type::UNANNOTATED || member.text.ends_with("']") || member.text == "any";
    unknown && member.name.strip_prefix("on").is_some_and(|rest| rest.starts_with(char::is_uppercase))
}

fn names_function<'l>(part: &str, scope: Scope<'l>, resolver: &Resolver<'l>) -> bool {
    let name = part.split('<').next().unwrap_or_default();
    let last = name.rsplit('.').next().unwrap_or_default();
    if matches!(last, "Function" | "VoidFunction" | "Dispatch")
        || last.ends_with("EventHandler")
        || last.ends_with("Callback")
    {
        return true;
    }
    match resolver.name(scope, name) {
        Found::Declared(_, declaration) => match &declaration.detail {
            DeclarationDetail::Shape { shape: TypeShape::Text(text), .. } => is_function(text),
            DeclarationDetail::Shape { shape: TypeShape::Object(members), .. } => {
                members.iter().any(|member| member.kind == MemberKind::Call)
            }
            _ => false,
        },
        Found::Outside(_) | Found::Unknown => last.ends_with("Handler") || last.ends_with("Listener"),
    }
}
