//! A printed signature taken apart at its brackets: enough to tell a parameter or member from another, not a parser.

use crate::model::DeclarationKind;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Parts {
    Call(Call),
    Members(Members),
}

/// Everything before the parameters, the parameters, everything after.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) head: String,
    pub(super) parameters: Vec<String>,
    pub(super) result: String,
}

/// Everything before the braces, and what is between them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Members {
    pub(super) head: String,
    pub(super) members: Vec<String>,
}

pub(super) fn parts(kind: DeclarationKind, signature: &str) -> Option<Parts> {
    match kind {
        DeclarationKind::Function | DeclarationKind::Hook | DeclarationKind::Component => {
            let (start, end) = group(signature, '(', ')')?;
            Some(Parts::Call(Call {
                head: signature[..start].trim().to_owned(),
                parameters: split(&signature[start + 1..end], &[',']),
                result: signature[end + 1..].trim().to_owned(),
            }))
        }
        DeclarationKind::Interface
        | DeclarationKind::Class
        | DeclarationKind::Enum
        | DeclarationKind::Type
        | DeclarationKind::Namespace => {
            let (start, end) = group(signature, '{', '}')?;
            // `type A = { … } & B` has more to it than its braces.
            if !signature[end + 1..].trim_end_matches(';').trim().is_empty() {
                return None;
            }
            Some(Parts::Members(Members {
                head: signature[..start].trim().to_owned(),
                members: split(&signature[start + 1..end], &[';', ',', '\n']),
            }))
        }
        DeclarationKind::Constant | DeclarationKind::Variable => None,
    }
}

/// The first group in these brackets that is not inside `<…>`.
fn group(text: &str, open: char, close: char) -> Option<(usize, usize)> {
    let mut angle = 0_usize;
    let mut depth = 0_usize;
    let mut start = None;
    let mut quote = None;
    let mut previous = ' ';
    for (at, letter) in text.char_indices() {
        if let Some(end) = quote {
            if letter == end {
                quote = None;
            }
            continue;
        }
        match letter {
            '\'' | '"' | '`' => quote = Some(letter),
            '<' if start.is_none() => angle += 1,
            '>' if start.is_none() && previous != '=' => angle = angle.saturating_sub(1),
            _ if letter == open && angle == 0 => {
                start = start.or(Some(at));
                depth += 1;
            }
            _ if letter == close && start.is_some() => {
                depth -= 1;
                if depth == 0 {
                    return start.map(|start| (start, at));
                }
            }
            _ => {}
        }
        previous = letter;
    }
    None
}

/// At the separators that are in no bracket and no quote; empty parts left out.
fn split(text: &str, separators: &[char]) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut depth = 0_i32;
    let mut quote = None;
    let mut previous = ' ';
    for letter in text.chars() {
        match (quote, letter) {
            (Some(end), _) if letter == end => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(letter),
            (None, '(' | '[' | '{' | '<') => depth += 1,
            (None, '>') if previous == '=' => {}
            (None, ')' | ']' | '}' | '>') => depth -= 1,
            (None, _) if depth == 0 && separators.contains(&letter) => {
                found.push(String::new());
                previous = letter;
                continue;
            }
            _ => {}
        }
        if let Some(last) = found.last_mut() {
            last.push(letter);
        }
        previous = letter;
    }
    found.iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_comes_apart() {
        let text = "function map<T extends (a: string) => void>(items: Map<string, number>, run: (a: T, b: T) => void, by = ','): Record<string, T>";
        let Some(Parts::Call(Call { head, parameters, result })) = parts(DeclarationKind::Function, text)
        else {
            panic!()
        };
        assert_eq!(head, "function map<T extends (a: string) => void>");
        assert_eq!(parameters, ["items: Map<string, number>", "run: (a: T, b: T) => void", "by = ','"]);
        assert_eq!(result, ": Record<string, T>");
    }

    #[test]
    fn an_interface_comes_apart() {
        let text = "interface A<T> extends B<{ c: 1 }> { a: string; b?: { x: 1; y: 2 }; run(a: number, b: string): void }";
        let Some(Parts::Members(Members { head, members })) = parts(DeclarationKind::Interface, text) else {
            panic!()
        };
        assert_eq!(head, "interface A<T> extends B<{ c: 1 }>");
        assert_eq!(members, ["a: string", "b?: { x: 1; y: 2 }", "run(a: number, b: string): void"]);
        assert_eq!(parts(DeclarationKind::Type, "type A = { a: 1 } & B"), None);
        assert_eq!(parts(DeclarationKind::Type, "type A = string"), None);
        assert_eq!(parts(DeclarationKind::Function, "function broken("), None);
    }
}
