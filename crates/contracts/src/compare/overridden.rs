//! Members of a class that are another kind of member now: a method, a field, or a pair of functions behind a name. Who only
//! uses them need not know; a class that extends this one and has its own has to be written anew.

use std::collections::BTreeSet;

use super::Side;
use super::exported::names;
use super::form::{Class, Form};
use super::generics::apart;
use super::members::{Kind, kind_of};
use super::origins::{In, target};
use super::users::importing;
use crate::model::{ContractDeclaration, DeclarationKind};

/// Which member no longer goes with those of who extends the class, and the files of these.
pub(super) fn clashing(
    side: &Side<'_>,
    was: &ContractDeclaration,
    is: In<'_, ContractDeclaration>,
) -> Option<(String, Vec<String>)> {
    let (before, after) = (class(was)?, class(is.1)?);
    let known: Vec<(String, Kind)> = before.members.iter().filter_map(|text| kind_of(text)).collect();
    let is_turned = |(name, kind): &(String, Kind)| {
        let mut had = known.iter().filter(|(other, _)| other == name);
        had.next().is_some_and(|(_, had)| had != kind)
    };
    let turned: Vec<(String, Kind)> =
        after.members.iter().filter_map(|text| kind_of(text)).filter(is_turned).collect();
    let mut found = Found { side, turned: &turned, seen: BTreeSet::new(), clashing: BTreeSet::new() };
    if !turned.is_empty() {
        found.look(is);
    }
    let (name, _) = found.clashing.first()?;
    let reason = format!("`{name}` is another kind of member now, which who overrides it has to follow");
    Some((reason, found.clashing.into_iter().map(|(_, file)| file).collect()))
}

fn class(one: &ContractDeclaration) -> Option<Class> {
    let [signature] = one.signatures.as_slice() else { return None };
    match Form::of(one.kind, signature) {
        Form::Class(class) if one.kind == DeclarationKind::Class => Some(class),
        _ => None,
    }
}

struct Found<'f, 'a> {
    side: &'f Side<'a>,
    /// By name, with what they are now.
    turned: &'f [(String, Kind)],
    /// What was looked for, by file and name.
    seen: BTreeSet<(String, String)>,
    /// The member, and the file.
    clashing: BTreeSet<(String, String)>,
}

impl Found<'_, '_> {
    /// Looks at those who extend a class, and those who extend these.
    fn look(&mut self, (contract, declaration): In<'_, ContractDeclaration>) {
        if !self.seen.insert((contract.entry_id.clone(), declaration.name.clone())) {
            return;
        }
        let Some(own) = self.side.contracts.get(contract.entry_id.as_str()).copied() else { return };
        for one in &own.declarations {
            self.heir((own, one), |parent| parent == declaration.name);
        }
        let Some(graph) = self.side.graph else { return };
        let Some(at) = graph.position(&contract.entry_id) else { return };
        let names = names(contract, declaration);
        let users: BTreeSet<usize> = names.iter().flat_map(|name| importing(graph, at, name)).collect();
        for user in users {
            let Some(file) = self.side.contracts.get(graph.path(user)).copied() else { continue };
            for one in &file.declarations {
                let leads = |parent: &str| {
                    let mut imported = one.imported.iter().filter(|imported| imported.text == parent);
                    imported.any(|imported| {
                        let found = target(self.side, file, imported);
                        found.is_some_and(|(path, found)| {
                            path == contract.entry_id && found.name == declaration.name
                        })
                    })
                };
                self.heir((file, one), leads);
            }
        }
    }

    fn heir(&mut self, one: In<'_, ContractDeclaration>, is_parent: impl Fn(&str) -> bool) {
        let Some(class) = class(one.1) else { return };
        if !class.parent.as_ref().is_some_and(|parent| is_parent(apart(parent).0.trim())) {
            return;
        }
        for (name, kind) in class.members.iter().filter_map(|text| kind_of(text)) {
            let is_clash = |(other, now): &(String, Kind)| *other == name && !now.admits(kind);
            if self.turned.iter().any(is_clash) {
                self.clashing.insert((name, one.0.entry_id.clone()));
            }
        }
        self.look(one);
    }
}
