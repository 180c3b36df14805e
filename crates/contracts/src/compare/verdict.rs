//! Whether somebody who uses a declaration has to change: from its printed signatures and its props.

use serde::Serialize;

use super::signature::{Parts, parts};
use crate::model::{DeclarationKind, Member};

/// The gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Who uses it may have to change.
    Breaking,
    /// Visible, and nobody has to change.
    Compatible,
    /// Nobody outside can see it.
    Internal,
}

impl Verdict {
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Breaking => "breaking",
            Verdict::Compatible => "compatible",
            Verdict::Internal => "internal",
        }
    }
}

/// Signatures that differ: one per overload.
pub(super) fn judge(kind: DeclarationKind, old: &[String], new: &[String]) -> (Verdict, String) {
    if old.iter().all(|signature| new.contains(signature)) {
        return (Verdict::Compatible, "an overload was added".to_owned());
    }
    let ([old], [new]) = (old, new) else {
        return (Verdict::Breaking, "an overload was changed or removed".to_owned());
    };
    let breaking = |reason: &str| (Verdict::Breaking, reason.to_owned());
    let (Some(before), Some(after)) = (parts(kind, old), parts(kind, new)) else {
        return breaking("its signature changed");
    };
    match (before, after) {
        (Parts::Call(before), Parts::Call(after)) => {
            if before.head != after.head {
                breaking("its type parameters changed")
            } else if before.result != after.result {
                breaking("what it returns changed")
            } else {
                judge_parameters(&before.parameters, &after.parameters)
            }
        }
        (Parts::Members(before), Parts::Members(after)) => {
            if before.head != after.head {
                breaking("what it extends or is called changed")
            } else {
                judge_members(kind, &before.members, &after.members)
            }
        }
        _ => breaking("its signature changed"),
    }
}

fn judge_parameters(old: &[String], new: &[String]) -> (Verdict, String) {
    let optional = |parameter: &String| {
        let name = parameter.split(':').next().unwrap_or(parameter);
        name.trim_end().ends_with('?')
            || parameter.contains(" = ")
            || parameter.trim_start().starts_with("...")
    };
    if new.len() < old.len() {
        return (Verdict::Breaking, "it takes fewer parameters".to_owned());
    }
    let types = |parameter: &String| {
        let mut parts = parameter.splitn(2, ':');
        let name = parts.next().unwrap_or_default();
        (name.contains('?') || parameter.contains(" = "), parts.next().unwrap_or_default().trim().to_owned())
    };
    for (before, after) in old.iter().zip(new) {
        let ((was_optional, was), (is_optional, is)) = (types(before), types(after));
        if was != is && !widens(&was, &is) {
            return (
                Verdict::Breaking,
                format!("the parameter `{}` became `{}`", before.trim(), after.trim()),
            );
        }
        if was_optional && !is_optional {
            return (Verdict::Breaking, format!("the parameter `{}` is required now", after.trim()));
        }
    }
    match new[old.len()..].iter().find(|parameter| !optional(parameter)) {
        Some(parameter) => (Verdict::Breaking, format!("the parameter `{}` was added", parameter.trim())),
        None => (Verdict::Compatible, "only optional parameters were added, or names changed".to_owned()),
    }
}

fn judge_members(kind: DeclarationKind, old: &[String], new: &[String]) -> (Verdict, String) {
    if let Some(gone) = old.iter().find(|member| !new.contains(member)) {
        return (Verdict::Breaking, format!("`{}` was changed or removed", gone.trim()));
    }
    let additive =
        matches!(kind, DeclarationKind::Enum | DeclarationKind::Class | DeclarationKind::Namespace);
    let required = |member: &&String| {
        let name = member.split([':', '(']).next().unwrap_or_default();
        !additive && !old.contains(member) && !name.trim_end().ends_with('?')
    };
    match new.iter().find(required) {
        Some(member) => (Verdict::Breaking, format!("`{}` was added and is required", member.trim())),
        None => (Verdict::Compatible, "members were only added, or moved".to_owned()),
    }
}

/// Props, one list per variant. `None` where they are the same.
pub(super) fn judge_props(old: &[Vec<Member>], new: &[Vec<Member>]) -> Option<(Verdict, String)> {
    if old == new {
        return None;
    }
    let ([old], [new]) = (old, new) else {
        if old.is_empty()
            && !new.is_empty()
            && new.iter().any(|variant| variant.iter().all(|prop| prop.optional))
        {
            return Some((Verdict::Compatible, "optional props were added".to_owned()));
        }
        let kept = old.iter().all(|variant| new.contains(variant));
        let (verdict, reason) = if kept && !old.is_empty() {
            (Verdict::Compatible, "a variant of its props was added")
        } else {
            (Verdict::Breaking, "the variants of its props changed")
        };
        return Some((verdict, reason.to_owned()));
    };
    let mut worst: Option<(Verdict, String)> = None;
    let mut note = |verdict: Verdict, reason: String| {
        if worst.as_ref().is_none_or(|(known, _)| verdict < *known) {
            worst = Some((verdict, reason));
        }
    };
    for prop in old {
        match new.iter().find(|other| other.name == prop.name) {
            None => note(Verdict::Breaking, format!("the prop `{}` was removed", prop.name)),
            Some(other) if other.text != prop.text && !widens(&prop.text, &other.text) => {
                let (was, is) = (&prop.text, &other.text);
                note(Verdict::Breaking, format!("the prop `{}` was `{was}`, is `{is}`", prop.name));
            }
            Some(other) if prop.optional && !other.optional => {
                note(Verdict::Breaking, format!("the prop `{}` is required now", prop.name));
            }
            Some(other) if other.text != prop.text || other.optional != prop.optional => {
                note(Verdict::Compatible, format!("the prop `{}` takes more", prop.name));
            }
            Some(_) => {}
        }
    }
    for prop in new.iter().filter(|prop| old.iter().all(|other| other.name != prop.name)) {
        if prop.optional {
            note(Verdict::Compatible, format!("the optional prop `{}` was added", prop.name));
        } else {
            note(Verdict::Breaking, format!("the required prop `{}` was added", prop.name));
        }
    }
    // Only documentation, or the order.
    worst
}

/// Whether everything that the old type took, the new one takes: a union with more members.
fn widens(old: &str, new: &str) -> bool {
    let members = |text: &str| -> Option<Vec<String>> {
        let mut depth = 0_i32;
        let mut members = vec![String::new()];
        for letter in text.chars() {
            match letter {
                '(' | '[' | '{' | '<' => depth += 1,
                ')' | ']' | '}' | '>' => depth -= 1,
                '|' if depth == 0 => {
                    members.push(String::new());
                    continue;
                }
                // An arrow reaches to the end: what follows it is no member of the union.
                '=' if depth == 0 => return None,
                _ => {}
            }
            members.last_mut()?.push(letter);
        }
        Some(
            members
                .iter()
                .map(|member| member.trim().to_owned())
                .filter(|member| !member.is_empty())
                .collect(),
        )
    };
    match (members(old), members(new)) {
        (Some(old), Some(new)) => !old.is_empty() && old.iter().all(|member| new.contains(member)),
        _ => false,
    }
}
