//! Members of classes, interfaces, namespaces and enumerations, before and after.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::form::{Call, Class, Enum, Form, Members};
use super::generics::{Renaming, apart, one_way, pinned};
use super::signature::group;
use super::stands::{From, keeps, stands_for};
use super::told::{gives, is_unknown_beside};
use super::types::{Member, Type, UNWRITTEN, member, or_undefined, parse};
use super::verdict::{Judgement, Verdict, breaking, caught, compatible, judge_call, judge_forms};
use crate::languages::typescript::brief;
use crate::model::{ContractDeclaration, DeclarationKind, is_for_react};
use crate::render::named;

/// Stands for whatever a class has that is private: only its own instances have that.
const PRIVATE: &str = "#private";

const ONLY_MORE: &str = "members were only added, moved, or take and give what they did";

/// Members of something that others may implement as well as use.
pub(super) fn judge_members(kind: DeclarationKind, was: &Members, is: &Members) -> Judgement {
    let renaming = match Renaming::between(&was.generics, &is.generics) {
        Ok(renaming) => renaming,
        Err(reason) => return breaking(reason),
    };
    if let Some(reason) = one_way(&was.generics, &is.generics, &is.own) {
        return breaking(reason);
    }
    let has: Vec<Type> = is.parents.iter().map(|parent| parse(&renaming.text(parent))).collect();
    let had = was.parents.iter().map(|parent| parse(parent));
    if had.len() != has.len() || !had.into_iter().all(|was| has.iter().any(|is| keeps(&was, is))) {
        return breaking("what it extends changed");
    }
    let after: Vec<String> = is.own.iter().map(|one| renaming.text(one)).collect();
    let known = |text: &String| member(text, 0);
    let name = |text: &String| known(text).map(|one| one.name);
    // In a long namespace members stand by their names, with digests.
    let known_briefly = |text: &String| after.iter().any(|one| goes_on(&briefly(text), &briefly(one)));
    let is_kept =
        |text: &String| after.contains(text) || kind == DeclarationKind::Namespace && known_briefly(text);
    for text in was.own.iter().filter(|text| !is_kept(text)) {
        let gone = || breaking(format!("`{text}` was changed or removed"));
        // Of a namespace a member is declared as others are; what has no name of its own is taken for a default.
        let declared = |(_, name, _): &(_, &str, _)| kind == DeclarationKind::Namespace && *name != "default";
        if let Some((of, name, _)) = named(text).filter(declared) {
            let others = after.iter().filter_map(|other| named(other).filter(|(_, other, _)| *other == name));
            let judge = |(kind, _, other)| judge_forms(of, &Form::of(of, text), kind, &Form::of(kind, other));
            match others.map(judge).max() {
                None => return gone(),
                Some((Verdict::Breaking, reason)) => return breaking(format!("`{name}`: {reason}")),
                Some(_) => continue,
            }
        }
        let Some(before) = known(text) else { return gone() };
        let mut others = after.iter().filter_map(known).filter(|other| other.name == before.name);
        let kept = others.any(|other| {
            before.optional == other.optional
                && (before.readonly || !other.readonly)
                && keeps(&before.ty, &other.ty)
        });
        if !kept {
            return gone();
        }
    }
    let additive = kind == DeclarationKind::Namespace;
    if !additive {
        let parts = |texts: &[String]| by_name(texts.iter().cloned());
        if let Some(reason) = otherwise_called(&parts(&was.own), &parts(&after)) {
            return breaking(reason);
        }
    }
    let names: Vec<Option<String>> = was.own.iter().map(name).collect();
    let required = after.iter().find(|text| {
        let optional = known(text).is_some_and(|one| one.optional || names.contains(&Some(one.name)));
        !additive && !was.own.contains(text) && !optional
    });
    if let Some(text) = required {
        return breaking(format!("`{text}` was added and is required"));
    }
    // Who implements it has none of the old ways for one more.
    let old: Vec<Member> = was.own.iter().filter_map(known).collect();
    let is_answered = |text: &&String| {
        known(text).is_none_or(|one| {
            let mut same = old.iter().filter(|other| other.name == one.name).peekable();
            same.peek().is_none() || same.any(|other| stands_for(&other.ty, &one.ty, From::User))
        })
    };
    match after.iter().filter(|text| !additive && !was.own.contains(text)).find(|text| !is_answered(text)) {
        Some(text) => breaking(format!("`{text}` was added, which who implements it does not take")),
        None => compatible(ONLY_MORE),
    }
}

/// The name of a member that a long namespace has by its digest.
pub(super) fn brief_name(text: &str) -> Option<&str> {
    text.split_once(": #").map(|(name, _)| name).filter(|name| !name.contains(' '))
}

/// As a long namespace has it.
fn briefly(text: &str) -> Cow<'_, str> {
    match named(text).filter(|_| brief_name(text).is_none()) {
        Some((_, name, _)) => brief(name, text).into(),
        None => text.into(),
    }
}

/// Whether a member that is known by a digest is what it was, and perhaps takes more.
fn goes_on(was: &str, is: &str) -> bool {
    is.strip_prefix(was).is_some_and(|more| more.is_empty() || more.starts_with('?'))
}

pub(super) fn judge_enum(was: &Enum, is: &Enum) -> Judgement {
    if is.is_const && !was.is_const {
        return breaking("its members are written in place now, and it is no object");
    }
    let after: BTreeMap<&str, &str> = is.members.iter().map(|(name, value)| (&**name, &**value)).collect();
    for (name, value) in &was.members {
        match after.get(name.as_str()) {
            None => return breaking(format!("`{name}` was removed")),
            Some(other) if *other != value => {
                return breaking(format!("`{name}` was `{value}`, is `{other}`"));
            }
            Some(_) => {}
        }
    }
    // As with a union that grows: who has an answer for each has none for it.
    match is.members.iter().find(|(name, _)| was.members.iter().all(|(known, _)| known != name)) {
        Some((name, _)) => breaking(format!("`{name}` was added, which who handles every member does not")),
        None if was.is_const != is.is_const => compatible("it is an object now, too"),
        None => compatible("members were only moved"),
    }
}

pub(super) fn judge_class(was: &Class, is: &Class) -> Judgement {
    let renaming = match Renaming::between(&was.generics, &is.generics) {
        Ok(renaming) => renaming,
        Err(reason) => return breaking(reason),
    };
    let told = one_way(&was.generics, &is.generics, &is.members);
    if let Some(reason) = told.or_else(|| pinned(&was.generics, &is.generics, |_| true)) {
        return breaking(reason);
    }
    if is.is_abstract && !was.is_abstract {
        return breaking("it is abstract now");
    }
    let parent = is.parent.as_ref().map(|parent| parse(&renaming.text(parent)));
    if was.parent.is_some() && was.parent.as_deref().map(parse) != parent {
        return breaking("what it extends changed");
    }
    let implied = |class: &Class, members: &mut BTreeMap<String, Vec<Part>>| {
        if class.parent.is_none() && !members.contains_key("constructor") {
            members.insert("constructor".to_owned(), vec![Part::of("constructor()")]);
        }
    };
    let mut before = by_name(was.members.iter().cloned());
    let mut after = by_name(is.members.iter().map(|text| renaming.text(text)));
    implied(was, &mut before);
    implied(is, &mut after);
    // Until now its parent said what is given to make one, which is not known here.
    let takes_all =
        |part: &Part| matches!(&part.what, What::Call(call) if call.parameters.starts_with("..."));
    let made = after.get("constructor").and_then(|parts| parts.first());
    let made = made.filter(|part| !before.contains_key("constructor") && !takes_all(part));
    if let Some(part) = made.filter(|_| was.parent.is_some()) {
        return breaking(format!("`{}` was added, and what it extends may be made otherwise", part.text));
    }
    for (name, parts) in before.iter().filter(|(name, _)| *name != PRIVATE) {
        let gone = || breaking(format!("`{}` was removed", parts[0].text));
        let Some(others) = after.get(name) else { return gone() };
        for part in parts.iter().filter(|part| others.iter().all(|other| other.text != part.text)) {
            if let Some(reason) = worst_of(part, others, &was.own_type()) {
                return breaking(reason);
            }
        }
    }
    if let Some(reason) = otherwise_called(&before, &after) {
        return breaking(reason);
    }
    // One that only holds data is made as an object by who hands it over: `const body: CreateUser = { … }`.
    let is_data = was.parent.is_none() && holds_data(&before);
    if is_data && after.contains_key(PRIVATE) {
        return breaking("it has private members now, so that no other object can stand for one of it");
    }
    let is_new_duty = |name: &str, part: &Part| {
        part.is_abstract || is_data && !part.optional && !name.starts_with("static ")
    };
    let added = after.iter().filter(|(name, _)| !before.contains_key(*name));
    let mut added = added.flat_map(|(name, parts)| parts.iter().map(move |part| (name, part)));
    match added.find(|(name, part)| is_new_duty(name, part)) {
        Some((_, part)) if part.is_abstract => {
            breaking(format!("`{}` was added, and has to be implemented", part.text))
        }
        Some((_, part)) => breaking(format!("`{}` was added and is required", part.text)),
        None if after.contains_key(PRIVATE) && !before.contains_key(PRIVATE) => {
            compatible("it has private members now, and may have more that others see")
        }
        None => compatible(ONLY_MORE),
    }
}

/// Takes `constructor()` away where the parent is of a package, or of the platform, so that nothing is known of how that is
/// made, and one of the two classes leaves it to the parent. Who makes one of nothing, as elements are made, need not change.
/// Who gave something that the parent takes would have to, but a class that was made of something rarely stops to be: errors
/// and collections are those that are.
pub(super) fn without_bare_constructors(
    (old, was): (&ContractDeclaration, &mut Class),
    (new, is): (&ContractDeclaration, &mut Class),
) {
    const BARE: &str = "constructor()";
    let has = |class: &Class, is_it: &dyn Fn(&str) -> bool| class.members.iter().any(|text| is_it(text));
    let is_made = |class: &Class| has(class, &|text| class_member(text) == "constructor");
    let is_bare = |class: &Class| has(class, &|text| text == BARE);
    let Some(parent) = was.parent.as_deref().filter(|_| was.parent == is.parent) else { return };
    let (name, ..) = apart(parent);
    let is_element = matches!(name, "EventTarget") || name.starts_with("HTML") && name.ends_with("Element");
    let is_of_package = |one: &ContractDeclaration| {
        let mut imported = one.imported.iter();
        imported.any(|import| import.text == name && !import.from.starts_with('.'))
    };
    let takes_something =
        || ["Error", "Exception", "Map", "Set", "Array", "List"].iter().any(|of| name.ends_with(of));
    let may_come = is_element || is_of_package(old) && is_of_package(new) && !takes_something();
    if may_come && is_bare(is) && !is_made(was) {
        is.members.retain(|text| text != BARE);
    }
    // What a package's own constructor takes may have been given by this one.
    if is_element && is_bare(was) && !is_made(is) {
        was.members.retain(|text| text != BARE);
    }
}

/// A member that a class did not have, and that nobody can leave out who stands for it.
pub(super) struct Added {
    pub(super) text: String,
    name: String,
    is_protected: bool,
}

impl Added {
    /// Nobody else has what a class has for its heirs.
    pub(super) fn is_in(&self, class: &Class) -> bool {
        let is_its_own = self.is_protected || self.name == PRIVATE;
        !is_its_own && class.members.iter().any(|text| class_member(text) == self.name)
    }
}

pub(super) fn added(was: &Class, is: &Class) -> Vec<Added> {
    let known: BTreeSet<String> = was.members.iter().map(|text| class_member(text)).collect();
    let parts = is.members.iter().map(|text| Part::of(text)).map(|part| (part.name(), part));
    let is_new = |(name, part): &(String, Part)| {
        !known.contains(name) && !part.optional && name != "constructor" && !name.starts_with("static ")
    };
    let new = parts.filter(is_new);
    new.map(|(name, part)| Added { text: part.text, name, is_protected: part.is_protected }).collect()
}

/// Of several ways to call a member, that another one answers now.
fn otherwise_called(
    before: &BTreeMap<String, Vec<Part>>,
    after: &BTreeMap<String, Vec<Part>>,
) -> Option<String> {
    before.iter().find_map(|(name, parts)| {
        let others = after.get(name).filter(|others| others.len() > 1)?;
        let text = caught(&calls(parts), &calls(others))?;
        Some(format!("`{text}` answers some calls now, in another way"))
    })
}

fn calls(parts: &[Part]) -> Vec<(&str, &Call)> {
    let each = parts.iter().map(|part| match &part.what {
        What::Call(call) => Some((&*part.text, call)),
        What::Value(_) => None,
    });
    each.flatten().collect()
}

/// Whether there is nothing to a class but public fields, and nothing that has to be given to make one.
fn holds_data(members: &BTreeMap<String, Vec<Part>>) -> bool {
    let mut own = members.iter().filter(|(name, _)| !name.starts_with("static "));
    let is_plain = |part: &Part| match &part.what {
        What::Value(_) => !part.is_protected && !part.is_abstract && part.can_read,
        What::Call(call) => part.text.starts_with("constructor(") && call.parameters.is_empty(),
    };
    own.clone().any(|(name, _)| name != "constructor")
        && own.all(|(name, parts)| name != PRIVATE && parts.iter().all(is_plain))
}

/// What a component that is a class has for those who hold one, beside its props.
pub(super) fn judge_component(was: &[String], is: &[String]) -> Option<Judgement> {
    let class = |signatures: &[String]| match Form::of(DeclarationKind::Component, signatures.first()?) {
        Form::Class(mut class) => {
            // What it extends is judged by the props.
            class.parent = Some(String::new());
            class.members.retain(|text| {
                let name = Part::of(text).name();
                !is_for_react(name.trim_start_matches("static ")) && !text.starts_with("protected ")
            });
            Some(class)
        }
        _ => None,
    };
    let was = class(was)?;
    match (class(is), was.members.first()) {
        (Some(is), _) => Some(judge_class(&was, &is)),
        (None, Some(member)) => Some(breaking(format!("`{member}` was removed"))),
        (None, None) => None,
    }
}

/// What was assigned to a function or class, which is one more signature, and the two without.
pub(super) fn assigned_apart(
    old: &ContractDeclaration,
    new: &ContractDeclaration,
) -> Option<(Option<Judgement>, ContractDeclaration, ContractDeclaration)> {
    let find = |one: &ContractDeclaration| match one.kind {
        DeclarationKind::Namespace => None,
        _ => one.signatures.iter().position(|text| text.starts_with("namespace ")),
    };
    let (was_at, is_at) = (find(old), find(new));
    was_at.or(is_at)?;
    let apart = |one: &ContractDeclaration, at: Option<usize>| {
        let mut rest = one.clone();
        (at.map(|at| rest.signatures.remove(at)), rest)
    };
    let ((was, old), (is, new)) = (apart(old, was_at), apart(new, is_at));
    let form = |text: &String| Form::of(DeclarationKind::Namespace, text);
    let judged = match (was.as_ref().map(form), is.as_ref().map(form)) {
        _ if was == is => None,
        (Some(Form::Members(was)), Some(Form::Members(is))) => {
            Some(judge_members(DeclarationKind::Namespace, &was, &is))
        }
        (None, _) => Some(compatible("something was assigned to it")),
        (Some(_), _) => Some(breaking("what was assigned to it went")),
    };
    Some((judged, old, new))
}

/// One way to use a member.
struct Part {
    text: String,
    is_protected: bool,
    is_private: bool,
    is_abstract: bool,
    can_read: bool,
    can_write: bool,
    optional: bool,
    what: What,
    /// What its setter takes.
    put: Option<Type>,
}

enum What {
    Call(Call),
    Value(Type),
}

/// The name of a member of a class, what is static apart.
pub(super) fn class_member(text: &str) -> String {
    Part::of(text).name()
}

/// How a class has something of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Method,
    Field,
    /// Functions behind a name.
    Accessor,
}

impl Kind {
    /// Whether a class may have its own so that has one like this of its parent.
    pub(super) fn admits(self, own: Self) -> bool {
        self == own || (self, own) == (Self::Method, Self::Field)
    }
}

/// The name of a member that objects of a class have, and how they do. What is abstract may be had in any way.
pub(super) fn kind_of(text: &str) -> Option<(String, Kind)> {
    const WORDS: [&str; 4] = ["override", "protected", "private", "readonly"];
    let part = Part::of(text);
    let name = part.name();
    let word = text.split(' ').find(|word| !WORDS.contains(word));
    let kind = match part.what {
        _ if matches!(word, Some("get" | "set" | "accessor")) => Kind::Accessor,
        What::Call(_) => Kind::Method,
        What::Value(_) => Kind::Field,
    };
    (!name.starts_with("static ") && !part.is_abstract && name != "constructor").then_some((name, kind))
}

/// By name, what is static apart. A getter and a setter are a property.
fn by_name(members: impl Iterator<Item = String>) -> BTreeMap<String, Vec<Part>> {
    let mut all: BTreeMap<String, Vec<Part>> = BTreeMap::new();
    for text in members {
        let part = Part::of(&text);
        let name = part.name();
        let parts = all.entry(name).or_default();
        match parts.first_mut() {
            Some(first) if first.can_read != part.can_read && matches!(part.what, What::Value(_)) => {
                let text = format!("{}; {}", first.text, part.text);
                let other = if first.can_read { part } else { std::mem::replace(first, part) };
                first.can_write |= other.can_write;
                first.put = if let What::Value(ty) = other.what { Some(ty) } else { None };
                first.text = text;
            }
            _ => parts.push(part),
        }
    }
    all
}

impl Part {
    fn of(text: &str) -> Self {
        let mut rest = text;
        let mut words = Vec::new();
        while let Some((word, after)) = rest.split_once(' ') {
            let is_modifier = matches!(
                word,
                "private"
                    | "protected"
                    | "static"
                    | "abstract"
                    | "readonly"
                    | "accessor"
                    | "get"
                    | "set"
                    | "async"
            );
            if !is_modifier || after.starts_with([':', '(', '?', '=']) {
                break;
            }
            words.push(word);
            rest = after;
        }
        let has = |word: &str| words.contains(&word);
        let (head, what) = Self::apart(rest, &words);
        let optional = head.ends_with('?');
        let what = match what {
            What::Value(ty) => What::Value(or_undefined(ty, optional)),
            what @ What::Call(_) => what,
        };
        Self {
            text: text.to_owned(),
            is_protected: has("protected"),
            is_private: has("private"),
            is_abstract: has("abstract"),
            can_read: !has("set"),
            can_write: !has("readonly") && !has("get"),
            optional,
            what,
            put: None,
        }
    }

    fn apart(rest: &str, words: &[&str]) -> (String, What) {
        let is_accessor = words.contains(&"get") || words.contains(&"set");
        if let Some((start, end)) = group(rest, '(', ')') {
            let (name, generics, _) = apart(&rest[..start]);
            let result = rest[end + 1..].trim().trim_start_matches(':').trim();
            if !name.contains([':', '=']) {
                let parameters = rest[start + 1..end].to_owned();
                let what = if is_accessor {
                    let taken = parameters.split_once(':').map_or(UNWRITTEN, |(_, ty)| ty);
                    What::Value(parse(if words.contains(&"set") { taken } else { result }))
                } else {
                    let marks =
                        [words.contains(&"async").then_some("async"), name.starts_with('*').then_some("*")];
                    What::Call(Call {
                        modifiers: marks.into_iter().flatten().collect(),
                        generics: generics.to_owned(),
                        parameters,
                        result: result.to_owned(),
                    })
                };
                return (name.trim_start_matches('*').to_owned(), what);
            }
        }
        let (name, ty) = rest.split_once(':').unwrap_or((rest, UNWRITTEN));
        (name.to_owned(), What::Value(parse(ty)))
    }

    /// With `static` where it is, for there may be both.
    fn name(&self) -> String {
        let words =
            ["private ", "protected ", "abstract ", "readonly ", "accessor ", "get ", "set ", "async "];
        let mut rest = self.text.as_str();
        let mut prefix = "";
        loop {
            if let Some(after) = rest.strip_prefix("static ") {
                (rest, prefix) = (after, "static ");
            } else if let Some(after) = words.iter().find_map(|word| rest.strip_prefix(word)) {
                rest = after;
            } else {
                break;
            }
        }
        let end = rest.find(['(', ':', '<', '?', '=']).unwrap_or(rest.len());
        format!("{prefix}{}", rest[..end].trim_start_matches('*').trim())
    }
}

/// Why none of the new ways stands for an old one.
fn worst_of(part: &Part, others: &[Part], own: &str) -> Option<String> {
    let mut reason = None;
    for other in others {
        reason = stands_not(part, other, own);
        reason.as_ref()?;
    }
    reason
}

/// `own` is the type of the class itself.
fn stands_not(was: &Part, is: &Part, own: &str) -> Option<String> {
    let (text, other) = (&was.text, &is.text);
    let changed = || Some(format!("`{text}` became `{other}`"));
    if is.is_private && !was.is_private || is.is_protected && !was.is_protected && !was.is_private {
        return Some(format!("`{text}` is for fewer to use: `{other}`"));
    }
    if is.is_abstract && !was.is_abstract {
        return Some(format!("`{text}` has to be implemented now"));
    }
    match (&was.what, &is.what) {
        // Who has one of this class has that.
        (What::Call(before), What::Call(after)) if before.result == own && after.result == "this" => {
            let after = Call { result: own.to_owned(), ..after.clone() };
            stands_not(was, &Part { what: What::Call(after), ..Part::of(other) }, own)
        }
        (What::Call(before), What::Call(after)) => match judge_call(before, after) {
            (Verdict::Breaking, reason) => Some(format!("`{text}`: {reason}")),
            _ if is.optional && !was.optional => changed(),
            // What gave it that implements it has to give what is wanted now.
            _ if is.is_abstract && !gives(&after.result, &before.result) => changed(),
            _ => None,
        },
        (What::Value(before), What::Value(after)) => {
            // What nobody knew of which type it was is declared now, or the other way round.
            let unknown = |ty: &Type, other: &Type| match (ty, other) {
                (Type::Text(text), Type::Text(other)) => is_unknown_beside(text, other),
                (Type::Text(text), _) => is_unknown_beside(text, ""),
                _ => false,
            };
            let (had, has) = (was.put.as_ref().unwrap_or(before), is.put.as_ref().unwrap_or(after));
            let takes = unknown(had, has) || stands_for(had, has, From::User);
            let gives = unknown(after, before) || stands_for(after, before, From::Declaration);
            let writes = if was.can_write { is.can_write && takes } else { !is.is_abstract || takes };
            let reads = !was.can_read || is.can_read && gives;
            let as_optional = was.optional == is.optional || was.optional && !was.can_write;
            if writes && reads && as_optional { None } else { changed() }
        }
        // A method that became a property with a function in it, or the other way round, is called as it was.
        _ => match as_call(was).zip(as_call(is)) {
            Some((before, after)) => {
                let is_kept = judge_call(&before, &after).0 != Verdict::Breaking
                    && (was.optional || !is.optional)
                    && (!is.is_abstract || gives(&after.result, &before.result));
                if is_kept { None } else { changed() }
            }
            None => changed(),
        },
    }
}

/// How a method, or a property with a function in it, is called.
fn as_call(part: &Part) -> Option<Call> {
    if let What::Call(call) = &part.what {
        return Some(call.clone());
    }
    let (_, ty) = part.text.split_once(':')?;
    match Form::of(DeclarationKind::Constant, &format!("const it: {}", ty.trim())) {
        Form::Call(call) => Some(call),
        _ => None,
    }
}
