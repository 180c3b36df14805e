//! A declaration with what it names in whatever file written in its place. A type that moved to a file of its own, or has
//! another name now, is the same to who uses what it is the type of; so is the constructor of a parent.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::expand::{meant, own};
use super::form::Form;
use super::generics::{apart, parameters};
use super::origins::{In, Origins, home, outside, target, texts};
use super::signature::{group, split};
use super::verdict::{Judgement, Verdict};
use super::{Side, judge_pair};
use crate::mentions::{Mention, is_class, mentions, replaced};
use crate::model::{Contract, ContractDeclaration, DeclarationKind, ImportedAs};

/// Names in what names stand for.
const DEEPEST: usize = 4;
/// Longer texts are not written out.
const LONGEST: usize = 8_000;

/// That two declarations are the same to who uses them, or take and give what they did, by what their names stand for; `None`
/// where that cannot be said.
pub(super) fn judge(
    origins: &Origins<'_, '_>,
    (old_file, old): In<'_, ContractDeclaration>,
    (new_file, new): In<'_, ContractDeclaration>,
) -> Option<Judgement> {
    let known = Known::default();
    let view = |side, is_now| View { origins, side, is_now, known: &known };
    let (before, after) = (view(origins.before, false), view(origins.after, true));
    before.keep((old_file, old), &texts(new));
    after.keep((new_file, new), &texts(old));
    let was = before.written_out((old_file, old))?;
    let is = after.written_out((new_file, new))?;
    if !known.any.get() {
        return None;
    }
    match judge_pair(&was, &is) {
        None => Some((Verdict::Compatible, "it is the same, with other names for types".to_owned())),
        Some((Verdict::Breaking, _)) => None,
        Some((verdict, _)) => {
            Some((verdict, "it takes and gives what it did, with other names for types".to_owned()))
        }
    }
}

/// What both sides know of names: each thing has one, wherever it is named.
#[derive(Default)]
struct Known {
    names: RefCell<BTreeMap<Thing, usize>>,
    /// What both name, and is compared by itself.
    kept: RefCell<BTreeSet<Thing>>,
    /// Whether anything was written in place of a name.
    any: std::cell::Cell<bool>,
}

/// Where something is declared, and by which name there.
type Thing = (String, String);

struct View<'v, 's, 'a> {
    origins: &'v Origins<'s, 'a>,
    side: &'v Side<'a>,
    is_now: bool,
    known: &'v Known,
}

/// What a name leads to.
enum Meant<'c> {
    Declared(&'c Contract, &'c ContractDeclaration),
    /// Of a package.
    Outside(String, String),
}

impl View<'_, '_, '_> {
    fn keep(&self, one: In<'_, ContractDeclaration>, others: &BTreeSet<&str>) {
        let props = one.1.props.iter().flatten().map(|prop| &prop.text);
        let all = one.1.signatures.iter().chain(props).flat_map(|text| mentions(text));
        let both = all.filter(|mention| others.contains(mention.text));
        let things = both.filter_map(|mention| Some(self.thing(&self.meant(one, &mention)?)));
        self.known.kept.borrow_mut().extend(things);
    }

    fn written_out(&self, one: In<'_, ContractDeclaration>) -> Option<ContractDeclaration> {
        let (_, declaration) = one;
        let whole = |signature: &String| {
            let made = self.with_constructor(one, signature);
            self.text(one, made.as_ref().unwrap_or(signature), 0)
        };
        let signatures = declaration.signatures.iter().map(whole).collect::<Option<Vec<_>>>()?;
        let mut props = declaration.props.clone();
        for prop in props.iter_mut().flatten() {
            prop.text = self.text(one, &prop.text, 0)?;
        }
        Some(ContractDeclaration { signatures, props, ..declaration.clone() })
    }

    /// `None` where it is too much.
    fn text(&self, one: In<'_, ContractDeclaration>, text: &str, depth: usize) -> Option<String> {
        let mut whole = String::new();
        let mut done = 0;
        for mention in mentions(text).filter(|mention| mention.text != one.1.name) {
            let Some(meant) = self.meant(one, &mention) else { continue };
            let (before, end) = (&text[..mention.start], mention.start + mention.text.len());
            whole.push_str(&text[done..mention.start]);
            done = end;
            let thing = self.thing(&meant);
            let written = match &meant {
                Meant::Declared(file, found)
                    if depth < DEEPEST && !self.known.kept.borrow().contains(&thing) =>
                {
                    in_place(found, &mention, before, &text[end..])
                        .map(|written| self.text((file, found), &written, depth + 1))
                }
                _ => None,
            };
            match written {
                Some(written) => {
                    self.known.any.set(true);
                    whole.extend(["(", &written?, ")"]);
                }
                None => whole.push_str(&self.name(thing)),
            }
            if whole.len() > LONGEST {
                return None;
            }
        }
        whole.push_str(&text[done..]);
        Some(whole)
    }

    fn meant(&self, (file, one): In<'_, ContractDeclaration>, mention: &Mention<'_>) -> Option<Meant<'_>> {
        if let Some(imported) = one.imported.iter().find(|imported| imported.text == mention.text) {
            return self.imported(file, imported);
        }
        let (_, file) = self.side.contracts.get_key_value(file.entry_id.as_str())?;
        let found = own(file, mention.text, mention.is_value)?;
        Some(Meant::Declared(file, found))
    }

    fn imported(&self, file: &Contract, one: &ImportedAs) -> Option<Meant<'_>> {
        let declared = || {
            let (path, found) = target(self.side, file, one).filter(|_| !one.name.contains('.'))?;
            Some(Meant::Declared(self.side.contracts.get(path)?, found))
        };
        declared().or_else(|| {
            let (from, name) =
                outside(self.side, file, one).unwrap_or((home(file, &one.from), one.name.clone()));
            Some(Meant::Outside(from, name))
        })
    }

    fn thing(&self, meant: &Meant<'_>) -> Thing {
        match meant {
            Meant::Outside(from, name) => (from.clone(), name.clone()),
            Meant::Declared(file, found) => {
                let path = file.entry_id.as_str();
                let path = if self.is_now { self.origins.path_before(path) } else { path };
                (path.to_owned(), found.name.clone())
            }
        }
    }

    /// One word for the same thing on both sides.
    fn name(&self, thing: Thing) -> String {
        let word: String = thing.1.chars().filter(|letter| *letter != '.').collect();
        let mut names = self.known.names.borrow_mut();
        let next = names.len();
        format!("{word}${}", names.entry(thing).or_insert(next))
    }

    /// A class that has none of its own is made as its parent is.
    fn with_constructor(&self, (file, one): In<'_, ContractDeclaration>, signature: &str) -> Option<String> {
        const MADE: &str = "constructor(";
        if !is_class(signature) {
            return None;
        }
        let (mut class_file, mut class) = (file, one);
        let mut found: Option<String> = None;
        // What each class gives for the parameters of its parent, the nearest last.
        let mut given: Vec<(String, String)> = Vec::new();
        for _ in 0..DEEPEST {
            let [text] = class.signatures.as_slice() else { return None };
            let Form::Class(form) = Form::of(DeclarationKind::Class, text) else { return None };
            found = form.members.iter().find(|member| member.starts_with(MADE)).cloned();
            if found.is_some() {
                given.push((form.generics, String::new()));
                break;
            }
            let parent = form.parent?;
            let (name, arguments, _) = apart(&parent);
            given.push((form.generics, arguments.to_owned()));
            let mention = Mention { text: name.trim(), start: 0, is_value: false };
            let Meant::Declared(next_file, next) = self.meant((class_file, class), &mention)? else {
                return None;
            };
            if next.kind != DeclarationKind::Class || std::ptr::eq(next, class) {
                return None;
            }
            (class_file, class) = (next_file, next);
        }
        let mut made = found.filter(|_| given.len() > 1)?;
        // Names of the parent's file mean something else here.
        made = self.text((class_file, class), &made, DEEPEST)?;
        for pair in given.windows(2).rev() {
            let [(_, arguments), (list, _)] = pair else { return None };
            let (names, values) = (parameters(list), split(arguments, &[',']));
            let value = |name: &str| {
                let at = names.iter().position(|one| one.name == name)?;
                values.get(at).map(String::as_str).or(names[at].default.as_deref())
            };
            made = replaced(&made, |mention| value(mention.text)).into_owned();
        }
        let (start, _) = group(signature, '{', '}')?;
        let rest = signature[start + 1..].trim_start();
        let between = if rest.starts_with('}') { " " } else { "; " };
        self.known.any.set(true);
        Some(format!("{} {made}{between}{rest}", &signature[..=start]))
    }
}

/// What a type stands for, where it is no more than a name.
fn in_place(found: &ContractDeclaration, mention: &Mention<'_>, before: &str, after: &str) -> Option<String> {
    let is_given = after.starts_with('<');
    let is_parent = before.ends_with("extends ") && !in_angles(before);
    let is_class = found.kind == DeclarationKind::Class;
    if is_given || is_parent || is_class || mention.is_value {
        return None;
    }
    meant(found, false)
}

/// Whether what follows stands in `<…>`.
fn in_angles(before: &str) -> bool {
    let count = |what: &str| before.matches(what).count();
    count("<") + count("=>") > count(">")
}
