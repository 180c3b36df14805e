//! Types that a JavaScript file declares in its doc comments (`@typedef`, `@callback`), what they say of functions and
//! classes (`@param`, `@template`, `@overload`), and the files that such comments name (`import('./types').User`,
//! `@import { User } from './types'`).

use becket_base::divided;
use oxc_ast::ast::{BlockStatement, ClassBody, FunctionBody, Program};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};

use super::source::{Source, compact};
use crate::model::{Import, ImportKind, ImportedName, Member, MemberKind, TypeParameter, TypeShape};

pub(super) struct Declared {
    pub(super) name: String,
    pub(super) signature: String,
    pub(super) parameters: Vec<TypeParameter>,
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
            || !["@typedef", "@callback", "import"].iter().any(|said| text.contains(said))
        {
            continue;
        }
        let body = body_of(text);
        found.imports.extend(imports(&body, source.line(comment.span.start)));
        found.imports.extend(imported(&body, source.line(comment.span.start)));
        let types = declared(&body, comment.span);
        if !types.is_empty() && !Inside::is(program, comment.span) {
            found.types.extend(types);
        }
    }
    found
}

/// Whether a comment stands in the body of a function or class, where it declares for that alone.
struct Inside {
    comment: Span,
    is_inside: bool,
}

impl Inside {
    fn is(program: &Program<'_>, comment: Span) -> bool {
        let at = program.body.partition_point(|statement| statement.span().end <= comment.start);
        let mut inside = Self { comment, is_inside: false };
        let around = program.body.get(at).filter(|statement| statement.span().contains_inclusive(comment));
        if let Some(statement) = around {
            inside.visit_statement(statement);
        }
        inside.is_inside
    }

    fn look(&mut self, body: Span) {
        self.is_inside |= body.contains_inclusive(self.comment);
    }
}

impl<'a> Visit<'a> for Inside {
    fn visit_function_body(&mut self, body: &FunctionBody<'a>) {
        self.look(body.span);
        walk::walk_function_body(self, body);
    }

    fn visit_class_body(&mut self, body: &ClassBody<'a>) {
        self.look(body.span);
        walk::walk_class_body(self, body);
    }

    fn visit_block_statement(&mut self, block: &BlockStatement<'a>) {
        self.look(block.span);
        walk::walk_block_statement(self, block);
    }
}

/// What the doc comment of a function, a class or a constant says of its types.
#[derive(Debug, Default)]
pub(super) struct Said {
    generics: Vec<Generic>,
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
        let tags = tags(&body);
        let declares = tags.iter().any(|(tag, _)| matches!(*tag, "callback" | "overload" | "typedef"));
        let mut said =
            Self { generics: if declares { Vec::new() } else { generics(&tags) }, ..Self::default() };
        // What follows one of these is about a way to call it, or another function.
        for (tag, rest) in tags.into_iter().take_while(|(tag, _)| !matches!(*tag, "callback" | "overload")) {
            said.tag(tag, rest);
        }
        let is_something = !said.parameters.is_empty() || said.returns.is_some() || said.ty.is_some();
        (is_something || !said.generics.is_empty()).then_some(said)
    }

    /// The ways to call a function that the comments above it say.
    pub(super) fn overloads(source: &Source<'_>, start: u32) -> Vec<Self> {
        if !source.has_overloads {
            return Vec::new();
        }
        let mut docs: Vec<&str> = source.docs(start).collect();
        docs.reverse();
        let mut found: Vec<Self> = Vec::new();
        for doc in docs {
            let body = body_of(doc);
            let tags = tags(&body);
            let mut open: Option<Self> = None;
            for (tag, rest) in &tags {
                if *tag == "overload" {
                    found.extend(open.replace(Self { generics: generics(&tags), ..Self::default() }));
                } else if let Some(open) = &mut open {
                    open.tag(tag, rest);
                }
            }
            found.extend(open);
        }
        found
    }

    fn tag(&mut self, tag: &str, rest: &str) {
        let (ty, rest) = enclosed(rest, '{', '}');
        match tag {
            "param" | "arg" | "argument" => self.parameter(ty, rest),
            "returns" | "return" => self.returns = ty.map(written),
            "type" => self.ty = ty.map(written),
            _ => {}
        }
    }

    /// Appends what is taken and given as a comment says it.
    pub(super) fn put(&self, text: &mut String, gives: bool) {
        self.put_generics(text);
        let names = self.parameters.iter().map(|(one, _)| Some(one.name.as_str())).enumerate();
        let each = names.filter_map(|(at, name)| self.of_parameter(name, at)).map(|one| {
            match one.text.strip_prefix("...") {
                Some(each) => format!("...{}: {each}[]", one.name),
                None => shown(&one),
            }
        });
        text.push('(');
        text.push_str(&each.collect::<Vec<_>>().join(", "));
        text.push(')');
        if gives {
            text.push_str(": ");
            text.push_str(self.returns.as_deref().unwrap_or("any"));
        }
        text.push_str(MARK);
    }

    /// Says whether there are any.
    pub(super) fn put_generics(&self, text: &mut String) -> bool {
        text.push_str(&listed(&self.generics));
        !self.generics.is_empty()
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
        let each = parts.iter().map(shown);
        let text = format!("{{ {} }}", each.collect::<Vec<_>>().join("; "));
        Some(Member { text, ..found.clone() })
    }
}

fn shown(member: &Member) -> String {
    let optional = if member.optional { "?" } else { "" };
    format!("{}{optional}: {}", member.name, member.text)
}

/// `K extends string = 'id'`
#[derive(Debug, Clone)]
struct Generic {
    name: String,
    constraint: Option<String>,
    default: Option<String>,
}

impl Generic {
    fn parameter(&self) -> TypeParameter {
        let shape = |text: &Option<String>| text.as_deref().and_then(super::type_shape);
        let (constraint, default) = (shape(&self.constraint), shape(&self.default));
        TypeParameter { name: self.name.clone(), constraint, default }
    }
}

fn listed(generics: &[Generic]) -> String {
    let each = generics.iter().map(|one| {
        let behind = |word: &str, ty: &Option<String>| match ty {
            Some(ty) => format!(" {word} {ty}"),
            None => String::new(),
        };
        [one.name.as_str(), &behind("extends", &one.constraint), &behind("=", &one.default)].concat()
    });
    if generics.is_empty() { String::new() } else { format!("<{}>", each.collect::<Vec<_>>().join(", ")) }
}

/// `@template {string} K`, `@template T, [U=T]`: of all that a comment has.
fn generics(tags: &[(&str, &str)]) -> Vec<Generic> {
    let mut found = Vec::new();
    for (_, rest) in tags.iter().filter(|(tag, _)| *tag == "template") {
        let (constraint, mut rest) = enclosed(rest, '{', '}');
        let mut constraint = constraint.map(written);
        loop {
            let (optional, after) = enclosed(rest.trim_start().trim_start_matches("const "), '[', ']');
            let text = optional.unwrap_or(after);
            let (name, more) = text.split_at(word(text));
            if !is_name(name) {
                break;
            }
            let default = optional.and_then(|_| more.trim_start().strip_prefix('=')).map(written);
            found.push(Generic { name: name.to_owned(), constraint: constraint.take(), default });
            let after = if optional.is_some() { after } else { more };
            let Some(next) = after.trim_start().strip_prefix(',') else { break };
            rest = next;
        }
    }
    found
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
    // Blanks may stand everywhere: `import ("./types") .User`.
    for after in body.split("import").skip(1) {
        let Some(after) = after.trim_start().strip_prefix('(').map(str::trim_start) else { continue };
        let Some(quote) = after.chars().next().filter(|first| matches!(first, '\'' | '"')) else { continue };
        let Some((specifier, rest)) = after[1..].split_once(quote) else { continue };
        let member = rest.trim_start().strip_prefix(')').and_then(|rest| rest.trim_start().strip_prefix('.'));
        let name = member.map_or("*", |name| &name[..word(name)]);
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
    each.map(|tag| divided::around_first(tag, b' ').unwrap_or((tag, ""))).collect()
}

fn declared(body: &str, span: Span) -> Vec<Declared> {
    let mut found: Vec<Declared> = Vec::new();
    let tags = tags(body);
    let generics = generics(&tags);
    let mut open: Option<Open> = None;
    let close =
        |open: Option<Open>, found: &mut Vec<Declared>| found.extend(open.map(|open| open.close(span)));
    for (tag, rest) in tags {
        let (ty, rest) = enclosed(rest, '{', '}');
        let name = &rest[..word(rest)];
        match tag {
            "typedef" | "callback" => {
                close(open.take(), &mut found);
                if is_name(name) {
                    let is_callback = tag == "callback";
                    open =
                        Some(Open { name, ty, is_callback, generics: generics.clone(), ..Open::default() });
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
    generics: Vec<Generic>,
    members: Vec<Member>,
    returns: Option<&'b str>,
}

impl Open<'_> {
    fn close(self, span: Span) -> Declared {
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
        let signature = format!("type {}{} = {text}", self.name, listed(&self.generics));
        let parameters = self.generics.iter().map(Generic::parameter).collect();
        Declared { name: self.name.to_owned(), signature, parameters, shape, span }
    }
}

/// `{type} rest` in its parts.
fn enclosed(text: &str, open: char, close: char) -> (Option<&str>, &str) {
    let text = text.trim_start();
    if !text.starts_with(open) {
        return (None, text);
    }
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        if letter == open {
            depth += 1;
        } else if letter == close {
            depth -= 1;
            if depth == 0 {
                return (Some(text[1..at].trim()), text[at + 1..].trim_start());
            }
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
