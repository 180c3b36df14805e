//! Results of which a function gives one or another, as far as nobody annotated them: `{ data, ok } | { error, ok }`. Who
//! meets such a result may ask it for whatever member any of them has.

use std::collections::BTreeSet;

use super::signature::{inside, split};
use super::stands::{From, stands_for};
use super::told::INFERRED;
use super::types::{Member, Type, UNWRITTEN, parse};

/// What there is to choose from.
struct Choice {
    parts: Vec<String>,
    /// How many more there are that are not read out.
    more: usize,
    /// How many names there are in all of them.
    names: usize,
}

/// The parts of a choice; `None` where there is none.
pub(super) fn parts(told: &str) -> Option<Vec<String>> {
    if !told.contains(" | ") || matches!(parse(told), Type::Function { .. }) {
        return None;
    }
    let parts = split(told, &['|']);
    (parts.len() > 1).then_some(parts)
}

/// Whether anything else may be among them.
pub(super) fn is_open(told: &str) -> bool {
    parts(told).is_some_and(|parts| parts.iter().any(|part| part == INFERRED))
}

/// How many parts are not read out: `…2 more #5f3a9c1e.10`.
pub(super) fn unread(part: &str) -> Option<(usize, usize)> {
    let (more, mark) = part.strip_prefix('…')?.split_once(" more #")?;
    Some((more.parse().ok()?, mark.split_once('.')?.1.parse().ok()?))
}

/// Whether who met one of the first results can go on with whichever of the others, each of which may be one alone. `stands`
/// says so of two that are no choice, the earlier one first.
pub(super) fn keeps(was: &str, is: &str, stands: impl Fn(&str, &str) -> bool) -> bool {
    let (was, is) = (Choice::of(was), Choice::of(is));
    if was.more + is.more > 0 {
        let each = was.parts.iter().zip(&is.parts);
        return was.parts.len() + was.more == is.parts.len() + is.more
            && is.names > was.names
            && each.into_iter().all(|(was, is)| stands(was, is));
    }
    let is_known = |is: &String| was.parts.iter().any(|was| stands(was, is));
    let is_kept = |was: &&String| is.parts.iter().any(|is| stands(was, is));
    let gone = was.parts.iter().filter(|was| !is_kept(was)).count();
    let each_is_kept = is.parts.iter().all(is_known)
        && gone <= was.parts.len().saturating_sub(is.parts.len())
        && was.members().is_subset(&is.members());
    each_is_kept || is.is_one_with_all(&was)
}

impl Choice {
    fn of(told: &str) -> Self {
        let mut parts = parts(told).unwrap_or_else(|| vec![told.to_owned()]);
        let unread = parts.last().and_then(|last| unread(last));
        if unread.is_some() {
            parts.pop();
        }
        let count = |part: &String| members_of(part).len();
        let (more, names) = unread.unwrap_or_else(|| (0, parts.iter().map(count).sum()));
        Self { parts, more, names }
    }

    fn members(&self) -> BTreeSet<String> {
        self.parts.iter().flat_map(|part| members_of(part)).filter(|name| !name.starts_with('…')).collect()
    }

    /// Whether it is one object that has what each of the others had: what was not in all of them may be absent.
    fn is_one_with_all(&self, was: &Self) -> bool {
        let [one] = self.parts.as_slice() else { return false };
        let all: Vec<Vec<String>> = was.parts.iter().map(|part| members_of(part)).collect();
        if all.iter().any(Vec::is_empty) {
            return false;
        }
        let member = |name: &String| Member {
            name: name.clone(),
            optional: !all.iter().all(|names| names.contains(name)),
            readonly: false,
            ty: Type::Text(UNWRITTEN.to_owned()),
        };
        let names: BTreeSet<&String> = all.iter().flatten().collect();
        let merged = Type::Object(names.into_iter().map(member).collect());
        stands_for(&parse(one), &merged, From::Declaration)
    }
}

/// The names of the members of an object; none of anything else.
fn members_of(part: &str) -> Vec<String> {
    let part = part.split(" #").next().unwrap_or(part);
    let Some(members) = inside(part, '{', '}') else { return Vec::new() };
    let name = |member: String| {
        let end = member.find([':', '?']).unwrap_or(member.len());
        member[..end].trim_start_matches("readonly ").to_owned()
    };
    split(members, &[',', ';']).into_iter().map(name).collect()
}
