//! Whether somebody who uses a declaration has to change: from its printed signatures and its props.

use serde::Serialize;

use super::form::{Call, Form};
use super::generics::{Renaming, one_way, pinned};
use super::literals::numeric;
use super::members;
use super::patterns;
use super::stands::{From, keeps, spread, stands_for};
use super::told::{INFERRED, gives, is_left_out, is_made, judge_keyed, judge_marked};
use super::types::{AS_CONST, Parameter, Type, UNWRITTEN, frozen, or_undefined, parameters, parse};
use crate::mentions::mentions;
use crate::model::{ContractDeclaration, DeclarationKind, Member};

/// Marks a signature that has its types from a doc comment.
const OF_COMMENT: &str = " /* JSDoc */";

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

pub(super) type Judgement = (Verdict, String);

pub(super) fn breaking(reason: impl Into<String>) -> Judgement {
    (Verdict::Breaking, reason.into())
}

pub(super) fn compatible(reason: impl Into<String>) -> Judgement {
    (Verdict::Compatible, reason.into())
}

/// Two declarations whose signatures differ: one signature per overload.
pub(super) fn judge(old: &ContractDeclaration, new: &ContractDeclaration) -> Judgement {
    // Whether a type stands in a comment is nothing to who uses it.
    let plain = |one: &ContractDeclaration| -> Vec<String> {
        one.signatures.iter().map(|signature| signature.replace(OF_COMMENT, "")).collect()
    };
    let (before, after) = (plain(old), plain(new));
    let (before, after) = (before.as_slice(), after.as_slice());
    if let Some((mut was, mut is)) = Form::whole(old.kind, before).zip(Form::whole(new.kind, after)) {
        if let (Form::Class(was), Form::Class(is)) = (&mut was, &mut is) {
            members::without_bare_constructors((old, was), (new, is));
        }
        return judge_forms(old.kind, &was, new.kind, &is);
    }
    let forms = |kind: DeclarationKind, texts: &[String]| -> Vec<Form> {
        texts.iter().map(|text| Form::of(kind, text)).collect()
    };
    let (was, is) = (forms(old.kind, before), forms(new.kind, after));
    for (text, form) in before.iter().zip(&was) {
        let takes = |(other, is): (&String, &Form)| {
            other == text || judge_forms(old.kind, form, new.kind, is).0 == Verdict::Compatible
        };
        if !after.iter().zip(&is).any(takes) {
            return breaking("an overload was changed or removed");
        }
    }
    if let Some(text) = caught(&calls(before, &was), &calls(after, &is)) {
        return breaking(format!("`{text}` answers some of its calls now, in another way"));
    }
    if old.kind != new.kind || !before.iter().all(|text| after.contains(text)) {
        return compatible("every way to use it is there, written otherwise");
    }
    let is_function = matches!(old.kind, DeclarationKind::Function | DeclarationKind::Hook);
    if is_function && before.len() == after.len() {
        return compatible("its overloads stand in another order");
    }
    compatible(match old.kind {
        DeclarationKind::Function | DeclarationKind::Hook => "an overload was added",
        _ => "it was declared once more, with more",
    })
}

fn calls<'c>(texts: &'c [String], forms: &'c [Form]) -> Vec<(&'c str, &'c Call)> {
    let call = |form: &'c Form| if let Form::Call(call) = form { Some(call) } else { None };
    texts.iter().zip(forms).filter_map(|(text, form)| Some((&**text, call(form)?))).collect()
}

/// The first way that takes a call answers it: one that does now, and gives something else than the one that did.
pub(super) fn caught<'c>(before: &[(&str, &Call)], after: &[(&'c str, &Call)]) -> Option<&'c str> {
    before.iter().enumerate().find_map(|(at, (text, was))| {
        let takes = |was: &Call, is: &Call| judge_call(was, is).0 == Verdict::Compatible;
        let found = after.iter().position(|(other, is)| other == text || takes(was, is))?;
        let is_new = |(text, is): &&(&str, &Call)| {
            let same = |known: &str, was: &Call| known == *text || takes(was, is) && takes(is, was);
            !before[..at].iter().any(|(known, was)| same(known, was))
        };
        let catches = |(_, is): &&(&str, &Call)| meets(was, is) && !gives(&was.result, &is.result);
        after[..found].iter().filter(is_new).find(catches).map(|(text, _)| *text)
    })
}

/// Whether there is a call that both may be meant by.
fn meets(one: &Call, other: &Call) -> bool {
    let (one, other) = (parameters(&one.parameters, 0), parameters(&other.parameters, 0));
    let least = |all: &[Parameter]| all.iter().filter(|one| !one.optional && !one.rest).count();
    let most = |all: &[Parameter]| if all.iter().any(|one| one.rest) { usize::MAX } else { all.len() };
    let stands = |one: &Parameter, other: &Parameter| stands_for(&one.ty, &other.ty, From::UserWithin);
    least(&one) <= most(&other)
        && least(&other) <= most(&one)
        && one.iter().zip(&other).all(|(one, other)| stands(one, other) || stands(other, one))
}

pub(super) fn judge_forms(
    was_kind: DeclarationKind,
    was: &Form,
    kind: DeclarationKind,
    is: &Form,
) -> Judgement {
    match (was, is) {
        (Form::Call(was), Form::Call(is)) => judge_call(was, is),
        (Form::Class(was), Form::Class(is)) => members::judge_class(was, is),
        (Form::Members(was), Form::Members(is)) => members::judge_members(kind, was, is),
        (Form::Enum(was), Form::Enum(is)) => members::judge_enum(was, is),
        (Form::Alias { generics, text }, Form::Alias { generics: new, text: after }) => {
            let one_way = || one_way(generics, new, std::slice::from_ref(after));
            match Renaming::between(generics, new) {
                Err(reason) => breaking(reason),
                Ok(_) if one_way().is_some() => breaking(one_way().unwrap_or_default()),
                Ok(renaming) if keeps(&parse(text), &parse(&renaming.text(after))) => {
                    compatible("it takes and gives the same values, or has more optional members")
                }
                Ok(_) => breaking("what it stands for changed"),
            }
        }
        (Form::Alias { .. }, Form::Members(_)) | (Form::Members(_), Form::Alias { .. }) => {
            let is_choice = |text: &str| matches!(parse(text), Type::Union(_));
            match was.as_type().zip(is.as_type()) {
                Some((was, is)) if is_choice(&is) && !is_choice(&was) => {
                    breaking("it is a choice now, which nothing can extend")
                }
                Some((was, is)) if keeps(&parse(&was), &parse(&is)) => {
                    compatible("it takes and gives the same values, written otherwise")
                }
                _ if was_kind != kind => is_other(was_kind, kind),
                _ => breaking("what it stands for changed"),
            }
        }
        (Form::Value(was), Form::Value(is)) => judge_value(was, is),
        (Form::Members(was), Form::Class(is)) => {
            let as_members = is.as_members().map(|is| members::judge_members(was_kind, was, &is));
            match as_members.filter(|(verdict, _)| *verdict == Verdict::Compatible) {
                Some(_) => compatible("it is a class now, of the same members"),
                None => is_other(was_kind, kind),
            }
        }
        _ if was_kind != kind => is_other(was_kind, kind),
        _ => breaking("its signature changed"),
    }
}

fn is_other(was: DeclarationKind, is: DeclarationKind) -> Judgement {
    let with_article = |kind: DeclarationKind| {
        let name = kind.as_str();
        format!("{} {name}", if name.starts_with(['e', 'i']) { "an" } else { "a" })
    };
    breaking(format!("was {}, is {}", with_article(was), with_article(is)))
}

fn judge_value(was: &str, is: &str) -> Judgement {
    if let Some(judgement) = judge_keyed(was, is).filter(|_| was != is) {
        return judgement;
    }
    let frozen = was.strip_suffix(AS_CONST).zip(is.strip_suffix(AS_CONST));
    let (before, after) = frozen.unwrap_or((was, is));
    if let Some(judgement) = judge_marked(before, after).filter(|_| before != after) {
        return judgement;
    }
    // Each element of one is a type that others may name.
    if let Some((was, is)) = frozen {
        let stands = |is: &Type, was: &Type| stands_for(is, was, From::Declaration);
        let keeps = match (parse(is), parse(was)) {
            // A list may go on where it ended.
            (Type::Tuple(is), Type::Tuple(was)) => {
                is.len() >= was.len() && is.iter().zip(&was).all(|(is, was)| stands(is, was))
            }
            (is, was) => stands(&is, &was),
        };
        return if keeps {
            compatible("it has what it had, and perhaps more")
        } else {
            breaking("its elements changed")
        };
    }
    let (had, has) = (keyword(was), keyword(is));
    if was == is {
        compatible("it is the same value, declared otherwise")
    } else if had.is_some() && had == has {
        compatible("its value changed")
    } else if had == Some(is) && is_exact(was) {
        breaking("its type is declared now, and was that of its value alone")
    } else if had == Some(is) {
        compatible("its type is declared now, and was that of its value")
    } else if was == INFERRED || (is_made(was) || is_named(was)) && !is.starts_with(INFERRED) && !is_named(is)
    {
        compatible("its type was not written down before")
    } else if is != INFERRED && stands_for(&whole(is), &whole(was), From::Declaration) {
        compatible("it is more particular than it was")
    } else if had.is_none() && is_annotation(was) && is_left_out(was, is) {
        compatible("its type is no longer written down")
    } else {
        breaking("its type changed")
    }
}

/// Of what type one literal is, not a choice of several.
fn keyword(text: &str) -> Option<&'static str> {
    match text.chars().next()? {
        '/' => Some("RegExp"),
        _ if !matches!(parse(text), Type::Text(_)) => None,
        '\'' | '"' | '`' => Some("string"),
        _ if matches!(text, "true" | "false") => Some("boolean"),
        _ => numeric(text),
    }
}

/// Whether the type of a literal has no other value.
fn is_exact(literal: &str) -> bool {
    !(literal.starts_with('/') || literal.starts_with('`') && literal.contains("${"))
}

/// The type of a value that may be its own type.
fn whole(value: &str) -> Type {
    value.strip_suffix(AS_CONST).map_or_else(|| parse(value), |value| frozen(parse(value)))
}

/// Whether somebody wrote this down as a type: an object may have been the value itself.
fn is_annotation(value: &str) -> bool {
    !value.ends_with(AS_CONST) && !is_named(value) && !matches!(parse(value), Type::Object(_))
}

/// Known by another name alone, which is not of this file.
fn is_named(value: &str) -> bool {
    value.strip_prefix("typeof ").is_some_and(|name| !name.contains([' ', '[', '<']))
}

pub(super) fn judge_call(was: &Call, is: &Call) -> Judgement {
    let (was_this, was) = &without_this(was);
    let (is_this, is) = &without_this(is);
    // Who calls it by its name alone has none to give.
    if let Some(wanted) = is_this.as_deref().filter(|wanted| *wanted != "void") {
        let given = was_this.as_deref().unwrap_or("void");
        if !stands_for(&parse(given), &parse(wanted), From::User) {
            return breaking(format!("its `this` has to be `{wanted}` now"));
        }
    }
    let renaming = match Renaming::of_call(&was.generics, &is.generics) {
        Ok(renaming) => renaming,
        Err(reason) => return breaking(reason),
    };
    // Who is given nothing by it sees nothing of what is inferred for it.
    let is_seen = |name: &str| {
        let is_named = |text: &str| mentions(text).any(|one| one.first() == name);
        let is_given = |call: &Call| {
            let taken = super::signature::split(&call.parameters, &[',']);
            is_named(&call.result) || taken.iter().any(|one| one.contains("=>") && is_named(one))
        };
        is_given(was) || is_given(is)
    };
    if let Some(reason) = pinned(&was.generics, &is.generics, is_seen) {
        return breaking(reason);
    }
    // What is declared to give a promise gives one, `async` or not.
    let promised = was.result.strip_prefix("Promise<").and_then(|rest| rest.strip_suffix('>'));
    let is_async = is.modifiers == "async";
    // So does what is declared to give one thing after the other.
    let goes_on = was.modifiers.contains('*') || is.modifiers.contains('*');
    let is_declared = |call: &Call| goes_on && !call.result.is_empty() && !call.result.starts_with(INFERRED);
    if was.modifiers != is.modifiers
        && !(is_declared(was) && is_declared(is))
        && !(promised.is_some() && (is_async || is.result.starts_with("Promise<")))
    {
        return breaking("it gives its result in another way");
    }
    let result = renaming.text(&asserted(was, is).unwrap_or_else(|| is.result.clone()));
    // What is not written down of such a function is what it gives in the end.
    let wanted = promised.filter(|_| is_async && result.starts_with(INFERRED)).unwrap_or(&was.result);
    if !gives(wanted, &result) {
        return breaking("what it returns changed");
    }
    let takes = |text: &str| parameters(text, 0);
    let (old, new) = (takes(&was.parameters), takes(&renaming.text(&is.parameters)));
    let new = spread(&new, &old);
    let unwritten = |one: &Parameter| one.ty == Type::Text(UNWRITTEN.to_owned());
    let is_new = was.result.starts_with(INFERRED) && !is.result.starts_with(INFERRED)
        || old.iter().zip(&new).any(|(old, new)| unwritten(old) && !unwritten(new));
    match judge_parameters(&old, &new, was, is) {
        (Verdict::Compatible, _) if is_new => {
            compatible("a type of it was not written down before, and is now")
        }
        judged => judged,
    }
}

/// The type of `this`, and the rest, which is what callers give.
fn without_this(call: &Call) -> (Option<String>, Call) {
    let all = super::signature::split(&call.parameters, &[',']);
    let this = all.first().and_then(|first| first.strip_prefix("this: ")).map(str::to_owned);
    let rest = if this.is_some() { all[1..].join(", ") } else { call.parameters.clone() };
    (this, Call { parameters: rest, ..call.clone() })
}

/// What a function makes sure of, by the name that the same parameter had.
fn asserted(was: &Call, is: &Call) -> Option<String> {
    let rest = is.result.strip_prefix("asserts ")?;
    let end = rest.find(' ').unwrap_or(rest.len());
    let name = &rest[..end];
    let at = parameters(&is.parameters, 0).iter().position(|one| one.name == name)?;
    let known = parameters(&was.parameters, 0);
    Some(format!("asserts {}{}", known.get(at)?.name, &rest[end..]))
}

fn judge_parameters(old: &[Parameter], new: &[Parameter], was: &Call, is: &Call) -> Judgement {
    let shown = |call: &Call, at: usize| -> String {
        super::signature::split(&call.parameters, &[',']).get(at).cloned().unwrap_or_default()
    };
    if new.len() < old.len() {
        return breaking("it takes fewer parameters");
    }
    for (at, (before, after)) in old.iter().zip(new).enumerate() {
        if before.optional && !after.optional && !after.rest {
            return breaking(format!("the parameter `{}` is required now", shown(is, at)));
        }
        if before.rest != after.rest || !stands_for(&before.ty, &after.ty, From::User) {
            let (before, after) = (shown(was, at), shown(is, at));
            return breaking(format!("the parameter `{before}` became `{after}`"));
        }
        if let Some(name) = patterns::lost(before, after) {
            return breaking(format!("the parameter `{}` no longer takes `{name}`", shown(is, at)));
        }
    }
    match new.iter().enumerate().skip(old.len()).find(|(_, added)| !added.optional && !added.rest) {
        Some((at, _)) => breaking(format!("the parameter `{}` was added", shown(is, at))),
        None if old.len() == new.len() => compatible("who calls it need not change"),
        None => compatible("only optional parameters were added"),
    }
}

/// Props, one list per variant. `None` where they are the same.
pub(super) fn judge_props(old: &[Vec<Member>], new: &[Vec<Member>]) -> Option<Judgement> {
    if old == new {
        return None;
    }
    let nothing = [Vec::new()];
    let old = if old.is_empty() { nothing.as_slice() } else { old };
    let new = if new.is_empty() { nothing.as_slice() } else { new };
    if let ([old], [new]) = (old, new) {
        return judge_variant(old, new);
    }
    if old.len() == new.len() && old.iter().zip(new).all(|(old, new)| judge_variant(old, new).is_none()) {
        return None;
    }
    let takes = |variant: &Vec<Member>| {
        new.iter().any(|other| {
            judge_variant(variant, other).is_none_or(|(verdict, _)| verdict != Verdict::Breaking)
        })
    };
    Some(if old.iter().all(takes) {
        compatible("every variant of its props is still taken")
    } else {
        breaking("the variants of its props changed")
    })
}

fn judge_variant(old: &[Member], new: &[Member]) -> Option<Judgement> {
    let mut worst: Option<Judgement> = None;
    let mut note = |judgement: Judgement| {
        if worst.as_ref().is_none_or(|(known, _)| judgement.0 < *known) {
            worst = Some(judgement);
        }
    };
    for prop in old {
        match new.iter().find(|other| other.name == prop.name) {
            None => note(breaking(format!("the prop `{}` was removed", prop.name))),
            Some(other) if prop.optional && !other.optional => {
                note(breaking(format!("the prop `{}` is required now", prop.name)));
            }
            Some(other) if !takes(prop, other) => {
                let (was, is) = (&prop.text, &other.text);
                note(breaking(format!("the prop `{}` was `{was}`, is `{is}`", prop.name)));
            }
            Some(other) if other.text != prop.text || other.optional != prop.optional => {
                note(compatible(format!("the prop `{}` takes what it took, or more", prop.name)));
            }
            Some(_) => {}
        }
    }
    for prop in new.iter().filter(|prop| old.iter().all(|other| other.name != prop.name)) {
        note(if prop.optional {
            compatible(format!("the optional prop `{}` was added", prop.name))
        } else {
            breaking(format!("the required prop `{}` was added", prop.name))
        });
    }
    // Only documentation, or the order.
    worst
}

fn takes(was: &Member, is: &Member) -> bool {
    let ty = |one: &Member| or_undefined(parse(&one.text), one.optional);
    was.text == is.text || stands_for(&ty(was), &ty(is), From::User)
}
