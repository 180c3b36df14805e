//! A declaration with what its file calls by name written in its place: whether a type has a name is nothing to who uses
//! what it is the type of.

use std::collections::BTreeSet;

use super::across::{in_angles, is_heir};
use super::form::{Call, Form};
use super::generics::{self, with_names};
use super::members::class_member;
use super::origins::{In, Origins};
use super::signature::{body, heritage, inside, split};
use super::types::{is_name, member};
use crate::brackets::end_of_list;
use crate::mentions::{Mention, is_parameter, mentions};
use crate::model::{Contract, ContractDeclaration, DeclarationKind};

/// Names in what names stand for.
const DEEPEST: usize = 4;
/// Longer texts stay as they are.
const LONGEST: usize = 4_000;

/// `None` where there is nothing to write otherwise.
pub(super) fn expanded(
    contract: &Contract,
    declaration: &ContractDeclaration,
) -> Option<ContractDeclaration> {
    let texts: Vec<Option<String>> = declaration
        .signatures
        .iter()
        .map(|signature| {
            let whole = flattened(contract, declaration, signature);
            let text = written_out(contract, declaration, whole.as_ref().unwrap_or(signature), 0);
            text.or(whole)
        })
        .collect();
    let mut props = declaration.props.clone();
    let mut any = false;
    for prop in props.iter_mut().flatten() {
        if let Some(text) = written_out(contract, declaration, &prop.text, 0) {
            (any, prop.text) = (true, text);
        }
    }
    if !any && texts.iter().all(Option::is_none) {
        return None;
    }
    let signatures = declaration.signatures.iter().zip(texts);
    let signatures = signatures.map(|(plain, text)| text.unwrap_or_else(|| plain.clone())).collect();
    Some(ContractDeclaration { signatures, props, ..declaration.clone() })
}

/// A class with what it has of one that only this file knows.
fn whole_class(contract: &Contract, declaration: &ContractDeclaration, signature: &str) -> Option<String> {
    let Form::Class(class) = Form::of(declaration.kind, signature) else { return None };
    let (start, _) = body(signature).unwrap_or((signature.len(), 0));
    let parent = class.parent.as_ref()?;
    let head = signature[..start].trim().replacen(&format!(" extends {parent}"), "", 1);
    let mut members = class.members;
    let mut next = Some(parent.clone());
    for _ in 0..DEEPEST {
        let Some(name) = next else {
            return Some(format!("{head} {{ {} }}", members.join("; ")));
        };
        let is_it = |one: &&ContractDeclaration| one.name == name && !one.exported;
        let found = contract.declarations.iter().find(is_it)?;
        let [signature] = found.signatures.as_slice() else { return None };
        let Form::Class(class) = Form::of(found.kind, signature) else { return None };
        if !class.generics.is_empty() {
            return None;
        }
        let known: Vec<String> = members.iter().map(|text| class_member(text)).collect();
        members.extend(class.members.into_iter().filter(|text| !known.contains(&class_member(text))));
        next = class.parent;
    }
    None
}

/// An interface with the members that it has of those of the same file.
fn flattened(contract: &Contract, declaration: &ContractDeclaration, signature: &str) -> Option<String> {
    if declaration.kind == DeclarationKind::Class {
        return whole_class(contract, declaration, signature);
    }
    if declaration.kind != DeclarationKind::Interface || !signature.contains(" extends ") {
        return None;
    }
    let Form::Members(mut members) = Form::of(declaration.kind, signature) else { return None };
    let all = members.parents.len();
    let parents = std::mem::take(&mut members.parents);
    for parent in parents {
        match inherited(contract, &parent, 0) {
            Some(more) => add(&mut members.own, more),
            None => members.parents.push(parent),
        }
    }
    let generics =
        if members.generics.is_empty() { String::new() } else { format!("<{}>", members.generics) };
    let extends = if members.parents.is_empty() { "" } else { " extends " };
    let (name, own) = (&declaration.name, members.own.join("; "));
    (members.parents.len() < all)
        .then(|| format!("interface {name}{generics}{extends}{} {{ {own} }}", members.parents.join(", ")))
}

fn inherited(contract: &Contract, name: &str, depth: usize) -> Option<Vec<String>> {
    let is_it = |one: &&ContractDeclaration| {
        one.name == name && matches!(one.kind, DeclarationKind::Interface | DeclarationKind::Type)
    };
    let found = contract.declarations.iter().find(is_it).filter(|_| depth < DEEPEST)?;
    let [signature] = found.signatures.as_slice() else { return None };
    let Form::Members(members) = Form::of(found.kind, signature) else { return None };
    let mut own = members.own;
    for parent in &members.parents {
        add(&mut own, inherited(contract, parent, depth + 1)?);
    }
    members.generics.is_empty().then_some(own)
}

/// What is declared again is no longer what it was.
fn add(own: &mut Vec<String>, inherited: Vec<String>) {
    let name = |text: &String| member(text, 0).map(|one| one.name);
    let known: Vec<Option<String>> = own.iter().map(name).collect();
    own.extend(inherited.into_iter().filter(|text| !known.contains(&name(text))));
}

fn written_out(contract: &Contract, own: &ContractDeclaration, text: &str, depth: usize) -> Option<String> {
    if depth > DEEPEST || text.len() > LONGEST {
        return None;
    }
    let mut whole = String::new();
    let mut done = 0;
    let named = if depth == 0 && is_heir(text) { heritage(text) } else { 0..0 };
    let is_own = |name: &str| own.name == name || is_parameter(&own.signatures, name);
    for mention in mentions(text).filter(|mention| !is_own(mention.text)) {
        let before = &text[..mention.start];
        let (start, before) = match before.strip_suffix("typeof ") {
            Some(before) if mention.is_value => (before.len(), before),
            _ => (mention.start, before),
        };
        let end = mention.start + mention.text.len();
        let after = &text[end..];
        // With types given, or as what is extended, it is more than a name.
        let is_extended = named.contains(&mention.start) && !in_angles(before);
        if after.starts_with('<') || is_extended || before.ends_with("extends ") && depth == 0 {
            continue;
        }
        let Some((one, found)) = stands_for(contract, &mention, start < mention.start) else { continue };
        let found = written_out(contract, one, &found, depth + 1).unwrap_or(found);
        if whole.len() + found.len() > LONGEST {
            return None;
        }
        whole.push_str(&text[done..start]);
        let is_all = after.is_empty() && before.ends_with(": ");
        let is_object = inside(&found, '{', '}').is_some();
        let brackets = if is_all || is_object { ["", ""] } else { ["(", ")"] };
        whole.extend([brackets[0], &found, brackets[1]]);
        done = end;
    }
    (done > 0).then(|| whole + &text[done..])
}

/// The type that a name of the file stands for, if its declaration says it all.
fn stands_for<'c>(
    contract: &'c Contract,
    mention: &Mention<'_>,
    of_value: bool,
) -> Option<(&'c ContractDeclaration, String)> {
    let found = own(contract, mention.text, of_value)?;
    let text = if of_value { plain(meant(found, true)) } else { type_of(contract, found) };
    Some((found, text?))
}

fn plain(meant: Option<(String, String)>) -> Option<String> {
    meant.filter(|(generics, _)| generics.is_empty()).map(|(_, text)| text)
}

/// The type that a declaration gives a name to, with what it has of the others of its file.
pub(super) fn type_of(contract: &Contract, found: &ContractDeclaration) -> Option<String> {
    match meant(found, false) {
        None if found.kind == DeclarationKind::Interface => {
            inherited(contract, &found.name, 0).map(|members| object(&members))
        }
        meant => plain(meant),
    }
}

/// A declaration with what types that are given others come to: `T[keyof T]` for `ValueOf<T>`, whichever file that is of.
pub(super) fn instantiated(
    origins: &Origins<'_, '_>,
    is_now: bool,
    (file, declaration): In<'_, ContractDeclaration>,
) -> ContractDeclaration {
    Instances { origins, is_now }.of((file, declaration), 0)
}

struct Instances<'i, 's, 'a> {
    origins: &'i Origins<'s, 'a>,
    is_now: bool,
}

impl Instances<'_, '_, '_> {
    fn of(&self, one: In<'_, ContractDeclaration>, depth: usize) -> ContractDeclaration {
        let text = |text: &String| {
            let mut whole = text.clone();
            for _ in 0..DEEPEST {
                match self.given(one, &whole, depth).filter(|text| text.len() <= LONGEST) {
                    Some(next) => whole = next,
                    None => break,
                }
            }
            whole
        };
        let mut whole = one.1.clone();
        whole.signatures = one.1.signatures.iter().map(text).collect();
        for prop in whole.props.iter_mut().flatten() {
            prop.text = text(&prop.text);
        }
        whole
    }

    /// The first of these written out.
    fn given(
        &self,
        (file, declaration): In<'_, ContractDeclaration>,
        text: &str,
        depth: usize,
    ) -> Option<String> {
        mentions(text).filter(|mention| mention.text != declaration.name).find_map(|mention| {
            let end = mention.start + mention.text.len();
            let after = text[end..].strip_prefix('<')?;
            let (list, rest) = after.split_at_checked(end_of_list(after)?)?;
            let (generics, meant) = self.meant(file, mention.text, depth)?;
            let names = generics::parameters(&generics);
            let types = split(list, &[',']);
            if types.len() > names.len() || mentions(&meant).any(|inner| inner.text == mention.text) {
                return None;
            }
            let mut others: Vec<(String, String)> = Vec::new();
            for (at, name) in names.into_iter().enumerate() {
                let ty = match types.get(at) {
                    Some(ty) => ty.clone(),
                    None => with_names(&name.default?, others.clone()),
                };
                others.push((name.name, if is_name(&ty) { ty } else { format!("({ty})") }));
            }
            let meant = with_names(&meant, others);
            Some(format!("{}({meant}){}", &text[..mention.start], &rest[1..]))
        })
    }

    /// The type parameters of a type that a file names, and its text.
    fn meant(&self, file: &Contract, name: &str, depth: usize) -> Option<(String, String)> {
        let is_written = |one: &&ContractDeclaration| {
            matches!(one.kind, DeclarationKind::Type | DeclarationKind::Interface)
        };
        if let Some(found) = own(file, name, false).filter(is_written) {
            return meant(found, false);
        }
        let mut imported = file.declarations.iter().flat_map(|one| &one.imported);
        let imported = imported.find(|one| one.text == name).filter(|_| depth < DEEPEST)?;
        let (path, found) = self.origins.target(self.is_now, file, imported)?;
        let side = if self.is_now { self.origins.after } else { self.origins.before };
        let home = side.contracts.get(path)?;
        let whole = expanded(home, Some(found).filter(is_written)?);
        let whole = self.of((home, whole.as_ref().unwrap_or(found)), depth + 1);
        let (generics, text) = meant(&whole, false)?;
        // What is left of the names of that file may be names of this one, too.
        let is_of_file = |name: &str| {
            home.declarations
                .iter()
                .any(|one| one.name == name || one.imported.iter().any(|imported| imported.text == name))
        };
        let names = generics::parameters(&generics);
        let left = mentions(&text).map(|mention| mention.first().to_owned());
        let left: BTreeSet<String> =
            left.filter(|name| is_of_file(name) && names.iter().all(|one| one.name != *name)).collect();
        let marked = left.into_iter().map(|name| (name.clone(), format!("{name}${depth}"))).collect();
        Some((generics, with_names(&text, marked)))
    }
}

/// The declaration that a name of the file stands for.
pub(super) fn own<'c>(contract: &'c Contract, name: &str, of_value: bool) -> Option<&'c ContractDeclaration> {
    use DeclarationKind::{Class, Interface, Type};
    let is_type = |kind: DeclarationKind| matches!(kind, Class | Interface | Type);
    let mut named = contract.declarations.iter().filter(|one| one.name == name);
    named.find(|one| if of_value { !is_type(one.kind) } else { is_type(one.kind) })
}

fn object(members: &[String]) -> String {
    if members.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", members.join("; ")) }
}

/// The parameters of the type that a declaration gives a name to, and the type, if it says it all.
pub(super) fn meant(found: &ContractDeclaration, of_value: bool) -> Option<(String, String)> {
    let [signature] = found.signatures.as_slice() else { return None };
    let of_itself = |text: String| (String::new(), text);
    match Form::of(found.kind, signature) {
        Form::Alias { generics, text } => Some((generics, text)),
        Form::Members(members) if members.parents.is_empty() => {
            Some((members.generics, object(&members.own)))
        }
        Form::Class(class) if !of_value && class.parent.is_none() => {
            let of_instance = |member: &&String| {
                !["static ", "private ", "protected ", "abstract ", "constructor(", "#"]
                    .iter()
                    .any(|word| member.starts_with(word))
            };
            let members = class.members.iter().filter(of_instance).cloned().collect::<Vec<_>>();
            Some((class.generics, object(&members)))
        }
        Form::Call(call) => Some(of_itself(function(&call))),
        Form::Value(text) => Some(of_itself(text)),
        _ => None,
    }
}

fn function(Call { modifiers, generics, parameters, result }: &Call) -> String {
    let generics = if generics.is_empty() { String::new() } else { format!("<{generics}>") };
    let result = match modifiers.as_str() {
        "async" if !result.starts_with("Promise<") => format!("Promise<{result}>"),
        _ => result.clone(),
    };
    format!("{generics}({parameters}) => {result}")
}
