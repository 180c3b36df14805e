//! A declaration with what it names in whatever file written in its place. A type that moved to a file of its own, or has
//! another name now, is the same to who uses what it is the type of; so is what a class has of its parents.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::expand::{meant, own};
use super::form::{Class, Form, Members};
use super::generics::{Parameter, apart, parameters};
use super::members::class_member;
use super::origins::{In, Origins, home, outside};
use super::signature::{body, heritage, split};
use super::types::parse;
use super::verdict::{Judgement, Verdict};
use super::{Side, judge_pair};
use crate::mentions::{Mention, is_class, is_parameter, mentions};
use crate::model::{Contract, ContractDeclaration, DeclarationKind, ImportedAs};

/// Names in what names stand for.
const DEEPEST: usize = 4;
/// What stands in place of names makes a text longer by so much.
const MOST_MORE: usize = 8_000;
/// So many things are followed.
const MOST: usize = 200;

/// That two declarations are the same to who uses them, or take and give what they did, by what their names stand for; `None`
/// where that cannot be said.
pub(super) fn judge(
    origins: &Origins<'_, '_>,
    (old_file, old): In<'_, ContractDeclaration>,
    (new_file, new): In<'_, ContractDeclaration>,
) -> Option<Judgement> {
    let (by_name, by_part) = differ(old, new);
    if !by_name && !by_part {
        return None;
    }
    let view = |side, is_now| View { origins, side, is_now };
    let (before, after) = (view(origins.before, false), view(origins.after, true));
    let (mut in_old, mut in_new) = Default::default();
    before.reach((old_file, old), 0, &mut in_old);
    after.reach((new_file, new), 0, &mut in_new);
    // One may be a name for what the other is.
    in_old.remove(&before.thing(&Meant::Declared(old_file, old)));
    in_new.remove(&after.thing(&Meant::Declared(new_file, new)));
    let both = in_old.intersection(&in_new).cloned().collect();
    // What both lead to is compared by itself; of some things a part may be all that matters.
    let ways = [by_name.then_some(both), by_part.then(BTreeSet::new)];
    ways.into_iter().flatten().find_map(|kept| {
        let members = class_members(old).into_iter().chain(class_members(new)).collect();
        let (had, has) = (before.parents((old_file, old)), after.parents((new_file, new)));
        let parents = had.intersection(&has).cloned().collect();
        let known = Known { kept, members, parents, ..Known::default() };
        let was = before.written_out((old_file, old), &Given::default(), &known)?;
        let is = after.written_out((new_file, new), &added(old, new), &known)?;
        if !known.any.get() {
            return None;
        }
        match judge_pair(&was, &is) {
            None => Some((Verdict::Compatible, "it is the same, with other names for types".to_owned())),
            Some((Verdict::Breaking, _)) => None,
            Some((verdict, _)) => {
                Some((verdict, "it takes and gives what it did, by what its names stand for".to_owned()))
            }
        }
    })
}

/// What type parameters that were added stand for by default.
fn added(old: &ContractDeclaration, new: &ContractDeclaration) -> Given {
    let more = generics(new).into_iter().skip(generics(old).len());
    more.filter_map(|one| Some((one.name, format!("({})", one.default?)))).collect()
}

/// The type parameters of a class or a type.
fn generics(one: &ContractDeclaration) -> Vec<Parameter> {
    let [signature] = one.signatures.as_slice() else { return Vec::new() };
    match Form::of(one.kind, signature) {
        Form::Class(Class { generics, .. })
        | Form::Members(Members { generics, .. })
        | Form::Alias { generics, .. } => parameters(&generics),
        _ => Vec::new(),
    }
}

/// Whether one of two declarations names something that the other does not, or has members of its own that the other may have of
/// a parent; and whether they name parts of something. All else is as it is written.
fn differ(old: &ContractDeclaration, new: &ContractDeclaration) -> (bool, bool) {
    const PARTS: [&str; 4] = ["Pick<", "Omit<", "Partial<", "Readonly<"];
    let has = |one: &ContractDeclaration, part: &str| texts(one).any(|text| text.contains(part));
    let names = |one: &'_ ContractDeclaration| -> BTreeSet<String> {
        texts(one).flat_map(mentions).map(|mention| mention.text.to_owned()).collect()
    };
    let parts = PARTS.iter().any(|part| has(old, part) || has(new, part));
    (class_members(old) != class_members(new) || names(old) != names(new), parts)
}

/// The names of what a class or an interface has itself.
fn class_members(one: &ContractDeclaration) -> BTreeSet<String> {
    let heirs = one.signatures.iter().filter_map(|signature| heir(one.kind, signature));
    heirs.flat_map(|heir| heir.members).map(|text| class_member(&text)).collect()
}

fn texts(one: &ContractDeclaration) -> impl Iterator<Item = &str> {
    let props = one.props.iter().flatten().map(|prop| prop.text.as_str());
    one.signatures.iter().map(String::as_str).chain(props)
}

/// What both sides know of names: each thing has one, wherever it is named.
#[derive(Default)]
struct Known {
    names: RefCell<BTreeMap<Thing, usize>>,
    /// What is known by its name alone.
    kept: BTreeSet<Thing>,
    /// What one of two classes has itself, and the other may have of a parent.
    members: BTreeSet<String>,
    /// What both extend.
    parents: BTreeSet<Thing>,
    /// Whether anything was written in place of a name.
    any: std::cell::Cell<bool>,
}

impl Known {
    /// One word for the same thing on both sides.
    fn name(&self, thing: Thing) -> String {
        let word: String = thing.1.chars().filter(|letter| *letter != '.').collect();
        let mut names = self.names.borrow_mut();
        let next = names.len();
        format!("{word}${}", names.entry(thing).or_insert(next))
    }
}

/// Where something is declared, and by which name there.
type Thing = (String, String);

struct View<'v, 's, 'a> {
    origins: &'v Origins<'s, 'a>,
    side: &'v Side<'a>,
    is_now: bool,
}

/// What type parameters stand for, written out.
type Given = BTreeMap<String, String>;

/// What a name leads to.
enum Meant<'c> {
    Declared(&'c Contract, &'c ContractDeclaration),
    /// Of a package.
    Outside(String, String),
}

impl View<'_, '_, '_> {
    /// Everything that a declaration names, and what that names.
    fn reach(&self, one: In<'_, ContractDeclaration>, depth: usize, found: &mut BTreeSet<Thing>) {
        for mention in texts(one.1).flat_map(mentions) {
            let Some(meant) = self.meant(one, &mention) else { continue };
            let is_new = found.len() < MOST && found.insert(self.thing(&meant));
            if let Meant::Declared(file, next) = meant {
                if is_new && depth < DEEPEST {
                    self.reach((file, next), depth + 1, found);
                }
            }
        }
    }

    /// What a declaration extends.
    fn parents(&self, one: In<'_, ContractDeclaration>) -> BTreeSet<Thing> {
        let heirs = one.1.signatures.iter().filter_map(|signature| heir(one.1.kind, signature));
        let all = heirs.flat_map(|heir| heir.parents);
        all.filter_map(|parent| self.parent(one, &parent)).map(|meant| self.thing(&meant)).collect()
    }

    fn parent(&self, one: In<'_, ContractDeclaration>, parent: &str) -> Option<Meant<'_>> {
        self.meant(one, &Mention { text: apart(parent).0.trim(), start: 0, is_value: false })
    }

    fn written_out(
        &self,
        one: In<'_, ContractDeclaration>,
        given: &Given,
        known: &Known,
    ) -> Option<ContractDeclaration> {
        let whole = |signature: &String| {
            let whole = self.with_inherited(one, signature, given, known);
            self.text(one, whole.as_ref().unwrap_or(signature), 0, given, known)
        };
        let signatures = one.1.signatures.iter().map(whole).collect::<Option<Vec<_>>>()?;
        let mut props = one.1.props.clone();
        for prop in props.iter_mut().flatten() {
            prop.text = self.text(one, &prop.text, 0, given, known)?;
        }
        Some(ContractDeclaration { signatures, props, ..one.1.clone() })
    }

    /// Of what is too much, the names stay in a declaration, which is the same then to whom they mean the same; `None` for
    /// what would stand in the place of a name.
    fn text(
        &self,
        one: In<'_, ContractDeclaration>,
        text: &str,
        depth: usize,
        given: &Given,
        known: &Known,
    ) -> Option<String> {
        let mut whole = String::new();
        let mut done = 0;
        let named = if depth == 0 && is_heir(text) { heritage(text) } else { 0..0 };
        let longest = text.len() + MOST_MORE;
        for mention in mentions(text) {
            if mention.start < done || mention.text == one.1.name {
                continue;
            }
            if let Some(value) = given.get(mention.text) {
                whole.extend([&text[done..mention.start], value]);
                done = mention.start + mention.text.len();
                continue;
            }
            let Some(meant) = self.meant(one, &mention) else { continue };
            let (before, end) = (&text[..mention.start], mention.start + mention.text.len());
            whole.push_str(&text[done..mention.start]);
            done = end;
            let thing = self.thing(&meant);
            let after = &text[end..];
            let (list, rest) =
                if after.starts_with('<') { (apart(after).1, apart(after).2) } else { ("", after) };
            let arguments = split(list, &[',']);
            let is_open = depth < DEEPEST
                && whole.len() <= longest
                && !known.kept.contains(&thing)
                && may_stand(&mention, before)
                && (!named.contains(&mention.start) || in_angles(before));
            let written = match meant {
                Meant::Declared(file, found) if is_open && found.kind != DeclarationKind::Class => {
                    let arguments =
                        arguments.iter().map(|one_of| self.text(one, one_of, depth + 1, given, known));
                    self.in_place((file, found), &arguments.collect::<Option<Vec<_>>>()?, depth + 1, known)
                }
                _ => None,
            };
            if let Some(written) = written {
                known.any.set(true);
                whole.extend(["(", &written, ")"]);
                done = text.len() - rest.len();
            } else {
                whole.push_str(&known.name(thing));
                if let (Meant::Declared(file, found), false) = (meant, list.is_empty()) {
                    let written = |of: &String| self.text(one, of, depth.max(1), given, known);
                    let arguments = arguments.iter().map(written).collect::<Option<Vec<_>>>()?;
                    let told = self.told((file, found), arguments, known);
                    if !told.is_empty() {
                        whole.extend(["<", &told.join(", "), ">"]);
                    }
                    done = text.len() - rest.len();
                }
            }
            if depth > 0 && whole.len() > longest {
                return None;
            }
        }
        whole.push_str(&text[done..]);
        Some(whole)
    }

    /// What a type stands for that is given these.
    fn in_place(
        &self,
        one: In<'_, ContractDeclaration>,
        arguments: &[String],
        depth: usize,
        known: &Known,
    ) -> Option<String> {
        let (generics, text) = meant(one.1, false)?;
        let given = self.given(one, &generics, arguments, depth, known)?;
        self.text(one, &text, depth, &given, known)
    }

    /// What is given to a declaration for its type parameters, without what it has by default at the end.
    fn told(&self, one: In<'_, ContractDeclaration>, arguments: Vec<String>, known: &Known) -> Vec<String> {
        let names = generics(one.1);
        let mut told = arguments;
        while let Some(last) = told.last() {
            let default = names.get(told.len() - 1).and_then(|name| name.default.as_ref());
            let default = default.and_then(|text| self.text(one, text, DEEPEST, &Given::default(), known));
            if default.is_none_or(|default| parse(&default) != parse(last)) {
                break;
            }
            known.any.set(true);
            told.pop();
        }
        told
    }

    /// What the type parameters of a declaration stand for; `None` where something is missing, or too much.
    fn given(
        &self,
        one: In<'_, ContractDeclaration>,
        generics: &str,
        arguments: &[String],
        depth: usize,
        known: &Known,
    ) -> Option<Given> {
        let names = parameters(generics);
        let mut given = Given::new();
        for (at, name) in names.iter().enumerate() {
            let value = match (arguments.get(at), &name.default) {
                (Some(value), _) => value.clone(),
                (None, Some(default)) => self.text(one, default, depth, &given, known)?,
                (None, None) => return None,
            };
            given.insert(name.name.clone(), format!("({value})"));
        }
        (arguments.len() <= names.len()).then_some(given)
    }

    fn meant(&self, (file, one): In<'_, ContractDeclaration>, mention: &Mention<'_>) -> Option<Meant<'_>> {
        if let Some(imported) = one.imported.iter().find(|imported| imported.text == mention.text) {
            return self.imported(file, imported);
        }
        let file = self.side.contracts.get(file.entry_id.as_str())?;
        // What is extended is named as a value, and is a type with all that is given to it.
        let found = own(file, mention.text, mention.is_value).or_else(|| own(file, mention.text, false));
        Some(Meant::Declared(file, found.filter(|_| !is_parameter(&one.signatures, mention.text))?))
    }

    fn imported(&self, file: &Contract, one: &ImportedAs) -> Option<Meant<'_>> {
        let declared = || {
            let asked = (!one.name.contains('.')).then_some(one)?;
            let (path, found) = self.origins.target(self.is_now, file, asked)?;
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

    /// A class or an interface with what it has of its parents, as far as it is asked for.
    fn with_inherited(
        &self,
        one: In<'_, ContractDeclaration>,
        signature: &str,
        given: &Given,
        known: &Known,
    ) -> Option<String> {
        let form = heir(one.1.kind, signature)?;
        let own = class_members(one.1);
        let mut wanted: BTreeSet<String> = known.members.clone();
        // What only one of two interfaces extends is nothing but members, where all of them are known.
        let is_interface = one.1.kind == DeclarationKind::Interface;
        let of_both = |parent: &String| {
            self.parent(one, parent).is_none_or(|meant| known.parents.contains(&self.thing(&meant)))
        };
        let (kept, flat): (Vec<&String>, Vec<&String>) = form.parents.iter().partition(|parent| {
            let mut names = || self.all_of(one, parent, 0).map(|names| wanted.extend(names));
            !is_interface || of_both(parent) || names().is_none()
        });
        wanted.retain(|name| !own.contains(name));
        let wanted = wanted.iter().map(String::as_str).collect();
        let members = self.inherited(one, &form, &wanted, given, 0, known).join("; ");
        let (start, _) = body(signature).filter(|_| !members.is_empty() || !flat.is_empty())?;
        let rest = signature[start + 1..].trim_start();
        let between = if rest.starts_with('}') || members.is_empty() { " " } else { "; " };
        known.any.set(true);
        if flat.is_empty() {
            return Some(format!("{} {members}{between}{rest}", &signature[..=start]));
        }
        let head = &signature[..heritage(signature).start];
        let kept: Vec<&str> = kept.iter().map(|parent| parent.as_str()).collect();
        let extends = if kept.is_empty() { String::new() } else { format!(" extends {}", kept.join(", ")) };
        Some(format!("{head}{extends} {{ {members}{between}{rest}"))
    }

    /// The names of everything that a parent has, where nothing of it is of a package or otherwise unknown.
    fn all_of(
        &self,
        one: In<'_, ContractDeclaration>,
        parent: &str,
        depth: usize,
    ) -> Option<BTreeSet<String>> {
        let Meant::Declared(file, found) = self.parent(one, parent).filter(|_| depth < DEEPEST)? else {
            return None;
        };
        let [signature] = found.signatures.as_slice() else { return None };
        let form = heir(found.kind, signature).filter(|_| found.kind == DeclarationKind::Interface)?;
        let mut names = class_members(found);
        for parent in &form.parents {
            names.extend(self.all_of((file, found), parent, depth + 1)?);
        }
        Some(names)
    }

    /// What one has of its parents, or of theirs, by these names.
    fn inherited(
        &self,
        one: In<'_, ContractDeclaration>,
        form: &Heir,
        wanted: &BTreeSet<&str>,
        given: &Given,
        depth: usize,
        known: &Known,
    ) -> Vec<String> {
        if depth >= DEEPEST || wanted.is_empty() {
            return Vec::new();
        }
        let of = |parent: &String| self.inherited_of(one, parent, wanted, given, depth, known);
        form.parents.iter().filter_map(of).flatten().collect()
    }

    fn inherited_of(
        &self,
        one: In<'_, ContractDeclaration>,
        parent: &str,
        wanted: &BTreeSet<&str>,
        given: &Given,
        depth: usize,
        known: &Known,
    ) -> Option<Vec<String>> {
        let list = apart(parent).1;
        let Meant::Declared(file, parent) = self.parent(one, parent)? else { return None };
        let [signature] = parent.signatures.as_slice() else { return None };
        let next = heir(parent.kind, signature)?;
        let written = |text: &String| self.text(one, text, DEEPEST, given, known);
        let arguments = split(list, &[',']).iter().map(written).collect::<Option<Vec<_>>>()?;
        let given = self.given((file, parent), &next.generics, &arguments, DEEPEST, known)?;
        let asked = next.members.iter().filter(|text| wanted.contains(&*class_member(text)));
        let found = asked.map(|text| self.text((file, parent), text, DEEPEST, &given, known));
        let mut found = found.collect::<Option<Vec<_>>>()?;
        let names = class_members(parent);
        let is_root = next.parents.is_empty() && is_class(signature);
        if is_root && wanted.contains("constructor") && !names.contains("constructor") {
            found.push("constructor()".to_owned());
        }
        let rest = wanted.iter().copied().filter(|name| !names.contains(*name)).collect();
        found.extend(self.inherited((file, parent), &next, &rest, &given, depth + 1, known));
        Some(found)
    }
}

/// What has members, and may have more of its parents.
struct Heir {
    generics: String,
    parents: Vec<String>,
    members: Vec<String>,
}

fn heir(kind: DeclarationKind, signature: &str) -> Option<Heir> {
    let kind = if is_class(signature) { DeclarationKind::Class } else { kind };
    match Form::of(kind, signature) {
        Form::Class(Class { generics, parent, members, .. }) => {
            Some(Heir { generics, parents: parent.into_iter().collect(), members })
        }
        Form::Members(Members { generics, parents, own }) if kind == DeclarationKind::Interface => {
            Some(Heir { generics, parents, members: own })
        }
        _ => None,
    }
}

/// Whether a signature names what it extends.
pub(super) fn is_heir(signature: &str) -> bool {
    is_class(signature) || signature.starts_with("interface ")
}

/// Whether what a name stands for can be written in its place: not where a value is meant, or a parent.
fn may_stand(mention: &Mention<'_>, before: &str) -> bool {
    !mention.is_value && (!before.ends_with("extends ") || in_angles(before))
}

/// Whether what follows stands in `<…>`.
pub(super) fn in_angles(before: &str) -> bool {
    let count = |what: &str| before.matches(what).count();
    count("<") + count("=>") > count(">")
}
