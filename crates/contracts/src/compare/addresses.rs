//! Which addresses a path of a route stands for: what its parameters are called is nothing to who asks.

use crate::model::{Route, RouteFramework, RouteParameter, RouteParameterSource};

/// A path with its parameters taken out by name: where each stands, of which kind it is and what it may hold are kept.
pub(super) struct Pattern {
    pub(super) text: String,
    /// The names, in order.
    pub(super) names: Vec<String>,
}

impl Pattern {
    /// Of what a route is registered at: `/a/:id(\\d+)`.
    pub(super) fn of(framework: RouteFramework, path: &str) -> Self {
        let (mut text, mut names) = (String::new(), Vec::new());
        // These answer with and without a slash at the end, unless they are told otherwise.
        let is_loose = matches!(framework, RouteFramework::Express | RouteFramework::Koa);
        let path = path.strip_suffix('/').filter(|short| is_loose && !short.is_empty()).unwrap_or(path);
        let mut rest = path;
        while let Some(first) = rest.chars().next() {
            let taken = match first {
                '\\' => first.len_utf8() + rest[1..].chars().next().map_or(0, char::len_utf8),
                '(' => closed(rest, '(', ')'),
                '$' if rest.starts_with("${") => closed(rest, '{', '}'),
                // Two stand for the letter itself, and for no parameter.
                ':' if rest.starts_with("::") => 2 + word(&rest[2..]).len(),
                ':' if !word(&rest[1..]).is_empty() => {
                    let name = word(&rest[1..]);
                    names.push(name.to_owned());
                    text.push(':');
                    rest = &rest[1 + name.len()..];
                    // What it may hold; elsewhere braces hold what may be missing.
                    if framework == RouteFramework::Hono && rest.starts_with('{') {
                        closed(rest, '{', '}')
                    } else {
                        0
                    }
                }
                other => other.len_utf8(),
            };
            text.push_str(&rest[..taken]);
            rest = &rest[taken..];
        }
        Self { text, names }
    }

    /// Of what Next.js makes of the path of a file: `/u/[id]`, `/docs/[[...path]]`.
    pub(super) fn of_file(path: &str) -> Self {
        let mut names = Vec::new();
        let parts = path.split('/').map(|part| {
            let inner = part.trim_start_matches('[');
            let name = inner.trim_end_matches(']');
            let (before, after) = (part.len() - inner.len(), inner.len() - name.len());
            if before == 0 || before != after {
                return part.to_owned();
            }
            let rest = name.strip_prefix("...");
            names.push(rest.unwrap_or(name).to_owned());
            format!("{}{}{}", "[".repeat(before), if rest.is_some() { "..." } else { "" }, "]".repeat(after))
        });
        let text = parts.collect::<Vec<_>>().join("/");
        Self { text, names }
    }
}

/// What is taken of the path, each by where it stands there. What a handler asks for that the path does not name, or takes as a
/// whole, depends on the names.
pub(super) fn by_place(route: &Route) -> Vec<RouteParameter> {
    let names = Pattern::of(route.framework, &route.path).names;
    let named = |one: &RouteParameter| match names.iter().position(|name| *name == one.name) {
        Some(at) => format!(":{at}"),
        None => format!("{} of {}", one.name, names.join(" ")),
    };
    let parameters = route.parameters.iter().map(|one| match one.source {
        RouteParameterSource::Path => RouteParameter { name: named(one), ..one.clone() },
        _ => one.clone(),
    });
    parameters.collect()
}

fn word(text: &str) -> &str {
    let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(text.len());
    &text[..end]
}

/// How far it is to behind the bracket that closes the first one; all of it where none does.
fn closed(text: &str, open: char, close: char) -> usize {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        if letter == open {
            depth += 1;
        } else if letter == close {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return at + letter.len_utf8();
            }
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(framework: RouteFramework, path: &str) -> String {
        Pattern::of(framework, path).text
    }

    #[test]
    fn only_the_names_of_parameters_are_taken_out() {
        use RouteFramework::{Express, Fastify, Hono};
        let is = |framework, path: &str, expected: &str| assert_eq!(pattern(framework, path), expected);
        is(Express, "/a/:id", "/a/:");
        is(Express, "/a/:from-:to/x", "/a/:-:/x");
        is(Express, "/a/:id?", "/a/:?");
        is(Express, r"/a/:id(\\d+)", r"/a/:(\\d+)");
        is(Express, "/a/:id((?:one|two))", "/a/:((?:one|two))");
        is(Express, "/a/:b{/:c}", "/a/:{/:}");
        is(Express, "/${base}/:id", "/${base}/:");
        is(Express, r"/a\:b", r"/a\:b");
        is(Hono, "/a/:id{[0-9]+}", "/a/:{[0-9]+}");
        is(Fastify, "/a::verb", "/a::verb");
    }

    #[test]
    fn a_slash_at_the_end_is_nothing_to_those_that_answer_without_it() {
        assert_eq!(pattern(RouteFramework::Express, "/a/"), "/a");
        assert_eq!(pattern(RouteFramework::Koa, "/a/"), "/a");
        assert_eq!(pattern(RouteFramework::Express, "/"), "/");
        assert_eq!(pattern(RouteFramework::Hono, "/a/"), "/a/");
        assert_eq!(pattern(RouteFramework::Fastify, "/a/"), "/a/");
    }

    #[test]
    fn the_kinds_of_segments_of_next_are_kept() {
        let is = |path: &str, expected: &str| assert_eq!(Pattern::of_file(path).text, expected);
        is("/u/[id]", "/u/[]");
        is("/u/[...id]", "/u/[...]");
        is("/u/[[...id]]/x", "/u/[[...]]/x");
        is("/u/id", "/u/id");
    }
}
