//! Members of JSON objects, with comments and trailing commas, spliced at the positions of the parsed tokens.

use std::ops::Range;

use jsonc_parser::ast::{self, Object, ObjectProp};
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

use super::DocumentError;
use super::json_write::Layout;
use super::text::{indentation, line_start, newline, position, without};

/// The whole document; nothing but comments is null.
pub(super) fn tree(text: &str) -> Result<Value, DocumentError> {
    Ok(Parsed::new(text)?.root.map_or(Value::Null, Value::from))
}

pub(super) fn insert(
    text: &str,
    container: &[String],
    name: &str,
    entry: &Value,
) -> Result<String, DocumentError> {
    let parsed = Parsed::new(text)?;
    let Some(mut object) = parsed.root_object()? else {
        return Ok(parsed.append_document(&nested(container, name, entry)));
    };
    for (depth, key) in container.iter().enumerate() {
        match last_member(object, key) {
            Some(member) => object = parsed.object(&member.value, &format!("`{key}`"))?,
            None => return Ok(parsed.add(object, key, &nested(&container[depth + 1..], name, entry))),
        }
    }
    Ok(parsed.add(object, name, entry))
}

pub(super) fn replace(
    text: &str,
    container: &[String],
    name: &str,
    entry: &Value,
) -> Result<String, DocumentError> {
    let parsed = Parsed::new(text)?;
    let Some(member) = parsed.container(container).and_then(|object| last_member(object, name)) else {
        return insert(text, container, name, entry);
    };
    let old = member.value.range();
    let newline = newline(text);
    let unit = parsed.unit();
    let layout = if text[old.start..old.end].contains('\n') || !parsed.is_one_line() {
        Layout::Lines { newline, indentation: indentation(text, member.range.start), unit: &unit }
    } else {
        Layout::OneLine { spaced: parsed.is_spaced() }
    };
    Ok([&text[..old.start], &layout.value(entry), &text[old.end..]].concat())
}

pub(super) fn remove(
    text: &str,
    container: &[String],
    name: &str,
    new_containers: usize,
) -> Result<String, DocumentError> {
    let mut text = text.to_owned();
    // A name that somebody wrote twice is hidden by its last member only.
    while let Some(shorter) = remove_last(&text, container, name)? {
        text = shorter;
    }
    for depth in (0..container.len()).rev().take(new_containers) {
        let parsed = Parsed::new(&text)?;
        let Some(object) = parsed.container(&container[..=depth]) else { break };
        if object.properties.is_empty() && !parsed.has_comment_in(object.range.start..object.range.end) {
            if let Some(shorter) = remove_last(&text, &container[..depth], &container[depth])? {
                text = shorter;
            }
        }
    }
    Ok(text)
}

fn remove_last(text: &str, container: &[String], name: &str) -> Result<Option<String>, DocumentError> {
    let parsed = Parsed::new(text)?;
    let Some(object) = parsed.container(container) else { return Ok(None) };
    let Some(index) = object.properties.iter().rposition(|member| member.name.as_str() == name) else {
        return Ok(None);
    };
    let member = object.properties[index].range.start..object.properties[index].range.end;
    let after = object.properties.get(index + 1).map_or(object.range.end, |next| next.range.start);
    let previous = index.checked_sub(1).map(|index| object.properties[index].range.end);

    let next_comma = parsed.comma_in(member.end..after);
    let mut cuts: Vec<Range<usize>> = next_comma.clone().into_iter().collect();
    if let (None, Some(previous)) = (&next_comma, previous) {
        cuts.extend(parsed.comma_in(previous..member.start));
    }
    let token = parsed.token_before(member.start);
    let rest = &text[next_comma.map_or(member.end, |comma| comma.end)..];
    let line_goes_on = !rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n');
    let inside = object.range.start + 1..object.range.end - 1;
    if object.properties.len() == 1 && !parsed.has_comment_in(inside.clone()) {
        cuts.push(inside);
    } else if matches!(token.token, Token::CommentLine(_)) && line_goes_on {
        // The line break before the member also ends somebody's comment.
        cuts.push(member);
    } else {
        cuts.push(token.range.end..member.end);
    }
    Ok(Some(without(text, cuts)))
}

struct Parsed<'a> {
    text: &'a str,
    root: Option<ast::Value<'a>>,
    /// Comments included.
    tokens: Vec<TokenAndRange<'a>>,
}

impl<'a> Parsed<'a> {
    fn new(text: &'a str) -> Result<Self, DocumentError> {
        let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let result = parse_to_ast(text, &collect, &options).map_err(|error| {
            let (line, column) = position(text, error.range().start);
            DocumentError::Malformed { line, column, message: error.kind().to_string() }
        })?;
        Ok(Self { text, root: result.value, tokens: result.tokens.unwrap_or_default() })
    }

    fn root_object(&self) -> Result<Option<&Object<'a>>, DocumentError> {
        self.root.as_ref().map(|root| self.object(root, "the document")).transpose()
    }

    fn object<'b>(&self, value: &'b ast::Value<'a>, what: &str) -> Result<&'b Object<'a>, DocumentError> {
        value.as_object().ok_or_else(|| {
            let (line, column) = position(self.text, value.range().start);
            let found = match value {
                ast::Value::StringLit(_) => "a string",
                ast::Value::NumberLit(_) => "a number",
                ast::Value::BooleanLit(_) => "a truth value",
                ast::Value::Array(_) => "an array",
                ast::Value::NullKeyword(_) => "null",
                ast::Value::Object(_) => "an object",
            };
            DocumentError::Shape { line, column, what: what.to_owned(), found, wanted: "an object" }
        })
    }

    fn container(&self, keys: &[String]) -> Option<&Object<'a>> {
        let root = self.root.as_ref()?.as_object()?;
        keys.iter().try_fold(root, |object, key| last_member(object, key)?.value.as_object())
    }

    fn append_document(&self, document: &Value) -> String {
        let newline = newline(self.text);
        let gap = if self.text.trim().is_empty() || self.text.ends_with('\n') { "" } else { newline };
        let layout = Layout::Lines { newline, indentation: "", unit: DEFAULT_UNIT };
        [self.text, gap, &layout.value(document), newline].concat()
    }

    fn add(&self, object: &Object<'a>, key: &str, value: &Value) -> String {
        match object.properties.as_slice() {
            [] => self.add_first(object, key, value),
            [first, .., last] => self.add_last(object, first, last, key, value),
            [only] => self.add_last(object, only, only, key, value),
        }
    }

    fn add_first(&self, object: &Object<'a>, key: &str, value: &Value) -> String {
        let (text, close) = (self.text, object.range.end - 1);
        if self.is_one_line() {
            let member = Layout::OneLine { spaced: self.is_spaced() }.member(key, value);
            return [&text[..close], &member, &text[close..]].concat();
        }
        let (newline, unit) = (newline(text), self.unit());
        let outer = indentation(text, object.range.start);
        let indentation = outer.to_owned() + &unit;
        let layout = Layout::Lines { newline, indentation: &indentation, unit: &unit };
        let member = [newline, &indentation, &layout.member(key, value)].concat();
        let (open, _) = self.end_of_line_comments(object.range.start + 1, close);
        if text[open..close].contains('\n') {
            [&text[..open], &member, &text[open..]].concat()
        } else {
            [&text[..close], &member, newline, outer, &text[close..]].concat()
        }
    }

    fn add_last(
        &self,
        object: &Object<'a>,
        first: &ObjectProp<'a>,
        last: &ObjectProp<'a>,
        key: &str,
        value: &Value,
    ) -> String {
        let text = self.text;
        let end = last.range.end;
        let comma = self.comma_in(end..object.range.end);
        let (at, after_line_comment) =
            self.end_of_line_comments(comma.as_ref().map_or(end, |comma| comma.end), object.range.end - 1);
        let own_lines = text[object.range.start..first.range.start].contains('\n');
        let unit = self.unit();
        let member = if own_lines || after_line_comment {
            let newline = newline(text);
            let starts_line = text[line_start(text, last.range.start)..last.range.start].trim().is_empty();
            let indentation = match (own_lines, starts_line) {
                (true, true) => indentation(text, last.range.start).to_owned(),
                (true, false) => indentation(text, first.range.start).to_owned(),
                (false, _) => indentation(text, object.range.start).to_owned() + &unit,
            };
            let layout = Layout::Lines { newline, indentation: &indentation, unit: &unit };
            [newline, &indentation, &layout.member(key, value)].concat()
        } else {
            let spaced = self.is_spaced();
            let gap = if spaced { " " } else { "" };
            [gap, &Layout::OneLine { spaced }.member(key, value)].concat()
        };
        if comma.is_some() {
            [&text[..at], &member, ",", &text[at..]].concat()
        } else {
            [&text[..end], ",", &text[end..at], &member, &text[at..]].concat()
        }
    }

    /// The end of the comments that begin on the line of `from`, and whether the last one takes the line's rest.
    fn end_of_line_comments(&self, from: usize, limit: usize) -> (usize, bool) {
        let mut at = (from, false);
        for token in self.tokens.iter().filter(|token| (from..limit).contains(&token.range.start)) {
            let ends_line = match token.token {
                Token::CommentLine(_) => true,
                Token::CommentBlock(_) => false,
                _ => break,
            };
            if self.text[at.0..token.range.start].contains('\n') {
                break;
            }
            at = (token.range.end, ends_line);
        }
        at
    }

    fn comma_in(&self, range: Range<usize>) -> Option<Range<usize>> {
        let token = self
            .tokens
            .iter()
            .find(|token| token.token == Token::Comma && range.contains(&token.range.start))?;
        Some(token.range.start..token.range.end)
    }

    fn has_comment_in(&self, range: Range<usize>) -> bool {
        self.tokens.iter().any(|token| {
            matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_))
                && range.contains(&token.range.start)
        })
    }

    /// The token that ends last before a member; there is one, since a member stands in an object.
    fn token_before(&self, offset: usize) -> &TokenAndRange<'a> {
        let index = self.tokens.partition_point(|token| token.range.end <= offset);
        &self.tokens[index.saturating_sub(1)]
    }

    /// Whether the owner keeps the whole document on one line; an empty object does not tell.
    fn is_one_line(&self) -> bool {
        self.root.as_ref().and_then(ast::Value::as_object).is_some_and(|root| {
            !root.properties.is_empty() && !self.text[root.range.start..root.range.end].contains('\n')
        })
    }

    fn is_spaced(&self) -> bool {
        let colon = self.tokens.iter().find(|token| token.token == Token::Colon);
        colon.is_none_or(|colon| self.text[colon.range.end..].starts_with(char::is_whitespace))
    }

    /// One step of indentation.
    fn unit(&self) -> String {
        let object = self.root.as_ref().and_then(ast::Value::as_object);
        let first = object.and_then(|object| object.properties.first().map(|first| (object, first)));
        let unit = first.and_then(|(object, first)| {
            let own_line = self.text[object.range.start..first.range.start].contains('\n');
            let inner = indentation(self.text, first.range.start);
            own_line.then(|| inner.strip_prefix(indentation(self.text, object.range.start)).unwrap_or(inner))
        });
        unit.filter(|unit| !unit.is_empty()).unwrap_or(DEFAULT_UNIT).to_owned()
    }
}

const DEFAULT_UNIT: &str = "  ";

/// Readers take the last of two members of one name.
fn last_member<'b, 'a>(object: &'b Object<'a>, name: &str) -> Option<&'b ObjectProp<'a>> {
    object.properties.iter().rfind(|member| member.name.as_str() == name)
}

fn nested(container: &[String], name: &str, entry: &Value) -> Value {
    container
        .iter()
        .chain([&name.to_owned()])
        .rev()
        .fold(entry.clone(), |inner, key| Value::Object(Map::from_iter([(key.clone(), inner)])))
}
