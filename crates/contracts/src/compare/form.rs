//! What a printed signature is: something to call, a class, members, an enumeration, a value.

use super::generics::{apart, parameters};
use super::signature::{body, group, inside, split};
use super::spelled;
use super::types::{Type, parse};
use crate::mentions::is_class;
use crate::model::DeclarationKind;

#[derive(Debug)]
pub(super) enum Form {
    Call(Call),
    Class(Class),
    Members(Members),
    /// Names with the values that they have.
    Enum(Enum),
    Alias {
        generics: String,
        text: String,
    },
    /// The type of a constant, or its literal.
    Value(String),
    Other,
}

#[derive(Debug, Clone)]
pub(super) struct Call {
    /// `async`, `*`
    pub(super) modifiers: String,
    pub(super) generics: String,
    pub(super) parameters: String,
    pub(super) result: String,
}

#[derive(Debug)]
pub(super) struct Class {
    pub(super) name: String,
    pub(super) is_abstract: bool,
    pub(super) generics: String,
    pub(super) parent: Option<String>,
    pub(super) members: Vec<String>,
}

#[derive(Debug)]
pub(super) struct Members {
    pub(super) generics: String,
    /// What is extended.
    pub(super) parents: Vec<String>,
    pub(super) own: Vec<String>,
}

#[derive(Debug)]
pub(super) struct Enum {
    pub(super) is_const: bool,
    pub(super) members: Vec<(String, String)>,
}

impl Class {
    /// `Name<T>`, what an object of it is to itself.
    pub(super) fn own_type(&self) -> String {
        let given: Vec<String> = parameters(&self.generics).into_iter().map(|one| one.name).collect();
        if given.is_empty() { self.name.clone() } else { format!("{}<{}>", self.name, given.join(", ")) }
    }

    /// What an object of it has, as an interface would say it. `None` for one that does something: it may have more that is
    /// only its own, and then nobody else can make one.
    pub(super) fn as_members(&self) -> Option<Members> {
        let is_own = |text: &&String| !text.starts_with("static ");
        let own = self.members.iter().filter(is_own).map(|text| {
            if let Some(wanted) = text.strip_prefix("abstract ") {
                return Some(wanted.to_owned());
            }
            let is_field = text.find([':', '(']).is_some_and(|at| text[at..].starts_with(':'));
            (is_field && !text.starts_with("protected ")).then(|| text.clone())
        });
        let own = own.collect::<Option<_>>()?;
        let parents = self.parent.iter().cloned().collect();
        Some(Members { generics: self.generics.clone(), parents, own })
    }
}

impl Form {
    pub(super) fn of(kind: DeclarationKind, signature: &str) -> Self {
        let found = match kind {
            DeclarationKind::Class => class(signature).map(Self::Class),
            DeclarationKind::Interface => interface(signature).map(Self::Members),
            DeclarationKind::Namespace => namespace(signature).map(Self::Members),
            DeclarationKind::Type => alias(signature),
            DeclarationKind::Enum => enumeration(signature).map(Self::Enum),
            // A component may be one, too.
            _ if is_class(signature) => class(signature).map(Self::Class),
            _ => call(signature).map(Self::Call).or_else(|| value(signature)),
        };
        found.unwrap_or(Self::Other)
    }
}

impl Form {
    /// Of one signature, or of what is declared in several parts that are one: interfaces, namespaces, enumerations.
    pub(super) fn whole(kind: DeclarationKind, signatures: &[String]) -> Option<Self> {
        let mut parts = signatures.iter().map(|signature| Self::of(kind, signature));
        let mut whole = parts.next()?;
        for part in parts {
            match (&mut whole, part) {
                (Form::Members(all), Form::Members(part)) => {
                    all.parents.extend(part.parents);
                    all.own.extend(part.own);
                }
                (Form::Enum(all), Form::Enum(part)) => all.members.extend(part.members),
                _ => return None,
            }
        }
        Some(whole)
    }

    /// The type that a name without type parameters stands for.
    pub(super) fn as_type(&self) -> Option<String> {
        match self {
            Form::Alias { generics, text } if generics.is_empty() => Some(text.clone()),
            Form::Members(Members { generics, parents, own })
                if generics.is_empty() && parents.is_empty() =>
            {
                Some(format!("{{ {} }}", own.join("; ")))
            }
            _ => None,
        }
    }
}

/// `async function* name<T>(a: A): R`
fn call(signature: &str) -> Option<Call> {
    let at = signature.find("function")?;
    let modifiers = signature[..at].trim();
    if !matches!(modifiers, "" | "async") {
        return None;
    }
    let (start, end) = group(signature, '(', ')')?;
    let head = &signature[at + "function".len()..start];
    let (name, generics, _) = apart(head);
    let generator = if name.trim_start().starts_with('*') { "*" } else { "" };
    Some(Call {
        modifiers: format!("{modifiers}{generator}"),
        generics: generics.to_owned(),
        parameters: signature[start + 1..end].to_owned(),
        result: signature[end + 1..].trim().trim_start_matches(':').trim().to_owned(),
    })
}

/// `const name: type`, `const name = literal`, `default: type`; what can be called is known as that.
fn value(signature: &str) -> Option<Form> {
    let after_name = signature.find([':', '='])?;
    let text = signature[after_name + 1..].trim();
    let is_literal = signature[after_name..].starts_with('=');
    if !is_literal {
        let (is_async, function) = text.strip_prefix("async ").map_or(("", text), |rest| ("async", rest));
        let (generator, function) = function.strip_prefix('*').map_or(("", function), |rest| ("*", rest));
        if matches!(parse(function), Type::Function { .. }) {
            let (start, end) = group(function, '(', ')')?;
            let result = function[end + 1..].trim_start().strip_prefix("=>")?;
            return Some(Form::Call(Call {
                modifiers: format!("{is_async}{generator}"),
                generics: apart(&function[..start]).1.to_owned(),
                parameters: function[start + 1..end].to_owned(),
                result: result.trim().to_owned(),
            }));
        }
    }
    Some(Form::Value(text.to_owned()))
}

fn class(signature: &str) -> Option<Class> {
    let (start, end) = body(signature).unwrap_or((signature.len(), signature.len()));
    let head = signature[..start].trim();
    let is_abstract = head.starts_with("abstract ");
    let head = head.trim_start_matches("abstract ").strip_prefix("class")?;
    let (before, after) = match head.split_once(" extends ") {
        // `class A<T extends B>` extends nothing.
        Some((before, _)) if before.contains('<') => {
            let (name, generics, rest) = apart(head);
            (&head[..name.len() + generics.len() + 2], rest.strip_prefix(" extends ").unwrap_or(""))
        }
        Some((before, after)) => (before, after),
        None => (head, ""),
    };
    let parent = after.split(" implements ").next().unwrap_or_default().trim();
    let (name, generics, _) = apart(before.split(" implements ").next().unwrap_or(before));
    Some(Class {
        name: name.trim().to_owned(),
        is_abstract,
        generics: generics.to_owned(),
        parent: (!parent.is_empty()).then(|| parent.to_owned()),
        members: if start < end { split(&signature[start + 1..end], &[';']) } else { Vec::new() },
    })
}

fn interface(signature: &str) -> Option<Members> {
    let (start, end) = body(signature)?;
    let head = signature[..start].trim().strip_prefix("interface ")?;
    let (name, generics, rest) = apart(head);
    let own_generics = !name.contains(" extends ");
    let (generics, parents) = if own_generics { (generics, rest) } else { ("", head) };
    let parents = parents.split_once("extends ").map_or("", |(_, parents)| parents);
    let parents = if own_generics && generics.is_empty() && rest.is_empty() {
        name.split_once(" extends ").map_or("", |(_, parents)| parents)
    } else {
        parents
    };
    Some(Members {
        generics: generics.to_owned(),
        parents: split(parents, &[',']),
        own: fields(split(&signature[start + 1..end], &[';', ','])),
    })
}

/// With `readonly a: A` in the place of `get a(): A`, and `a: A` where there is a setter that takes what is read, too.
fn fields(members: Vec<String>) -> Vec<String> {
    let of = |word| members.iter().filter_map(move |text| accessed(text, word));
    let read: Vec<_> = of("get ").collect();
    if read.is_empty() {
        return members;
    }
    let written: Vec<_> = of("set ").collect();
    let is_field = |name: &str, ty: &str| {
        read.contains(&(name, ty)) && written.iter().all(|(own, taken)| *own != name || *taken == ty)
    };
    let field = |text: &String| {
        if let Some((name, ty)) = accessed(text, "get ").filter(|(name, ty)| is_field(name, ty)) {
            let readonly = if written.iter().any(|(own, _)| *own == name) { "" } else { "readonly " };
            return Some(format!("{readonly}{name}: {ty}"));
        }
        let is_told = accessed(text, "set ").is_some_and(|(name, ty)| is_field(name, ty));
        (!is_told).then(|| text.clone())
    };
    members.iter().filter_map(field).collect()
}

/// The name and the type behind one of these words; `None` for what is no accessor, or says no type.
fn accessed<'t>(text: &'t str, word: &str) -> Option<(&'t str, &'t str)> {
    let rest = text.strip_prefix(word)?;
    let (start, end) = group(rest, '(', ')')?;
    let ty = if word == "get " {
        rest[end + 1..].strip_prefix(": ")
    } else {
        rest[start + 1..end].split_once(": ").map(|(_, ty)| ty)
    };
    Some((&rest[..start], ty?))
}

fn namespace(signature: &str) -> Option<Members> {
    let (start, end) = group(signature, '{', '}')?;
    let members = split(&signature[start + 1..end], &[';']);
    Some(Members { generics: String::new(), parents: Vec::new(), own: members })
}

/// An alias of an object is its members, and so is one of several together.
fn alias(signature: &str) -> Option<Form> {
    let rest = signature.strip_prefix("type ")?;
    let (head, text) = match apart(rest) {
        (name, generics, after) if !name.contains('=') && after.trim_start().starts_with('=') => {
            (generics, after.trim_start()[1..].trim())
        }
        _ => ("", rest.split_once('=')?.1.trim()),
    };
    let generics = head.to_owned();
    let text = inside(text, '(', ')').unwrap_or(text);
    let objects = if text.starts_with('{') { split(text, &['&']) } else { Vec::new() };
    let own = objects.iter().map(|text| {
        let members = inside(text, '{', '}').filter(|members| !spelled::is_mapped(members))?;
        matches!(parse(text), Type::Object(_)).then(|| fields(split(members, &[';', ','])))
    });
    match own.collect::<Option<Vec<_>>>() {
        Some(own) if !own.is_empty() => {
            return Some(Form::Members(Members { generics, parents: Vec::new(), own: own.concat() }));
        }
        _ => {}
    }
    Some(Form::Alias { generics, text: text.to_owned() })
}

/// Members without a value count on from the one before.
fn enumeration(signature: &str) -> Option<Enum> {
    let (start, end) = group(signature, '{', '}')?;
    let mut next: Option<i64> = Some(0);
    let members = split(&signature[start + 1..end], &[',', ';']);
    let mut known: Vec<(String, String)> = Vec::new();
    for member in &members {
        let (name, value) = match member.split_once(" = ") {
            Some((name, value)) => {
                (name, number(value, &known).map_or_else(|| value.to_owned(), |value| value.to_string()))
            }
            None => (member.as_str(), next.map_or_else(|| "…".to_owned(), |next| next.to_string())),
        };
        next = value.parse::<i64>().ok().and_then(|value| value.checked_add(1));
        known.push((name.trim().to_owned(), value));
    }
    Some(Enum { members: known, is_const: signature.starts_with("const ") })
}

/// What a value comes to that is put together of whole numbers and members before it: `1 << 2 | Read`.
fn number(text: &str, known: &[(String, String)]) -> Option<i64> {
    let text = text.trim();
    let of_two = |sign: &str, make: fn(i64, i64) -> Option<i64>| {
        let (one, other) = text.rsplit_once(sign)?;
        make(number(one, known)?, number(other, known)?)
    };
    if text.contains(" | ") {
        return of_two(" | ", |one, other| Some(one | other));
    }
    if text.contains(" << ") {
        return of_two(" << ", |one, other| one.checked_shl(u32::try_from(other).ok()?));
    }
    let named = || known.iter().find(|(name, _)| *name == text)?.1.parse().ok();
    match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok().or_else(named),
    }
}
