//! A printed signature taken apart at its brackets: enough to tell a parameter or member from another, not a parser.

pub(super) use crate::brackets::{body, group, heritage, inside, split};
use crate::model::{DeclarationKind, Member, State};

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Parts {
    Call(Call),
    Members(Members),
}

/// Everything before the parameters, the parameters, everything after.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) head: String,
    pub(super) parameters: Vec<String>,
    pub(super) result: String,
}

/// Everything before the braces, and what is between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Members {
    pub(super) head: String,
    pub(super) members: Vec<String>,
}

pub(super) fn parts(kind: DeclarationKind, signature: &str) -> Option<Parts> {
    match kind {
        DeclarationKind::Function | DeclarationKind::Hook | DeclarationKind::Component => {
            let (start, end) = group(signature, '(', ')')?;
            Some(Parts::Call(Call {
                head: signature[..start].trim().to_owned(),
                parameters: split(&signature[start + 1..end], &[',']),
                result: signature[end + 1..].trim().to_owned(),
            }))
        }
        DeclarationKind::Interface
        | DeclarationKind::Class
        | DeclarationKind::Enum
        | DeclarationKind::Type
        | DeclarationKind::Namespace => {
            let is_heir = matches!(kind, DeclarationKind::Class | DeclarationKind::Interface);
            let (start, end) = if is_heir { body(signature) } else { group(signature, '{', '}') }?;
            // `type A = { … } & B` has more to it than its braces.
            if !signature[end + 1..].trim_end_matches(';').trim().is_empty() {
                return None;
            }
            Some(Parts::Members(Members {
                head: signature[..start].trim().to_owned(),
                members: split(&signature[start + 1..end], &[';', ',', '\n']),
            }))
        }
        DeclarationKind::Constant | DeclarationKind::Variable => None,
    }
}

/// Two signatures as a reader wants to see them side by side: of members only those that the other side does not have,
/// of overloads only those that differ.
pub(super) fn different(
    kind: DeclarationKind,
    old: Vec<String>,
    new: Vec<String>,
) -> (Vec<String>, Vec<String>) {
    if let ([before], [after]) = (old.as_slice(), new.as_slice()) {
        if let (Some(Parts::Members(before)), Some(Parts::Members(after))) =
            (parts(kind, before), parts(kind, after))
        {
            return (vec![only(&before, &after)], vec![only(&after, &before)]);
        }
        return (old, new);
    }
    let lacks = |of: &[String], other: &[String]| -> Vec<String> {
        of.iter().filter(|signature| !other.contains(signature)).cloned().collect()
    };
    if old.is_empty() || new.is_empty() { (old, new) } else { (lacks(&old, &new), lacks(&new, &old)) }
}

/// The same of the props of two components, one list per variant.
pub(super) fn different_props(old: &[Vec<Member>], new: &[Vec<Member>]) -> (Vec<String>, Vec<String>) {
    let members = |variant: &Vec<Member>| {
        let text =
            |one: &Member| format!("{}{}: {}", one.name, if one.optional { "?" } else { "" }, one.text);
        Members { head: "props".to_owned(), members: variant.iter().map(text).collect() }
    };
    let nothing = Members { head: String::new(), members: Vec::new() };
    let each = |of: &[Vec<Member>], others: &[Vec<Member>]| -> Vec<String> {
        let others = others.iter().map(members).chain(std::iter::repeat_with(|| nothing.clone()));
        of.iter().map(members).zip(others).map(|(one, other)| only(&one, &other)).collect()
    };
    (each(old, new), each(new, old))
}

/// The same of what two of them keep.
pub(super) fn different_state(old: &[State], new: &[State]) -> (Vec<String>, Vec<String>) {
    let members = |all: &[State]| Members {
        head: "state".to_owned(),
        members: all.iter().map(|one| format!("{}: {}", one.name, one.text)).collect(),
    };
    let (old, new) = (members(old), members(new));
    (vec![only(&old, &new)], vec![only(&new, &old)])
}

/// The members that `other` has not, each gap between them as `…`.
fn only(of: &Members, other: &Members) -> String {
    let mut shown: Vec<&str> = Vec::new();
    for member in &of.members {
        if !other.members.contains(member) {
            shown.push(member);
        } else if shown.last() != Some(&"…") {
            shown.push("…");
        }
    }
    format!("{} {{ {} }}", of.head, shown.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_comes_apart() {
        let text = "function map<T extends (a: string) => void>(items: Map<string, number>, run: (a: T, b: T) => void, by = ','): Record<string, T>";
        let Some(Parts::Call(Call { head, parameters, result })) = parts(DeclarationKind::Function, text)
        else {
            panic!()
        };
        assert_eq!(head, "function map<T extends (a: string) => void>");
        assert_eq!(parameters, ["items: Map<string, number>", "run: (a: T, b: T) => void", "by = ','"]);
        assert_eq!(result, ": Record<string, T>");
    }

    #[test]
    fn only_what_differs_is_shown_of_members_and_overloads() {
        let text = |members: &str| vec![format!("class A extends B {{ {members} }}")];
        let (before, after) = different(
            DeclarationKind::Class,
            text("a(): void; b: number; c: 1"),
            text("a(): void; b: string; c: 1"),
        );
        assert_eq!(before, ["class A extends B { …; b: number; … }"]);
        assert_eq!(after, ["class A extends B { …; b: string; … }"]);
        let overloads = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let (before, after) =
            different(DeclarationKind::Function, overloads(&["f(a)", "f(b)"]), overloads(&["f(a)", "f(c)"]));
        assert_eq!((before, after), (overloads(&["f(b)"]), overloads(&["f(c)"])));
    }

    #[test]
    fn an_interface_comes_apart() {
        let text = "interface A<T> extends B<{ c: 1 }> { a: string; b?: { x: 1; y: 2 }; run(a: number, b: string): void }";
        let Some(Parts::Members(Members { head, members })) = parts(DeclarationKind::Interface, text) else {
            panic!()
        };
        assert_eq!(head, "interface A<T> extends B<{ c: 1 }>");
        assert_eq!(members, ["a: string", "b?: { x: 1; y: 2 }", "run(a: number, b: string): void"]);
        assert_eq!(parts(DeclarationKind::Type, "type A = { a: 1 } & B"), None);
        assert_eq!(parts(DeclarationKind::Type, "type A = string"), None);
        assert_eq!(parts(DeclarationKind::Function, "function broken("), None);
    }
}
