//! `'use client'` and `'use server'` that came or went: where the code of a file runs, and what may be handed to it there.

use super::{Change, DeclarationChange, Side, Verdict, users_of_file};
use crate::model::{Contract, DeclarationKind, Directive, RouteRole};

pub(super) fn change(side: &Side<'_>, old: &Contract, new: &Contract) -> Option<DeclarationChange> {
    let (before, after) = (of(old), of(new));
    if before == after {
        return None;
    }
    let (verdict, reason) = judge(side, old, new);
    let shown = |directive: Option<Directive>| directive.map(|one| one.as_str().to_owned());
    Some(DeclarationChange {
        name: after.or(before).map(Directive::as_str).unwrap_or_default().to_owned(),
        kind: "directive".to_owned(),
        change: match (before, after) {
            (None, _) => Change::Added,
            (_, None) => Change::Removed,
            _ => Change::Changed,
        },
        before: shown(before).into_iter().collect(),
        after: shown(after).into_iter().collect(),
        verdict,
        reason,
        used_by: if verdict == Verdict::Breaking { users_of_file(side, &old.entry_id) } else { Vec::new() },
    })
}

/// By what those see who import the file. Who they are is often not known, and then it may be anybody.
fn judge(side: &Side<'_>, old: &Contract, new: &Contract) -> (Verdict, String) {
    if old.exports.is_empty() {
        return (Verdict::Compatible, "nobody can import anything of it".to_owned());
    }
    let is_client = of(old).or(of(new)) == Some(Directive::Client);
    match (of(old), of(new)) {
        (_, None) | (None, _) if is_client && is_only_imported_by_clients(side, old) => {
            (Verdict::Compatible, "only client components import it, and it runs with them".to_owned())
        }
        (Some(Directive::Client), None) => {
            let ran = || "what imports it on a server runs it there now".to_owned();
            let reason =
                uses(new).map_or_else(ran, |what| format!("it uses {what}, which a server cannot run"));
            (Verdict::Breaking, reason)
        }
        (None, Some(Directive::Client)) => match reference(new) {
            Some(reason) => (Verdict::Breaking, reason),
            None => (Verdict::Compatible, "its components run on a client now".to_owned()),
        },
        (None, Some(Directive::Server)) => match new.declarations.iter().find(|one| !is_action(new, one)) {
            Some(one) => (
                Verdict::Breaking,
                format!("`{}` is no async function, and only those can be called from a client", one.name),
            ),
            None => (Verdict::Compatible, "its functions can be called from a client now".to_owned()),
        },
        (Some(Directive::Server), None) => {
            (Verdict::Breaking, "its functions can no longer be called from a client".to_owned())
        }
        _ => (Verdict::Breaking, "it runs on the other side now".to_owned()),
    }
}

fn of(contract: &Contract) -> Option<Directive> {
    contract.nextjs.as_ref()?.directive
}

/// Whether everybody is known who imports it, and is a client. Next.js itself imports what has a role in its tree.
fn is_only_imported_by_clients(side: &Side<'_>, contract: &Contract) -> bool {
    let has_role = contract.nextjs.as_ref().is_some_and(|next| next.route_role.is_some());
    let users = users_of_file(side, &contract.entry_id);
    let is_client = |user: &String| {
        side.contracts.get(user.as_str()).is_some_and(|user| of(user) == Some(Directive::Client))
    };
    !has_role && !users.is_empty() && users.iter().all(is_client)
}

/// What only a client can run.
fn uses(contract: &Contract) -> Option<String> {
    let state = &contract.logic_signature.state;
    // These run anywhere.
    let hooks = contract
        .version
        .hooks
        .iter()
        .find(|hook| !matches!(hook.as_str(), "use" | "useId" | "useMemo" | "useCallback"));
    hooks
        .map(|hook| format!("`{hook}`"))
        .or_else(|| state.keys().next().map(|name| format!("the state `{name}`")))
}

/// What of a client's file a server has to know more of than that it is there.
fn reference(contract: &Contract) -> Option<String> {
    let next = contract.nextjs.as_ref()?;
    if next.route_role.is_some() && (next.metadata.is_some() || !next.data.is_empty()) {
        return Some("it exports metadata or settings, which only a server component may".to_owned());
    }
    let is_value = |kind: DeclarationKind| {
        !matches!(
            kind,
            DeclarationKind::Component
                | DeclarationKind::Hook
                | DeclarationKind::Interface
                | DeclarationKind::Type
        )
    };
    let value = contract.declarations.iter().find(|one| one.exported && is_value(one.kind));
    if let Some(value) =
        value.filter(|_| !matches!(next.route_role, Some(RouteRole::Page | RouteRole::Layout)))
    {
        return Some(format!("`{}` is only a reference on a server now", value.name));
    }
    let callback = contract.declarations.iter().filter(|one| one.exported).find_map(|one| {
        let taken = one.props.iter().flatten();
        taken.into_iter().find(|prop| prop.text.contains("=>")).map(|prop| (&one.name, &prop.name))
    });
    callback.map(|(component, prop)| {
        format!("a server component cannot pass the function `{prop}` of `{component}`")
    })
}

/// An async function, or nothing that there is when the program runs.
fn is_action(contract: &Contract, declaration: &crate::model::ContractDeclaration) -> bool {
    let is_async = |signature: &String| {
        signature.contains("async ")
            || signature.rsplit("): ").next().is_some_and(|returns| returns.starts_with("Promise<"))
    };
    !declaration.exported
        || matches!(declaration.kind, DeclarationKind::Interface | DeclarationKind::Type)
        || contract.exports.types.contains(&declaration.name)
        || declaration.signatures.iter().all(is_async)
}
