//! Contracts that were read from files, which tell less than there is: signatures may be cut or left out, props stand in one
//! merged view, what is private is a name. Two of them, or one and a whole contract, are brought to what both can tell, so
//! that what is compared then differs where the code does.

use std::collections::BTreeSet;

use super::exported::{names, pairs};
use super::verdict::judge_props;
use super::{Change, DeclarationChange, Side, Verdict, told, users_of_file};
use crate::header::CUT;
use crate::model::{
    ComponentForm, Contract, ContractDeclaration, DeclarationKind, Kind, LogicSignature, Member, State,
};

/// The name of the prop that counts those that are left out.
const MORE: &str = "…";

/// In the signature of a constant that nobody annotated.
const INFERRED_VALUE: &str = ": inferred";

/// Two contracts that tell the same things.
pub(super) struct Alike {
    pub(super) old: Contract,
    pub(super) new: Contract,
    /// Exported declarations that are not what they were, and of which nothing worse can be said.
    pub(super) untold: Vec<Untold>,
}

pub(super) struct Untold {
    pub(super) name: String,
    pub(super) kind: DeclarationKind,
    pub(super) before: Vec<String>,
    pub(super) after: Vec<String>,
    pub(super) verdict: Verdict,
    pub(super) reason: &'static str,
}

impl Untold {
    pub(super) fn change(&self, side: &Side<'_>, file: &str) -> DeclarationChange {
        let is_breaking = self.verdict == Verdict::Breaking;
        let used_by = if is_breaking { users_of_file(side, file) } else { Vec::new() };
        DeclarationChange {
            name: self.name.clone(),
            kind: self.kind.as_str().to_owned(),
            change: Change::Changed,
            before: self.before.clone(),
            after: self.after.clone(),
            verdict: self.verdict,
            reason: self.reason.to_owned(),
            used_by,
        }
    }
}

/// What the merged view tells of several components that nothing else told: who renders one has to change when a prop went
/// or is wanted now. Which of them it is cannot be told.
pub(super) fn merged(
    side: &Side<'_>,
    old: &Contract,
    new: &Contract,
    told: &[DeclarationChange],
) -> Option<DeclarationChange> {
    let renders = |contract: &Contract| matches!(contract.kind, Kind::ReactComponent | Kind::VueComponent);
    let known = old.declarations.iter().any(|one| !one.props.is_empty());
    let is_told = told.iter().any(|change| change.verdict == Verdict::Breaking);
    if !renders(old) || !renders(new) || known || is_told || old.semantic_hash == new.semantic_hash {
        return None;
    }
    let (was, is) = (&old.logic_signature, &new.logic_signature);
    let members = |signature: &LogicSignature| -> Vec<Member> { told_props(signature).collect() };
    let state = (was.state != is.state).then(|| (Verdict::Compatible, "its state changed".to_owned()));
    let events = |signature: &LogicSignature| signature.emits.keys().cloned().collect::<Vec<_>>();
    let emits =
        (events(was) != events(is)).then(|| (Verdict::Compatible, "it calls other callbacks".to_owned()));
    let props = judge_props(&[members(was)], &[members(is)]);
    let (verdict, reason) = [props, state, emits].into_iter().flatten().min()?;
    Some(of_file(side, old, new, verdict, reason))
}

/// Without what a component takes of a type that is not followed, which says nothing of what others may give.
fn told_props(signature: &LogicSignature) -> impl Iterator<Item = Member> {
    let told = signature.props.iter().filter(|(_, prop)| !prop.is_untold());
    told.map(|(name, prop)| prop.as_member(name))
}

/// Said where the hash of a file is another and nothing that is told of it.
pub(super) fn left_out(side: &Side<'_>, Alike { old, new, .. }: &Alike) -> DeclarationChange {
    let reason = "what it promises changed, in something that the written file leaves out";
    // It may be anything: what cannot be told is looked at.
    of_file(side, old, new, Verdict::Breaking, reason.to_owned())
}

fn of_file(
    side: &Side<'_>,
    old: &Contract,
    new: &Contract,
    verdict: Verdict,
    reason: String,
) -> DeclarationChange {
    DeclarationChange {
        name: new.entry_id.clone(),
        kind: "file".to_owned(),
        change: Change::Changed,
        before: Vec::new(),
        after: Vec::new(),
        verdict,
        reason,
        used_by: if verdict == Verdict::Breaking { users_of_file(side, &old.entry_id) } else { Vec::new() },
    }
}

/// Whether a contract was read from a file that tells its declarations by their signatures.
fn is_read_from_lines(contract: &Contract) -> bool {
    contract.declarations.iter().all(|one| one.lines.first == 0)
}

/// `read` says which of them may come from files; nothing where both are whole.
pub(super) fn alike(read: (bool, bool), before: &Contract, after: &Contract) -> Option<Alike> {
    let reduced = (read.0 && is_read_from_lines(before), read.1 && is_read_from_lines(after));
    let lossy = (read.0 && loses_exports(before), read.1 && loses_exports(after));
    if reduced == (false, false) && lossy == (false, false) {
        return None;
    }
    let mut alike = Alike { old: before.clone(), new: after.clone(), untold: Vec::new() };
    let Alike { old, new, untold } = &mut alike;
    let same = !old.semantic_hash.is_empty() && old.semantic_hash == new.semantic_hash;
    if reduced != (false, false) {
        same_lists(old, after);
        same_lists(new, before);
    }
    if lossy.0 {
        same_exports(old, after);
    }
    if lossy.1 {
        same_exports(new, before);
    }
    if reduced == (false, false) {
        // Declarations that are told whole need nothing else.
        if same {
            let (from, to) = if lossy.0 { (&*new, old) } else { (&*old, new) };
            to.exports.clone_from(&from.exports);
        }
        return Some(alike);
    }
    let components = |one: &&ContractDeclaration| one.kind == DeclarationKind::Component;
    let several = [&*old, &*new].iter().any(|one| one.declarations.iter().filter(components).count() > 1);
    for one in [&mut *old, &mut *new] {
        private_by_name(one);
        // Where names come from is not told.
        one.passed_on.clear();
    }
    if same {
        // All that others see is told by either; the fuller one speaks for both.
        let (from, to) = if reduced.0 { (&*new, old) } else { (&*old, new) };
        to.exports.clone_from(&from.exports);
        to.logic_signature.clone_from(&from.logic_signature);
        let private = std::mem::take(&mut to.declarations).into_iter().filter(|one| !one.exported);
        to.declarations =
            from.declarations.iter().filter(|one| one.exported).cloned().chain(private).collect();
        return Some(alike);
    }
    mend_components(old, new, reduced, several);
    if reduced.0 {
        fill(old, new, false, untold);
    }
    if reduced.1 {
        fill(new, old, true, untold);
    }
    Some(alike)
}

/// Lists and props without what the other one leaves out of its own.
fn same_lists(one: &mut Contract, other: &Contract) {
    if other.brief && !one.brief {
        let exports = one.exports.clone();
        let is_private =
            |name: &String| !exports.named.contains(name) && exports.default.as_ref() != Some(name);
        one.version.functions.retain(is_private);
        one.version.variables.retain(is_private);
        one.version.imports.clear();
        one.version.language_specific = None;
        one.brief = true;
    }
    let props = &mut one.logic_signature.props;
    let others = &other.logic_signature.props;
    let is_cut = others.contains_key(MORE);
    props.retain(|name, _| name != MORE && (!is_cut || others.contains_key(name)));
}

/// Schema 0.4 has no place for the name of the default export, for stars, renames and types, and none for a single name.
fn loses_exports(contract: &Contract) -> bool {
    contract.schema_version == "0.4"
}

/// The exports of one whose schema loses some, as far as the other tells them.
fn same_exports(one: &mut Contract, other: &Contract) {
    let mut told: Vec<&str> =
        one.declarations.iter().filter(|one| one.exported).map(|one| one.name.as_str()).collect();
    told.sort_unstable();
    told.dedup();
    let exports = &mut one.exports;
    if let Some(at) = exports.named.iter().position(|name| name == "default") {
        exports.default = Some(exports.named.remove(at));
    }
    if exports.default.is_some() {
        let mut unnamed = told.iter().filter(|name| !exports.named.iter().any(|one| one == *name));
        if let (Some(only), None) = (unnamed.next(), unnamed.next()) {
            exports.default = Some((*only).to_owned());
        }
    } else if exports.is_empty() && !is_of_all(other) {
        // The word `named` stands for one name.
        exports.named = match (told.as_slice(), other.exports.named.as_slice()) {
            ([only], _) => vec![(*only).to_owned()],
            ([], [only]) => vec![only.clone()],
            _ => Vec::new(),
        };
    }
    exports.stars.clone_from(&other.exports.stars);
    let named = |name: &&String| exports.named.contains(name);
    exports.types = other.exports.types.iter().filter(named).cloned().collect();
    let renamed = other.exports.renamed.iter().filter(|(name, _)| named(name));
    exports.renamed = renamed.map(|(name, local)| (name.clone(), local.clone())).collect();
}

/// Whether what it shows is there for everybody: it exports nothing.
fn is_of_all(contract: &Contract) -> bool {
    !is_read_from_lines(contract)
        && contract.exports.is_empty()
        && contract.declarations.iter().any(|one| one.exported)
}

/// What is private is a name, and only where no list of the file has it.
fn private_by_name(contract: &mut Contract) {
    use DeclarationKind::{Component, Constant, Function, Hook, Variable};
    let is_listed = |kind| matches!(kind, Component | Hook | Function | Constant | Variable);
    contract.declarations.retain(|one| one.exported || !is_listed(one.kind));
    for one in contract.declarations.iter_mut().filter(|one| !one.exported) {
        one.signatures.clear();
        one.props.clear();
    }
}

/// A file tells the props, events and state of its components together: of an only one they are its own.
fn mend_components(old: &mut Contract, new: &mut Contract, reduced: (bool, bool), several: bool) {
    let is_component = |contract: &Contract, reduced: bool, one: &ContractDeclaration| {
        let named = one.name == "default"
            || one.name.starts_with(char::is_uppercase) && one.name.contains(char::is_lowercase)
            || one.name.len() == 1;
        let is_value = matches!(
            one.kind,
            DeclarationKind::Function | DeclarationKind::Constant | DeclarationKind::Class
        );
        let renders = matches!(contract.kind, Kind::ReactComponent | Kind::VueComponent);
        one.kind == DeclarationKind::Component || reduced && renders && named && is_value && one.exported
    };
    let found = |contract: &Contract, reduced: bool| -> BTreeSet<String> {
        let all = contract.declarations.iter().filter(|one| is_component(contract, reduced, one));
        all.flat_map(|one| names(contract, one)).collect()
    };
    let (before, after) = (found(old, reduced.0), found(new, reduced.1));
    let both: BTreeSet<String> = before.intersection(&after).cloned().collect();
    for (contract, all) in [(old, &before), (new, &after)] {
        let exports = contract.exports.clone();
        let is_both = |one: &ContractDeclaration| {
            one.exported && exports.names_of(&one.name).any(|name| both.contains(name))
        };
        let components = contract.declarations.iter().filter(|one| is_both(one)).count();
        let merged = contract.logic_signature.clone();
        for one in &mut contract.declarations {
            one.props.clear();
            one.emits.clear();
            one.state.clear();
            one.imported.clear();
            one.inherits.clear();
            if !is_both(one)
                || !matches!(
                    one.kind,
                    DeclarationKind::Component
                        | DeclarationKind::Function
                        | DeclarationKind::Constant
                        | DeclarationKind::Class
                )
            {
                continue;
            }
            one.kind = DeclarationKind::Component;
            one.form = (contract.kind == Kind::VueComponent).then_some(ComponentForm::Vue);
            if !several && components == 1 && all.len() == 1 {
                one.props = vec![told_props(&merged).collect()];
                one.emits = merged.emits.keys().cloned().collect();
                let state =
                    |(name, text): (&String, &String)| State { name: name.clone(), text: text.clone() };
                one.state = merged.state.iter().map(state).collect();
            }
        }
    }
}

/// Gives what was read the declarations that it only names, and those of which it tells the same as the other.
fn fill(read: &mut Contract, other: &Contract, later: bool, untold: &mut Vec<Untold>) {
    let named = |name: &String| {
        read.exports.named.contains(name) || name == "default" && read.exports.default.is_some()
    };
    // A type and a value may have one name: of which one is told, the other is not there.
    let is_told = |name: &String| {
        read.declarations.iter().any(|one| one.exported && names(read, one).iter().any(|own| own == name))
    };
    let same_props = read.logic_signature.props == other.logic_signature.props;
    let mut declarations = Vec::with_capacity(read.declarations.len());
    for pair in pairs(read, other) {
        let (line, full) = match pair {
            (Some(line), Some(full)) if line.exported && full.exported => (line, full),
            (None, Some(full)) if names(other, full).iter().any(|name| named(name) && !is_told(name)) => {
                // It is there, and nothing is told of it.
                declarations.push(full.clone());
                continue;
            }
            // What can be known by no name cannot be missed.
            (Some(line), _) if !line.exported || !names(read, line).is_empty() => {
                declarations.push(line.clone());
                continue;
            }
            _ => continue,
        };
        let cut = line.signatures.iter().any(|text| is_cut(text));
        let reason = if says_same(line, full) {
            None
        } else if cut {
            // It may be anything: what cannot be told is looked at.
            Some((Verdict::Breaking, "it changed, and the written file tells too little of it to say more"))
        } else if same_props && is_made_otherwise(line, full) {
            Some((Verdict::Compatible, "it is declared otherwise, with the same props"))
        } else {
            declarations.push(line.clone());
            continue;
        };
        if let Some((verdict, reason)) = reason {
            let (before, after) = (line.signatures.clone(), full.signatures.clone());
            let (before, after) = if later { (after, before) } else { (before, after) };
            untold.push(Untold { name: full.name.clone(), kind: full.kind, before, after, verdict, reason });
        }
        let ContractDeclaration { props, emits, state, .. } = line.clone();
        declarations.push(ContractDeclaration { props, emits, state, ..full.clone() });
    }
    read.declarations = declarations;
}

/// One of several components that a call makes, or made: its props are somewhere among those of the file.
fn is_made_otherwise(line: &ContractDeclaration, full: &ContractDeclaration) -> bool {
    let component =
        |one: &ContractDeclaration| one.kind == DeclarationKind::Component && one.props.is_empty();
    let is_made = |one: &ContractDeclaration| one.signatures.iter().any(|text| text.contains(INFERRED_VALUE));
    let (was, is) = (&line.signatures, &full.signatures);
    component(line)
        && component(full)
        && (is_made(line) || is_made(full))
        && !told::lost_parts(was, is)
        && !told::other_ref(was, is)
}

/// A signature without the number of overloads that are not told behind it, and that number.
fn uncounted(text: &str) -> (&str, usize) {
    let counted = |(text, count)| Some((text, str::parse(str::strip_suffix(count, " more")?).ok()?));
    text.rsplit_once(" …").and_then(counted).unwrap_or((text, 0))
}

fn is_cut(text: &str) -> bool {
    let (text, more) = uncounted(text);
    more > 0 || text.ends_with(CUT)
}

/// Whether the lines of a file are those of a declaration, as far as they go.
fn says_same(line: &ContractDeclaration, full: &ContractDeclaration) -> bool {
    let plain = |one: &ContractDeclaration, text: &str| {
        let text = text.strip_prefix("default: ").unwrap_or(text);
        let text = text.strip_prefix("declare ").unwrap_or(text);
        if line.name == full.name { text.to_owned() } else { one.renamed(text, "") }
    };
    let mut more = 0;
    let same = line.signatures.iter().enumerate().all(|(at, text)| {
        let (text, untold) = uncounted(text);
        more += untold;
        let Some(whole) = full.signatures.get(at) else { return false };
        let whole = plain(full, whole);
        match text.strip_suffix(CUT) {
            Some(start) => whole.starts_with(&plain(line, start)),
            None => whole == plain(line, text),
        }
    });
    same && line.signatures.len() + more == full.signatures.len()
}
