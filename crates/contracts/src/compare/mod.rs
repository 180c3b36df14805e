//! What changed between two readings of a tree, and whom it breaks: one pure function over two sides. Every face of it
//! (the seed's folder report, the strict check, the git baseline) is made from its answer.

mod across;
mod addresses;
mod ambiguous;
mod choice;
mod decorated;
mod details;
mod directive;
mod events;
mod expand;
mod exported;
mod followed;
mod form;
mod generics;
mod globals;
mod implemented;
mod in_place;
mod left;
mod literals;
mod made_of;
mod members;
mod moved;
mod origins;
mod overridden;
mod passed_on;
mod patterns;
mod result;
mod routes;
mod signature;
mod spelled;
mod stands;
mod surroundings;
mod taken_over;
mod told;
mod types;
mod users;
mod verdict;
mod written;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::fingerprint::canonical;
use crate::graph::Graph;
use crate::model::{
    ComponentForm, Contract, ContractDeclaration, DeclarationKind, Diagnostic, Member, Severity,
    UnresolvedType,
};
use crate::order::in_order;

pub use self::details::Details;
pub use self::globals::Globals;
use self::origins::{In, Origins};
pub use self::result::{
    CompareResult, CompareSummary, ComponentChange, Costs, FolderDiff, TokenDelta, component_name, folders,
};
pub use self::users::seen_through;
use self::users::{users, users_left, users_now, users_of, users_of_file};
pub use self::verdict::Verdict;
use self::verdict::{judge, judge_props};
use self::written::Alike;

/// One reading of a tree.
#[derive(Debug, Clone)]
pub struct Side<'a> {
    /// By entry id.
    pub contracts: BTreeMap<&'a str, &'a Contract>,
    /// Who imports whom; absent where only written files are known.
    pub graph: Option<&'a Graph>,
    /// Whether its contracts were read from files, which leave out what they can. What such a side does not tell is not
    /// compared.
    pub reduced: bool,
}

/// Everything that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// By entry id of the later side, removed files among them.
    pub files: Vec<FileChange>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    Added,
    Removed,
    Changed,
    /// Only its path is another.
    Moved,
}

/// One file that is not as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileChange {
    pub entry_id: String,
    pub change: Change,
    /// Where it was before, when it moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<String>,
    pub verdict: Verdict,
    pub declarations: Vec<DeclarationChange>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semantic_hash_before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semantic_hash_after: Option<String>,
    pub details: Details,
}

/// One declaration, export or route that is not as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeclarationChange {
    pub name: String,
    /// `function`, `component` …, `export`, `route`, `directive`, `syntax error`.
    pub kind: String,
    pub change: Change,
    // Its signatures; of one with many members those that differ, the others are `…`. Its props, or its state, where only
    // these differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    pub verdict: Verdict,
    /// Why it is judged so.
    pub reason: String,
    /// For a breaking change: the files that use it; of a type also those that use what another file makes of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub used_by: Vec<String>,
}

/// What is not on `after` as it was on `before`. A file that only looks otherwise (formatting, comments, bodies) has not
/// changed.
pub fn compare(before: &Side<'_>, after: &Side<'_>) -> Comparison {
    let gone: Vec<&Contract> = absent_in(before, after);
    let new: Vec<&Contract> = absent_in(after, before);
    let moves = moved::pair(&gone, &new);
    let origins = Origins::new(before, after, &moves);
    let mut files = Vec::new();
    for (entry, contract) in &after.contracts {
        let origin = moves.get(entry).copied();
        match before.contracts.get(origin.unwrap_or(entry)) {
            Some(old) if *old == *contract => {}
            Some(old) => files.extend(changed_file(&origins, old, contract)),
            None => files.push(added_file(&origins, contract)),
        }
    }
    let taken: BTreeSet<&str> = moves.values().copied().collect();
    for contract in gone.into_iter().filter(|contract| !taken.contains(contract.entry_id.as_str())) {
        files.push(removed_file(&origins, contract));
    }
    taken_over::put_by_settings(&origins, &mut files);
    files.sort_by(|left, right| left.entry_id.cmp(&right.entry_id));
    for file in &mut files {
        let was = file.moved_from.as_ref().unwrap_or(&file.entry_id);
        for change in &mut file.declarations {
            if change.change == Change::Removed {
                users_left(&origins, was, change);
            }
            users_now(&origins, &mut change.used_by);
        }
    }
    Comparison { files }
}

impl Comparison {
    pub fn verdict(&self) -> Option<Verdict> {
        self.files.iter().map(|file| file.verdict).min()
    }

    pub fn count(&self, verdict: Verdict) -> usize {
        self.files.iter().filter(|file| file.verdict == verdict).count()
    }
}

fn absent_in<'a>(side: &Side<'a>, other: &Side<'_>) -> Vec<&'a Contract> {
    side.contracts
        .iter()
        .filter(|(entry, _)| !other.contracts.contains_key(*entry))
        .map(|(_, contract)| *contract)
        .collect()
}

fn added_file(origins: &Origins<'_, '_>, contract: &Contract) -> FileChange {
    let (before, after) = (origins.before, origins.after);
    let exported = contract.declarations.iter().filter(|declaration| declaration.exported);
    let mut declarations: Vec<DeclarationChange> = exported
        .map(|declaration| DeclarationChange {
            name: declaration.name.clone(),
            kind: declaration.kind.as_str().to_owned(),
            change: Change::Added,
            before: Vec::new(),
            after: declaration.signatures.clone(),
            verdict: Verdict::Compatible,
            reason: "its file was added".to_owned(),
            used_by: Vec::new(),
        })
        .collect();
    declarations.extend(routes::changes(before, after, None, Some(contract)));
    let taken_over = taken_over::changes(origins, contract);
    declarations
        .retain(|one| !taken_over.iter().any(|other| (&other.name, &other.kind) == (&one.name, &one.kind)));
    declarations.extend(taken_over);
    ambiguous::put(origins, None, contract, &mut declarations);
    declarations.sort_by_key(|change| change.verdict);
    unread(contract, false, &mut declarations);
    let verdict = declarations.iter().map(|change| change.verdict).fold(Verdict::Compatible, Verdict::min);
    FileChange {
        entry_id: contract.entry_id.clone(),
        change: Change::Added,
        moved_from: None,
        verdict,
        declarations,
        semantic_hash_before: None,
        semantic_hash_after: Some(contract.semantic_hash.clone()),
        details: Details::default(),
    }
}

fn removed_file(origins: &Origins<'_, '_>, contract: &Contract) -> FileChange {
    let before = origins.before;
    let exported = contract.declarations.iter().filter(|declaration| declaration.exported);
    let mut declarations: Vec<DeclarationChange> = exported
        .map(|declaration| {
            let gone = followed::gone(origins, (contract, declaration), None, "its file was removed");
            removed(origins, (contract, declaration), gone)
        })
        .collect();
    declarations.extend(routes::changes(before, origins.after, Some(contract), None));
    let told: BTreeSet<String> =
        contract.declarations.iter().flat_map(|one| exported::names(contract, one)).collect();
    let passes_on =
        !contract.exports.stars.is_empty() || contract.exports.names().any(|name| !told.contains(name));
    declarations.extend(missed(origins, contract, &declarations));
    // A file that promises nothing is missed by those alone who run it.
    let least = if passes_on { Verdict::Breaking } else { Verdict::Internal };
    let verdict = declarations.iter().map(|change| change.verdict).fold(least, Verdict::min);
    FileChange {
        entry_id: contract.entry_id.clone(),
        change: Change::Removed,
        moved_from: None,
        verdict,
        declarations,
        semantic_hash_before: Some(contract.semantic_hash.clone()),
        semantic_hash_after: None,
        details: Details::default(),
    }
}

/// That a file is gone which somebody still imports: for what it does, or for what else was not told of it.
fn missed(
    origins: &Origins<'_, '_>,
    contract: &Contract,
    told: &[DeclarationChange],
) -> Option<DeclarationChange> {
    let known: BTreeSet<&String> = told.iter().flat_map(|change| &change.used_by).collect();
    let missing = left::missing(origins, &contract.entry_id);
    let used_by: Vec<String> = missing.into_iter().filter(|user| !known.contains(user)).collect();
    (!used_by.is_empty()).then(|| DeclarationChange {
        name: contract.entry_id.clone(),
        kind: "file".to_owned(),
        change: Change::Removed,
        before: Vec::new(),
        after: Vec::new(),
        verdict: Verdict::Breaking,
        reason: "the file was removed, and is still imported".to_owned(),
        used_by,
    })
}

/// An exported declaration that its file no longer has.
fn removed(
    origins: &Origins<'_, '_>,
    (contract, declaration): In<'_, ContractDeclaration>,
    gone: followed::Gone,
) -> DeclarationChange {
    let is_breaking = gone.verdict == Verdict::Breaking;
    let all = || users_of(origins, (contract, declaration), None);
    DeclarationChange {
        name: declaration.name.clone(),
        kind: declaration.kind.as_str().to_owned(),
        change: gone.change,
        before: declaration.signatures.clone(),
        after: Vec::new(),
        verdict: gone.verdict,
        reason: gone.reason,
        used_by: if is_breaking { gone.used_by.unwrap_or_else(all) } else { Vec::new() },
    }
}

fn errors(contract: &Contract) -> impl Iterator<Item = &Diagnostic> {
    contract.diagnostics.iter().filter(|one| one.severity == Severity::Error)
}

fn has_errors(contract: &Contract) -> bool {
    errors(contract).next().is_some()
}

/// More syntax errors of a file come of the first ones.
const MOST_ERRORS: usize = 3;

/// What is missing in a file that could not be read whole need not be gone: says so, and where the errors are.
fn unread(new: &Contract, was_so: bool, declarations: &mut Vec<DeclarationChange>) {
    if !has_errors(new) || was_so && declarations.is_empty() {
        return;
    }
    for gone in declarations.iter_mut().filter(|one| one.change == Change::Removed) {
        gone.reason = format!("not found, and the file has syntax errors ({})", gone.reason);
    }
    declarations.extend(errors(new).take(MOST_ERRORS).map(|error| DeclarationChange {
        name: format!("{}:{}", error.line, error.column),
        kind: "syntax error".to_owned(),
        change: Change::Changed,
        before: Vec::new(),
        after: Vec::new(),
        verdict: Verdict::Internal,
        reason: error.message.clone(),
        used_by: Vec::new(),
    }));
}

fn changed_file(origins: &Origins<'_, '_>, old: &Contract, new: &Contract) -> Option<FileChange> {
    match written::alike((origins.before.reduced, origins.after.reduced), old, new) {
        Some(alike) => told_file(origins, &alike.old, &alike.new, Some(&alike)),
        None => told_file(origins, old, new, None),
    }
}

/// `read` is what files, where the contracts are from such, tell beside.
fn told_file(
    origins: &Origins<'_, '_>,
    old: &Contract,
    new: &Contract,
    read: Option<&Alike>,
) -> Option<FileChange> {
    let before = origins.before;
    let moved = old.entry_id != new.entry_id;
    let mut declarations = declaration_changes(origins, old, new);
    declarations.extend(export_changes(before, old, new));
    declarations.extend(passed_on::changes(origins, old, new));
    declarations.extend(routes::changes(before, origins.after, Some(old), Some(new)));
    declarations.extend(directive::change(before, old, new));
    if let Some(read) = read {
        declarations.extend(read.untold.iter().map(|one| one.change(before, &old.entry_id)));
        declarations.extend(written::merged(before, old, new, &declarations));
    } else if declarations.iter().all(|change| change.verdict == Verdict::Internal) {
        declarations.extend(passed_on::another_way(old, new));
    }
    ambiguous::put(origins, Some(old), new, &mut declarations);
    let same = old.semantic_hash == new.semantic_hash;
    unread(new, same && has_errors(old), &mut declarations);
    let details = Details::between(old, new);
    if moved {
        declarations.push(moved::change(origins, old, new));
    }
    if declarations.is_empty() && details.is_empty() && same {
        return None;
    }
    let unseen = declarations.iter().all(|change| change.verdict == Verdict::Internal);
    if let Some(read) = read.filter(|_| !same && unseen) {
        declarations.push(written::left_out(before, read));
    }
    let verdict = declarations.iter().map(|change| change.verdict).min().unwrap_or(Verdict::Internal);
    declarations.sort_by(|left, right| {
        (left.verdict, &left.name, &left.kind).cmp(&(right.verdict, &right.name, &right.kind))
    });
    Some(FileChange {
        entry_id: new.entry_id.clone(),
        change: if moved { Change::Moved } else { Change::Changed },
        moved_from: moved.then(|| old.entry_id.clone()),
        verdict,
        declarations,
        semantic_hash_before: Some(old.semantic_hash.clone()),
        semantic_hash_after: Some(new.semantic_hash.clone()),
        details,
    })
}

fn declaration_changes(origins: &Origins<'_, '_>, old: &Contract, new: &Contract) -> Vec<DeclarationChange> {
    let side = origins.before;
    let mut changes = Vec::new();
    for (before, after) in exported::pairs(old, new) {
        // Declared elsewhere and passed on by the same name it is still there, or was already.
        let elsewhere = match (before, after) {
            (Some(one), None) => passed_on::of_declared(origins.after, (old, one), new),
            (None, Some(one)) => passed_on::of_declared(origins.before, (new, one), old),
            _ => None,
        };
        let was = before.map(|one| (old, one)).or(elsewhere);
        let is = after.map(|one| (new, one)).or(elsewhere);
        // Where not all who use it are meant.
        let mut only = None;
        let (change, verdict, reason) = match (was, is) {
            (Some(was), Some(is)) if elsewhere.is_some() => {
                let place = elsewhere.map(|(file, _)| file.entry_id.as_str()).unwrap_or_default();
                match judge_moved(origins, was, is) {
                    None => (
                        Change::Moved,
                        Verdict::Compatible,
                        format!("it is the same, passed on from {place}"),
                    ),
                    Some((verdict, reason)) => {
                        (Change::Changed, verdict, format!("passed on from {place}: {reason}"))
                    }
                }
            }
            (Some(was), Some(is)) => {
                let Some((verdict, reason)) = judge_in_files(origins, was, is) else {
                    changes.extend(decorated::otherwise(origins, was.1, is.1));
                    continue;
                };
                let is_breaking = verdict == Verdict::Breaking;
                let lacking = (!is_breaking)
                    .then(|| {
                        implemented::lacking(side, was, is.1)
                            .or_else(|| overridden::clashing(origins.after, was.1, is))
                            .or_else(|| made_of::broken(origins, was, is))
                    })
                    .flatten();
                match is_breaking.then(|| followed::declared_elsewhere(origins, was)).flatten() {
                    Some(place) => {
                        (Change::Changed, Verdict::Compatible, format!("{place} declares the rest of it now"))
                    }
                    None => match lacking {
                        Some((reason, lacking)) => {
                            only = Some(lacking);
                            (Change::Changed, Verdict::Breaking, reason)
                        }
                        None => (Change::Changed, verdict, reason),
                    },
                }
            }
            (Some(was), None) if was.1.exported => {
                let gone = followed::gone(origins, was, Some(new), "removed");
                changes.push(removed(origins, was, gone));
                continue;
            }
            (None, Some(is)) if is.1.exported => match passed_on::from(old, is) {
                Some(from) => (
                    Change::Changed,
                    Verdict::Breaking,
                    format!("it came from `{from}`, and is declared here now"),
                ),
                None => (Change::Added, Verdict::Compatible, "added".to_owned()),
            },
            (Some(_), None) => (Change::Removed, Verdict::Internal, "removed, and was private".to_owned()),
            _ => (Change::Added, Verdict::Internal, "added, and is private".to_owned()),
        };
        let Some((_, shown)) = is.or(was) else { continue };
        let signatures = |one: Option<In<'_, ContractDeclaration>>| {
            one.map(|(_, one)| one.signatures.clone()).unwrap_or_default()
        };
        let mut shown_as = signature::different(shown.kind, signatures(was), signatures(is));
        // That of a component may name its props, and say nothing of what they are.
        if let Some(((_, was), (_, is))) = was.zip(is).filter(|_| shown_as.0 == shown_as.1) {
            let (before, after) = (was.declared_props(), is.declared_props());
            if before != after {
                shown_as = signature::different_props(&before, &after);
            } else if was.state != is.state {
                shown_as = signature::different_state(&was.state, &is.state);
            }
        }
        let users = || match (before, after) {
            (Some(before), _) => users_of(origins, (old, before), after),
            // It was passed on by the names that it has now.
            (None, Some(after)) => {
                let names = exported::names(new, after);
                names.iter().flat_map(|name| users(side, &old.entry_id, name)).collect()
            }
            (None, None) => Vec::new(),
        };
        changes.push(DeclarationChange {
            name: shown.name.clone(),
            kind: shown.kind.as_str().to_owned(),
            change,
            before: shown_as.0,
            after: shown_as.1,
            verdict,
            reason,
            used_by: if verdict == Verdict::Breaking { only.unwrap_or_else(users) } else { Vec::new() },
        });
    }
    changes
}

/// As [`judge_in_files`], of one that stands in another file now, where what it names beside it may be something else.
fn judge_moved(
    origins: &Origins<'_, '_>,
    before: In<'_, ContractDeclaration>,
    after: In<'_, ContractDeclaration>,
) -> Option<(Verdict, String)> {
    judge_in_files(origins, before, after).into_iter().chain(followed::judge_named(before, after)).min()
}

/// As [`judge_pair`], knowing what else the files declare, and what they import.
fn judge_in_files(
    origins: &Origins<'_, '_>,
    before: In<'_, ContractDeclaration>,
    after: In<'_, ContractDeclaration>,
) -> Option<(Verdict, String)> {
    let ((old_file, was), (new_file, is)) = (before, after);
    let (in_old, in_new) = (in_place::named(old_file, was), in_place::named(new_file, is));
    let (old, new) = (in_old.as_ref().unwrap_or(was), in_new.as_ref().unwrap_or(is));
    let (before, after) = ((old_file, old), (new_file, new));
    let renamed = origins.renamed(before, after);
    let now = renamed.as_ref().unwrap_or(new);
    let same = |reason: &str| (Verdict::Compatible, reason.to_owned());
    let is_type = |kind| matches!(kind, DeclarationKind::Interface | DeclarationKind::Type);
    let judged = judge_pair(old, now).map(|plainly| {
        match (expand::expanded(old_file, old), expand::expanded(new_file, now)) {
            _ if same_signatures(old, now) => plainly,
            // Whatever a type names that is not what it was is told by itself.
            _ if plainly.0 == Verdict::Compatible && is_type(old.kind) && is_type(now.kind) => plainly,
            (None, None) => plainly,
            (before, after) => {
                let judged = judge_pair(before.as_ref().unwrap_or(old), after.as_ref().unwrap_or(now))
                    .unwrap_or_else(|| same("it is the same, with other names for types"));
                // Where both ways say the same, in the words of the source.
                if judged.0 == plainly.0 { plainly } else { judged }
            }
        }
    });
    let judged = judged.map(|judged| match judged.0 {
        Verdict::Breaking => across::judge(origins, before, (new_file, now)).unwrap_or(judged),
        _ => judged,
    });
    let judged = judged.map(|judged| match judged.0 {
        Verdict::Breaking if !old.exported && !new.exported && seen_alike(before, after) => {
            same("what leads to it takes and gives what it did, or more")
        }
        _ => judged,
    });
    let is_seen = |one: &ContractDeclaration| one.exported || !one.signatures.is_empty();
    if !(is_seen(old) && is_seen(new)) {
        return judged;
    }
    let by_origin = origins.judge(before, (new_file, now));
    let otherwise = || !looks_same(was, is);
    judged
        .into_iter()
        .chain(by_origin)
        .chain(events::judge(before, after))
        .min()
        .or_else(|| otherwise().then(|| same("what it names is imported in another way, and is the same")))
}

/// Whether nothing breaks of what is exported and leads to a private declaration, with what that is written in its place: it
/// may only be taken, or only given.
fn seen_alike(before: In<'_, ContractDeclaration>, after: In<'_, ContractDeclaration>) -> bool {
    let ((old_file, old), (new_file, new)) = (before, after);
    let whole = |file: &Contract, one: &ContractDeclaration, private: &ContractDeclaration| {
        expand::expanded(file, one).filter(|one| !users::names_one_of(one, |name| name == private.name))
    };
    users::leading_to(old_file, old).all(|one| {
        let same = |other: &&ContractDeclaration| other.name == one.name && other.exported;
        // One that went is told as that.
        new_file.declarations.iter().find(same).is_none_or(|other| {
            whole(old_file, one, old).zip(whole(new_file, other, new)).is_some_and(|(before, after)| {
                judge_pair(&before, &after).is_none_or(|(verdict, _)| verdict != Verdict::Breaking)
            })
        })
    })
}

/// Whether the hash of two declarations that mean the same is the same, too.
fn looks_same(old: &ContractDeclaration, new: &ContractDeclaration) -> bool {
    if old.signatures == new.signatures && old.imported == new.imported && old.props == new.props {
        return true;
    }
    let as_hashed = |one: &ContractDeclaration| ContractDeclaration {
        signatures: canonical(one).into_owned(),
        ..one.clone()
    };
    let modules = |one: &'_ ContractDeclaration| -> BTreeSet<(String, String)> {
        one.imported.iter().map(|one| (one.name.clone(), one.from.clone())).collect()
    };
    let props = |one: &'_ ContractDeclaration| -> Vec<BTreeSet<(String, String, bool)>> {
        let member = |prop: &Member| (prop.name.clone(), prop.text.clone(), prop.optional);
        one.declared_props().iter().map(|variant| variant.iter().map(member).collect()).collect()
    };
    modules(old) == modules(new)
        && same_signatures(&as_hashed(old), &as_hashed(new))
        && props(old) == props(new)
}

/// `None` where a consumer sees no difference.
fn judge_pair(old: &ContractDeclaration, new: &ContractDeclaration) -> Option<(Verdict, String)> {
    match (old.exported, new.exported) {
        // What exported declarations lead to is seen through them.
        (false, false) if old.signatures.is_empty() || new.signatures.is_empty() => return None,
        (true, false) => return Some((Verdict::Breaking, "no longer exported".to_owned())),
        (false, true) => return Some((Verdict::Compatible, "exported now".to_owned())),
        (true, true) | (false, false) => {}
    }
    let both = |kind: DeclarationKind| old.kind == kind && new.kind == kind;
    if let Some((assigned, old, new)) = members::assigned_apart(old, new) {
        return assigned.into_iter().chain(judge_pair(&old, &new)).min();
    }
    // The parameters of a hook are in its signature.
    let renamed = both(DeclarationKind::Component).then(|| as_named_before(old, new)).flatten();
    let new_props = renamed.as_ref().unwrap_or(new).declared_props();
    let props =
        (!both(DeclarationKind::Hook)).then(|| judge_props(&old.declared_props(), &new_props)).flatten();
    let judged = || old.kind_outside() != new.kind_outside() || !same_signatures(old, new);
    let as_class = || members::judge_component(&old.signatures, &new.signatures);
    let class = both(DeclarationKind::Component).then(as_class).flatten();
    let signatures = if both(DeclarationKind::Component) {
        // The props of a component are its parameters: they have been judged one by one.
        let known = !(old.props.is_empty() && new.props.is_empty());
        match (known, props.is_some()) {
            (true, _) if told::other_ref(&old.signatures, &new.signatures) => {
                Some((Verdict::Breaking, "what its ref holds changed".to_owned()))
            }
            (true, _) if lost_ref(old, new) => {
                Some((Verdict::Breaking, "it takes no ref any more".to_owned()))
            }
            (true, _) if narrowed(old, new).is_some() => {
                narrowed(old, new).map(|reason| (Verdict::Breaking, reason))
            }
            (true, _) if told::lost_parts(&old.signatures, &new.signatures) => {
                Some((Verdict::Breaking, "a part of it went".to_owned()))
            }
            (true, true) => None,
            (true, false) => judged()
                .then(|| (Verdict::Compatible, "it is declared otherwise, with the same props".to_owned())),
            (false, _) => judged().then(|| class.clone().unwrap_or_else(|| judge(old, new))),
        }
    } else {
        judged().then(|| judge(old, new))
    };
    let state = (old.state != new.state).then(|| (Verdict::Compatible, "its state changed".to_owned()));
    let emits = (old.emits != new.emits).then(|| judge_emits(old, new));
    let inherits = both(DeclarationKind::Component).then(|| judge_inherits(old, new)).flatten();
    let class = class.filter(|(verdict, _)| *verdict == Verdict::Breaking);
    [props, signatures, class, inherits, emits, state].into_iter().flatten().min()
}

/// Whether `forwardRef` went, and no prop that would be the ref came in its place.
fn lost_ref(old: &ContractDeclaration, new: &ContractDeclaration) -> bool {
    // Types of React that have none; any other may have.
    let has_none = |one: &UnresolvedType| {
        let name = one.name.split('<').next().unwrap_or_default();
        name.ends_with("HTMLAttributes")
            || ["SVGAttributes", "SVGProps", "ComponentPropsWithoutRef", "PropsWithChildren"]
                .iter()
                .any(|known| name.ends_with(known))
    };
    // Files do not tell in which form it is.
    let had = old.form == Some(ComponentForm::ForwardRef)
        || old.signatures.iter().any(|text| text.contains(": inferred forwardRef<"));
    let is_plain = match new.form {
        Some(form) => matches!(form, ComponentForm::Function | ComponentForm::Arrow),
        None => {
            new.signatures.iter().any(|text| matches!(form::Form::of(new.kind, text), form::Form::Call(_)))
        }
    };
    had && is_plain
        && new.props.iter().flatten().all(|prop| prop.name != "ref")
        && new.inherits.iter().all(has_none)
}

/// What those have to change who give a component types that it no longer takes.
fn narrowed(old: &ContractDeclaration, new: &ContractDeclaration) -> Option<String> {
    generics::Renaming::between(&generics_of(old)?, &generics_of(new)?).err()
}

/// A component whose props name its type parameters as they were called before.
fn as_named_before(old: &ContractDeclaration, new: &ContractDeclaration) -> Option<ContractDeclaration> {
    let (was, is) = (generics_of(old)?, generics_of(new)?);
    let renaming = generics::Renaming::between(&was, &is).ok().filter(|_| was != is)?;
    let mut renamed = new.clone();
    for prop in renamed.props.iter_mut().flatten() {
        prop.text = renaming.text(&prop.text);
    }
    Some(renamed)
}

/// The type parameters of a component that has some.
fn generics_of(one: &ContractDeclaration) -> Option<String> {
    match one.signatures.as_slice() {
        [signature] if signature.contains('<') => match form::Form::of(one.kind, signature) {
            form::Form::Call(call) => Some(call.generics).filter(|generics| !generics.is_empty()),
            _ => None,
        },
        _ => None,
    }
}

/// Props of types that could not be followed, by the names of those.
fn judge_inherits(old: &ContractDeclaration, new: &ContractDeclaration) -> Option<(Verdict, String)> {
    let lacks = |of: &ContractDeclaration, other: &ContractDeclaration| {
        let declares = |name: &str| {
            !other.props.is_empty()
                && other.props.iter().all(|variant| variant.iter().any(|prop| prop.name == name))
        };
        let has = |one: &UnresolvedType| {
            other.inherits.iter().any(|known| known.outside() == one.outside() && known.covers(one, declares))
        };
        of.inherits.iter().find(|one| !has(one)).map(|one| one.name.clone())
    };
    let gone =
        lacks(old, new).map(|name| (Verdict::Breaking, format!("it takes fewer props of `{name}`, or none")));
    let more =
        || lacks(new, old).map(|name| (Verdict::Compatible, format!("it takes more props of `{name}`")));
    gone.or_else(more)
}

/// What a component of React calls is among its props; one of Vue has events of its own, which others listen to.
fn judge_emits(old: &ContractDeclaration, new: &ContractDeclaration) -> (Verdict, String) {
    let is_vue = |one: &ContractDeclaration| one.form == Some(ComponentForm::Vue);
    match old.emits.iter().find(|event| !new.emits.contains(event)) {
        Some(event) if is_vue(old) && is_vue(new) => {
            (Verdict::Breaking, format!("the event `{event}` is no longer emitted"))
        }
        _ => (Verdict::Compatible, "it calls other callbacks".to_owned()),
    }
}

/// What the file calls it is no part of it, nor is the order of its members.
fn same_signatures(old: &ContractDeclaration, new: &ContractDeclaration) -> bool {
    let mut pairs = old.signatures.iter().zip(&new.signatures);
    old.signatures == new.signatures
        || old.signatures.len() == new.signatures.len()
            && pairs.all(|(before, after)| {
                in_order(before) == in_order(after)
                    || old.name != new.name
                        && in_order(&old.renamed(before, "")) == in_order(&new.renamed(after, ""))
            })
}

/// Names that came or went without a declaration that did: of barrels, of lists of exports, of renames.
fn export_changes(side: &Side<'_>, old: &Contract, new: &Contract) -> Vec<DeclarationChange> {
    let told: BTreeSet<String> = exported::told_by_declarations(old, new);
    let names = |contract: &Contract| -> BTreeSet<String> {
        let stars = contract.exports.stars.iter().map(|star| format!("* from {star}"));
        let default = contract.exports.default.iter().map(|_| "default".to_owned());
        contract.exports.named.iter().cloned().chain(stars).chain(default).collect()
    };
    let (before, after) = (names(old), names(new));
    let change = |name: &String, change: Change, verdict: Verdict, reason: &str| DeclarationChange {
        name: name.clone(),
        kind: "export".to_owned(),
        change,
        before: Vec::new(),
        after: Vec::new(),
        verdict,
        reason: reason.to_owned(),
        used_by: if verdict == Verdict::Breaking { users(side, &old.entry_id, name) } else { Vec::new() },
    };
    let untold = |name: &&String| !told.contains(*name);
    let gone = before.difference(&after).filter(untold);
    let come = after.difference(&before).filter(untold);
    let kept = before.intersection(&after);
    let is_type = |contract: &Contract, name: &String| contract.exports.types.contains(name);
    let turned = kept.filter_map(|name| match (is_type(old, name), is_type(new, name)) {
        (false, true) => {
            Some(change(name, Change::Changed, Verdict::Breaking, "is exported as a type alone now"))
        }
        (true, false) => {
            Some(change(name, Change::Changed, Verdict::Compatible, "is exported as a value now, too"))
        }
        _ => None,
    });
    gone.map(|name| change(name, Change::Removed, Verdict::Breaking, "no longer exported"))
        .chain(come.map(|name| change(name, Change::Added, Verdict::Compatible, "exported now")))
        .chain(turned)
        .collect()
}

#[cfg(test)]
mod tests;
