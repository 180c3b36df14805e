//! Types that a JavaScript file declares in its doc comments (`@typedef`, `@callback`), and the files that such comments
//! name (`import('./types').User`, `@import { User } from './types'`).

use oxc_ast::ast::Program;
use oxc_span::Span;

use super::source::{Source, compact};
use crate::model::{Import, ImportKind, ImportedName, Member, MemberKind, TypeShape};

pub(super) struct Declared {
    pub(super) name: String,
    pub(super) signature: String,
    pub(super) shape: TypeShape,
    pub(super) span: Span,
}

#[derive(Default)]
pub(super) struct Documented {
    pub(super) types: Vec<Declared>,
    pub(super) imports: Vec<Import>,
}

pub(super) fn of(program: &Program<'_>, source: &Source<'_>) -> Documented {
    let mut found = Documented::default();
    if !program.source_type.is_javascript() {
        return found;
    }
    for comment in program.comments.iter().filter(|comment| comment.is_block()) {
        let text = source.slice(comment.span);
        if !text.starts_with("/**")
            || !["@typedef", "@callback", "import(", "@import"].iter().any(|said| text.contains(said))
        {
            continue;
        }
        let body = body_of(text);
        found.imports.extend(imports(&body, source.line(comment.span.start)));
        found.imports.extend(imported(&body, source.line(comment.span.start)));
        found.types.extend(declared(&body, comment.span));
    }
    found
}

/// What the doc comment of a function or a constant says of its types.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// In their order; the parts of one are its members (`options.deep`).
    parameters: Vec<(Member, Vec<Member>)>,
    pub(super) returns: Option<String>,
    /// `@type {…}`
    pub(super) ty: Option<String>,
}

/// Ends a signature whose types are from a comment.
pub(super) const MARK: &str = " /* JSDoc */";

impl Said {
    pub(super) fn of(source: &Source<'_>, start: u32) -> Option<Self> {
        let body = body_of(source.typed_doc(start)?);
        let mut said = Self::default();
        for (tag, rest) in tags(&body) {
            let (ty, rest) = braces(rest);
            match tag {
                "param" | "arg" | "argument" => said.parameter(ty, rest),
                "returns" | "return" => said.returns = ty.map(written),
                "type" => said.ty = ty.map(written),
                _ => {}
            }
        }
        let is_something = !said.parameters.is_empty() || said.returns.is_some() || said.ty.is_some();
        is_something.then_some(said)
    }

    fn parameter(&mut self, ty: Option<&str>, rest: &str) {
        let Some(ty) = ty else { return };
        let name = rest.trim_start_matches('[');
        let Some((first, deep)) = name[..path(name)].split_once('.') else {
            self.parameters.extend(member(Some(ty), rest).map(|found| (found, Vec::new())));
            return;
        };
        let bracket = if rest.starts_with('[') { "[" } else { "" };
        let part = member(Some(ty), &format!("{bracket}{deep}"));
        let of = self.parameters.iter_mut().find(|(one, _)| one.name == first.trim_end_matches("[]"));
        if let (Some((_, parts)), Some(part)) = (of, part) {
            parts.push(part);
        }
    }

    /// By its name, or where it has none by its place.
    pub(super) fn of_parameter(&self, name: Option<&str>, at: usize) -> Option<Member> {
        let (found, parts) = match name {
            Some(name) => self.parameters.iter().find(|(one, _)| one.name == name)?,
            None => self.parameters.get(at)?,
        };
        if parts.is_empty() {
            return Some(found.clone());
        }
        let each = parts.iter().map(|part| {
            let optional = if part.optional { "?" } else { "" };
            format!("{}{optional}: {}", part.name, part.text)
        });
        let text = format!("{{ {} }}", each.collect::<Vec<_>>().join("; "));
        Some(Member { text, ..found.clone() })
    }
}

/// A type as TypeScript writes it.
fn written(ty: &str) -> String {
    let ty = ty.trim().replace(".<", "<");
    match ty.as_str() {
        "*" | "?" => "any".to_owned(),
        "Function" | "function" => "Function".to_owned(),
        ty => match (ty.strip_prefix('?'), ty.strip_prefix('!')) {
            (Some(inner), _) => format!("{} | null", written(inner)),
            (_, Some(inner)) => written(inner),
            _ => spelled(ty.trim_end_matches('=')),
        },
    }
}

/// In one spelling, where it has several.
fn spelled(ty: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_$.<>[]".contains(&byte);
    if ty.bytes().all(is_plain) {
        return ty.to_owned();
    }
    super::type_text(ty).unwrap_or_else(|| {
        let mut text = String::new();
        compact(ty, &mut text);
        text
    })
}

/// The length of `a.b.c`.
fn path(text: &str) -> usize {
    text.find(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '_' | '$' | '.' | '[' | ']')))
        .unwrap_or(text.len())
}

/// Without what only makes it a comment, on one line.
fn body_of(comment: &str) -> String {
    let inner = comment.trim_start_matches("/**").trim_end_matches("*/");
    let lines = inner.lines().map(|line| line.trim().trim_start_matches('*').trim());
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

fn imports(body: &str, line: u32) -> Vec<Import> {
    let mut found = Vec::new();
    for after in body.split("import(").skip(1) {
        let Some(quote) = after.chars().next().filter(|first| matches!(first, '\'' | '"')) else { continue };
        let Some((specifier, rest)) = after[1..].split_once(quote) else { continue };
        let name = rest.strip_prefix(").").map_or("*", |name| &name[..word(name)]);
        let imported = if name.is_empty() { "*" } else { name }.to_owned();
        let names = vec![ImportedName { imported, local: String::new(), type_only: true }];
        found.push(Import { specifier: specifier.to_owned(), kind: ImportKind::TypeOnly, names, line });
    }
    found
}

/// `@import { User, Role as Kind } from './types'`
fn imported(body: &str, line: u32) -> impl Iterator<Item = Import> {
    let tags = tags(body).into_iter().filter(|(tag, _)| *tag == "import");
    tags.filter_map(move |(_, rest)| {
        let quote = rest.find(['\'', '"'])?;
        let end = quote + 1 + rest[quote + 1..].find(&rest[quote..=quote])?;
        let (kind, import) = (ImportKind::TypeOnly, super::import_statement(&rest[..=end])?);
        let names = import.names.into_iter().map(|name| ImportedName { type_only: true, ..name });
        Some(Import { kind, line, names: names.collect(), specifier: import.specifier })
    })
}

/// Tags with what belongs to them, up to the next one.
fn tags(body: &str) -> Vec<(&str, &str)> {
    let starts: Vec<usize> = body
        .match_indices('@')
        .map(|(at, _)| at)
        .filter(|at| *at == 0 || body[..*at].ends_with(' '))
        .collect();
    let ends = starts.iter().skip(1).copied().chain([body.len()]);
    let each = starts.iter().zip(ends).map(|(start, end)| body[start + 1..end].trim());
    each.map(|tag| tag.split_once(' ').unwrap_or((tag, ""))).collect()
}

fn declared(body: &str, span: Span) -> Vec<Declared> {
    let mut found: Vec<Declared> = Vec::new();
    let mut generics: Vec<&str> = Vec::new();
    let mut open: Option<Open> = None;
    let close =
        |open: Option<Open>, found: &mut Vec<Declared>| found.extend(open.map(|open| open.close(span)));
    for (tag, rest) in tags(body) {
        let (ty, rest) = braces(rest);
        let name = &rest[..word(rest)];
        match tag {
            "template" => generics.extend(rest.split([',', ' ']).filter(|name| is_name(name))),
            "typedef" | "callback" => {
                close(open.take(), &mut found);
                if is_name(name) {
                    let is_callback = tag == "callback";
                    open = Some(Open {
                        name,
                        ty,
                        is_callback,
                        generics: std::mem::take(&mut generics),
                        ..Open::default()
                    });
                }
            }
            "property" | "prop" | "param" | "arg" => {
                if let (Some(open), Some(member)) = (&mut open, member(ty, rest)) {
                    open.members.push(member);
                }
            }
            "returns" | "return" => {
                if let Some(open) = &mut open {
                    open.returns = ty;
                }
            }
            _ => {}
        }
    }
    close(open, &mut found);
    found
}

#[derive(Default)]
struct Open<'b> {
    name: &'b str,
    ty: Option<&'b str>,
    is_callback: bool,
    generics: Vec<&'b str>,
    members: Vec<Member>,
    returns: Option<&'b str>,
}

impl Open<'_> {
    fn close(self, span: Span) -> Declared {
        let shown = |member: &Member| {
            let optional = if member.optional { "?" } else { "" };
            format!("{}{optional}: {}", member.name, member.text)
        };
        let members: Vec<String> = self.members.iter().map(shown).collect();
        let text = if self.is_callback {
            format!("({}) => {}", members.join(", "), self.returns.map_or("void".to_owned(), written))
        } else if members.is_empty() {
            self.ty.map_or("any".to_owned(), written)
        } else {
            format!("{{ {} }}", members.join("; "))
        };
        let shape = match (self.is_callback, self.members.is_empty()) {
            (false, false) => TypeShape::Object(self.members),
            (false, true) if is_name(&text) => {
                TypeShape::Reference { name: text.clone(), arguments: Vec::new() }
            }
            // `@typedef {{ a: string }} Props`
            (false, true) => super::type_shape(&text).unwrap_or_else(|| TypeShape::Text(text.clone())),
            _ => TypeShape::Text(text.clone()),
        };
        let generics =
            if self.generics.is_empty() { String::new() } else { format!("<{}>", self.generics.join(", ")) };
        let signature = format!("type {}{generics} = {text}", self.name);
        Declared { name: self.name.to_owned(), signature, shape, span }
    }
}

/// `{type} rest` in its parts.
fn braces(text: &str) -> (Option<&str>, &str) {
    let text = text.trim_start();
    if !text.starts_with('{') {
        return (None, text);
    }
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    return (Some(text[1..at].trim()), text[at + 1..].trim_start());
                }
            }
            _ => {}
        }
    }
    (None, "")
}

/// `name`, `[name]`, `[name=default]`; parts of another member (`options.deep`) are left to it.
fn member(ty: Option<&str>, rest: &str) -> Option<Member> {
    let bracketed = rest.strip_prefix('[');
    let name = bracketed.unwrap_or(rest);
    let name = &name[..word(name)];
    let after = &bracketed.unwrap_or(rest)[name.len()..];
    if !is_name(name) || after.starts_with('.') {
        return None;
    }
    let text = ty.unwrap_or("any");
    let optional = bracketed.is_some() || text.ends_with('=');
    Some(Member {
        name: name.to_owned(),
        kind: MemberKind::Property,
        text: written(text),
        optional,
        doc: None,
        elsewhere: false,
    })
}

fn word(text: &str) -> usize {
    text.find(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '_' | '$'))).unwrap_or(text.len())
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && word(text) == text.len() && !text.starts_with(|first: char| first.is_ascii_digit())
}
