//! What decorates a class, and is otherwise now: no user of the class sees it, but what a module of Nest no longer lists
//! answers nowhere.

use std::collections::BTreeSet;

use super::origins::Origins;
use super::signature::{group, split};
use super::{Change, DeclarationChange, Side, Verdict};
use crate::model::ContractDeclaration;

/// Where a module of Nest lists what answers: itself, or by other modules.
const LISTS: [&str; 2] = ["controllers", "imports"];

/// Files do not tell of it.
pub(super) fn otherwise(
    origins: &Origins<'_, '_>,
    old: &ContractDeclaration,
    new: &ContractDeclaration,
) -> Option<DeclarationChange> {
    if origins.before.reduced || origins.after.reduced {
        return None;
    }
    let lacks = |of: &ContractDeclaration, other: &ContractDeclaration| -> Vec<String> {
        of.decorators.iter().filter(|one| !other.decorators.contains(one)).cloned().collect()
    };
    let (before, after) = (lacks(old, new), lacks(new, old));
    if before.is_empty() && after.is_empty() {
        return None;
    }
    let (verdict, reason) = match unlisted(origins.after, old, new) {
        Some(name) => {
            (Verdict::Breaking, format!("no module lists `{name}` any more, whose routes answer nowhere now"))
        }
        None => (Verdict::Internal, "its decorators changed".to_owned()),
    };
    Some(DeclarationChange {
        name: new.name.clone(),
        kind: new.kind.as_str().to_owned(),
        change: Change::Changed,
        before,
        after,
        verdict,
        reason,
        used_by: Vec::new(),
    })
}

/// What a module listed that answers, and none does now.
fn unlisted(after: &Side<'_>, old: &ContractDeclaration, new: &ContractDeclaration) -> Option<String> {
    let has_decorators = |one: &&ContractDeclaration| !one.decorators.is_empty();
    let all = || after.contracts.values().flat_map(|file| &file.declarations).filter(has_decorators);
    // One that is too long to be read out may list anything.
    let is_cut = |one: &ContractDeclaration| one.decorators.iter().any(|text| text.starts_with("@Module(…"));
    if all().any(is_cut) {
        return None;
    }
    LISTS.into_iter().find_map(|list| {
        let kept = listed(new, list);
        let gone = listed(old, list).into_iter().filter(|name| !kept.contains(name));
        let is_lost = |name: &String| {
            answers(name, &all, &mut BTreeSet::new()) && !all().any(|one| listed(one, list).contains(name))
        };
        gone.into_iter().find(is_lost)
    })
}

/// Whether something by this name has routes: a controller, or a module with some.
fn answers<'a, All: Iterator<Item = &'a ContractDeclaration>>(
    name: &str,
    all: &impl Fn() -> All,
    seen: &mut BTreeSet<String>,
) -> bool {
    if !seen.insert(name.to_owned()) {
        return false;
    }
    all().filter(|one| one.name == name).any(|one| {
        one.decorators.iter().any(|text| text.starts_with("@Controller("))
            || LISTS.iter().flat_map(|list| listed(one, list)).any(|inner| answers(&inner, all, seen))
    })
}

/// The names in one of the lists of a module: `Cats` of `@Module({ controllers: [Cats] })`, `Config` of
/// `imports: [Config.forRoot()]`.
fn listed(one: &ContractDeclaration, list: &str) -> BTreeSet<String> {
    let modules = one.decorators.iter().filter_map(|text| text.strip_prefix("@Module(")?.strip_suffix(')'));
    let members = modules.filter_map(|text| text.strip_prefix('{')?.strip_suffix('}'));
    let fields = members.flat_map(|text| split(text, &[',']));
    let values = fields.filter_map(|field| {
        let (name, value) = field.split_once(':')?;
        let (start, end) = group(value, '[', ']').filter(|_| name.trim() == list)?;
        Some(split(value.get(start + 1..end)?, &[',']))
    });
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    let called = |text: String| text.split(|letter| !is_part(letter)).next().unwrap_or_default().to_owned();
    values.flatten().map(called).filter(|name| !name.is_empty()).collect()
}
