//! Classes that others implement as if they were interfaces: whatever such a class gets, they lack, which those who make one
//! or extend it do not.

use std::collections::BTreeSet;

use super::Side;
use super::exported::names;
use super::form::{Form, Members};
use super::generics::apart;
use super::members::{Added, added};
use super::origins::{In, target};
use super::signature::{body, split};
use super::users::importing;
use crate::mentions::is_class;
use crate::model::{Contract, ContractDeclaration, DeclarationKind};

/// What a class has now that somebody lacks who implements it, and who does, as far as it is seen what they are.
pub(super) fn lacking(
    side: &Side<'_>,
    was: In<'_, ContractDeclaration>,
    is: &ContractDeclaration,
) -> Option<(String, Vec<String>)> {
    let ([before], [after]) = (was.1.signatures.as_slice(), is.signatures.as_slice()) else { return None };
    if was.1.kind != DeclarationKind::Class || is.kind != DeclarationKind::Class {
        return None;
    }
    let (Form::Class(before), Form::Class(after)) = (Form::of(is.kind, before), Form::of(is.kind, after))
    else {
        return None;
    };
    let added = added(&before, &after);
    let mut found = Found { side, added: &added, seen: BTreeSet::new(), lacking: BTreeSet::new() };
    if !added.is_empty() {
        found.look(was);
    }
    let (reason, _) = found.lacking.first()?;
    let reason = format!("`{reason}` was added, which who implements it lacks");
    Some((reason, found.lacking.into_iter().map(|(_, file)| file).collect()))
}

struct Found<'f, 'a> {
    side: &'f Side<'a>,
    added: &'f [Added],
    /// What was looked for, by file and name.
    seen: BTreeSet<(String, String)>,
    /// What is lacking, and in which file.
    lacking: BTreeSet<(String, String)>,
}

impl Found<'_, '_> {
    fn look(&mut self, (contract, declaration): In<'_, ContractDeclaration>) {
        let Some(graph) = self.side.graph else { return };
        let Some(own) = graph.position(&contract.entry_id) else { return };
        if !self.seen.insert((contract.entry_id.clone(), declaration.name.clone())) {
            return;
        }
        let names = names(contract, declaration);
        let users: BTreeSet<usize> = names.iter().flat_map(|name| importing(graph, own, name)).collect();
        for user in users {
            let Some(file) = self.side.contracts.get(graph.path(user)).copied() else { continue };
            for one in &file.declarations {
                let texts = names_of(self.side, file, one, (contract, declaration));
                if !texts.is_empty() {
                    self.implementer((file, one), &texts);
                }
            }
        }
    }

    fn implementer(&mut self, one: In<'_, ContractDeclaration>, texts: &[&str]) {
        let is_it = |text: &String| texts.contains(&apart(text).0.trim());
        for signature in &one.1.signatures {
            match Form::of(one.1.kind, signature) {
                // What one has of a parent is not looked for.
                Form::Class(class) if class.parent.is_none() && implemented(signature).iter().any(is_it) => {
                    let lacks = self.added.iter().find(|added| !added.is_in(&class));
                    self.lacking.extend(lacks.map(|added| (added.text.clone(), one.0.entry_id.clone())));
                }
                Form::Members(Members { parents, .. }) if parents.iter().any(is_it) => self.look(one),
                _ => {}
            }
        }
    }
}

/// The names by which a declaration knows another one, of another file.
fn names_of<'c>(
    side: &Side<'_>,
    file: &Contract,
    one: &'c ContractDeclaration,
    (contract, declaration): In<'_, ContractDeclaration>,
) -> Vec<&'c str> {
    let leads = |path: &str, found: &ContractDeclaration| {
        path == contract.entry_id && found.name == declaration.name && found.kind == declaration.kind
    };
    let imported = one.imported.iter();
    let known =
        imported.filter(|one| target(side, file, one).is_some_and(|(path, found)| leads(path, found)));
    known.map(|one| one.text.as_str()).collect()
}

/// What a class says that it implements.
fn implemented(signature: &str) -> Vec<String> {
    let head = body(signature).map_or(signature, |(start, _)| &signature[..start]);
    let list = head.rsplit_once(" implements ").filter(|_| is_class(signature));
    list.map_or_else(Vec::new, |(_, list)| split(list, &[',']))
}
