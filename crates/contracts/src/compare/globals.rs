//! What is declared for everybody has users that import nothing: by what their texts show that they are such.

use std::collections::BTreeSet;

use memchr::{memchr3, memmem};

use super::followed::ambient_name;
use super::form::{Form, Members};
use super::types::member;
use super::users::broken;
use super::{DeclarationChange, FileChange, Side, Verdict};
use crate::languages::typescript::{comment_end, string_end};
use crate::model::{ContractDeclaration, DeclarationKind};
use crate::render::named;

/// Names that stand in the texts of those who use it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Globals {
    /// The file that declares it.
    home: String,
    names: BTreeSet<String>,
    /// Of interfaces that perhaps nobody names: `window.mine`.
    members: BTreeSet<String>,
}

impl Globals {
    /// Of a change that breaks what everybody sees; `None` for any other.
    pub fn of(
        (before, after): (&Side<'_>, &Side<'_>),
        file: &FileChange,
        change: &DeclarationChange,
    ) -> Option<Self> {
        let path = file.moved_from.as_ref().unwrap_or(&file.entry_id);
        let old = *before.contracts.get(path.as_str()).filter(|_| change.verdict == Verdict::Breaking)?;
        let was = old.declarations.iter().find(|one| one.name == change.name)?;
        ambient_name(old, was).filter(|_| was.module().is_none())?;
        let new = after.contracts.get(file.entry_id.as_str());
        let is = new.and_then(|new| new.declarations.iter().find(|one| one.name == change.name));
        let names = if was.name == "global" { broken(was, is) } else { BTreeSet::from([was.name.clone()]) };
        let known = is.map(interface_members).unwrap_or_default();
        let members = interface_members(was).difference(&known).map(|(_, name, _)| name.clone()).collect();
        Some(Self { home: file.entry_id.clone(), names, members })
    }

    /// Who uses it of these files with their texts, but for what a file declares or imports itself.
    pub fn users<'t>(
        &self,
        texts: &'t [(String, String)],
        has_own: impl Fn(&str, &str) -> bool,
    ) -> Vec<&'t str> {
        let naming = |path: &str, text: &str| {
            self.names.iter().any(|name| !has_own(path, name) && has_word(text, name, |_| true))
        };
        let reading = |_: &str, text: &str| {
            self.members.iter().any(|name| has_word(text, name, |before| before.ends_with('.')))
        };
        let all = |is_user: &dyn Fn(&str, &str) -> bool| -> Vec<&'t str> {
            let others = texts.iter().filter(|(path, _)| *path != self.home);
            others.filter(|(path, text)| is_user(path, text)).map(|(path, _)| &**path).collect()
        };
        let found = all(&naming);
        // What nobody names is known by its members.
        if found.is_empty() { all(&reading) } else { found }
    }
}

/// The members of the interfaces in a block, or of one: which interface, name and text.
fn interface_members(one: &ContractDeclaration) -> BTreeSet<(String, String, String)> {
    let mut open: Vec<(DeclarationKind, String, String)> =
        one.signatures.iter().map(|text| (one.kind, one.name.clone(), text.clone())).collect();
    let mut found = BTreeSet::new();
    while let Some((kind, of, text)) = open.pop() {
        let Form::Members(Members { own, .. }) = Form::of(kind, &text) else { continue };
        for text in own {
            match (kind, named(&text)) {
                (DeclarationKind::Namespace, Some((kind, name, _))) => {
                    open.push((kind, name.to_owned(), text));
                }
                (DeclarationKind::Interface, _) => {
                    found.extend(member(&text, 0).map(|one| (of.clone(), one.name, text)));
                }
                _ => {}
            }
        }
    }
    found
}

/// Whether a name stands in the code of a text by itself, behind something that will do.
fn has_word(text: &str, name: &str, may_follow: impl Fn(&str) -> bool) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    let mut read = 0;
    memmem::find_iter(text.as_bytes(), name).any(|at| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let is_word = !before.ends_with(is_part) && !after.starts_with(is_part);
        is_word && may_follow(before) && is_code(text.as_bytes(), at, &mut read)
    })
}

/// Whether a place is in no comment and no string, as well as can be told without parsing. Places are asked for from the
/// beginning on; `read` is how far it was looked.
fn is_code(bytes: &[u8], at: usize, read: &mut usize) -> bool {
    while let Some(found) = bytes.get(*read..at).and_then(|rest| memchr3(b'/', b'\'', b'"', rest)) {
        let here = *read + found;
        let end = match bytes[here] {
            // `https://…` is in a template, or is shown.
            b'/' => comment_end(bytes, here).filter(|_| !bytes[..here].ends_with(b":")),
            quote => Some(string_end(bytes, here)).filter(|end| bytes[here + 1..*end].ends_with(&[quote])),
        };
        *read = end.unwrap_or(here + 1);
    }
    *read <= at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_a_comment_or_a_string_is_no_use_of_it() {
        let uses = |text: &str| has_word(text, "Shared", |_| true);
        for text in [
            "Shared",
            "// of\nlet a: Shared;",
            "/* Shared */ Shared.run()",
            "'it' + Shared",
            "<p>don't {Shared}</p>",
            "`https://a/${Shared}`",
            "a / Shared / 2",
        ] {
            assert!(uses(text), "{text}");
        }
        for text in [
            "// Shared",
            "a(); /* 'Shared'\n Shared */ b()",
            "'Shared'",
            "\"\\\" Shared\"",
            "SharedBy",
            "// it's\n'Shared'",
        ] {
            assert!(!uses(text), "{text}");
        }
    }
}
