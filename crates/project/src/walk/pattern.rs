//! Patterns of rule files, as Git reads them (gitignore(5)). A tree has few of them and many files, and most are a name, a
//! path or an ending: these are compared, and nothing is compiled.

use rustc_hash::FxHashMap;

/// The patterns of one rule file. Some have hundreds.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    all: Vec<Pattern>,
    /// Where the plain ones stand among them: those of names, and those of paths.
    names: FxHashMap<Vec<u8>, Vec<usize>>,
    paths: FxHashMap<Vec<u8>, Vec<usize>>,
    others: Vec<Other>,
}

/// One that is not plain.
#[derive(Debug)]
struct Other {
    at: usize,
    /// Where in its text begins what all that it means ends with.
    tail: usize,
    /// The last byte of that; most paths have another.
    last: Option<u8>,
}

#[derive(Debug)]
struct Pattern {
    text: Vec<u8>,
    form: Form,
    /// Whether it speaks of a name, wherever that stands, and not of a path.
    of_name: bool,
    only_folders: bool,
    takes_back: bool,
}

#[derive(Debug)]
enum Form {
    /// Itself.
    Plain,
    /// A star, and what the name ends with.
    Ending,
    /// So many bytes of it are plain, and then it is not.
    Glob(usize),
}

impl Patterns {
    /// With those that nothing can match, as they stand there.
    pub(super) fn of<'a>(lines: impl Iterator<Item = &'a str>) -> (Self, Vec<&'a str>) {
        let mut refused = Vec::new();
        let mut patterns = Self::default();
        for line in lines {
            match Pattern::of(line) {
                Some(pattern) if pattern.can_match() => patterns.add(pattern),
                Some(_) => refused.push(line),
                None => {}
            }
        }
        (patterns, refused)
    }

    fn add(&mut self, pattern: Pattern) {
        let at = self.all.len();
        if matches!(pattern.form, Form::Plain) {
            let same = if pattern.of_name { &mut self.names } else { &mut self.paths };
            same.entry(pattern.text.clone()).or_default().push(at);
        } else {
            let tail = pattern.tail();
            self.others.push(Other { at, tail, last: pattern.text[tail..].last().copied() });
        }
        self.all.push(pattern);
    }

    /// Whether a path is left out, or taken back: the last pattern that speaks of it decides.
    pub(super) fn leaves_out(&self, path: &str, is_folder: bool) -> Option<bool> {
        let path = path.as_bytes();
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        let speaks = |at: &usize| is_folder || !self.all[*at].only_folders;
        let plain = |known: &FxHashMap<Vec<u8>, Vec<usize>>, text: &[u8]| {
            known.get(text).and_then(|same| same.iter().rev().copied().find(speaks))
        };
        let plain = plain(&self.names, name).max(plain(&self.paths, path));
        let end = path.last().copied();
        let mut later =
            self.others.iter().rev().take_while(|other| plain.is_none_or(|plain| plain < other.at));
        let other = later.find(|other| {
            let pattern = &self.all[other.at];
            (other.last.is_none() || other.last == end)
                && path.ends_with(&pattern.text[other.tail..])
                && speaks(&other.at)
                && pattern.fits(if pattern.of_name { name } else { path })
        });
        other.map(|other| other.at).or(plain).map(|at| !self.all[at].takes_back)
    }
}

impl Pattern {
    /// Nothing for a comment, and for what is empty.
    fn of(line: &str) -> Option<Self> {
        if line.starts_with('#') {
            return None;
        }
        let mut text = line.as_bytes();
        while let [rest @ .., b' '] = text {
            // A space that is meant has a backslash before it, which is not itself meant so.
            let escapes = rest.iter().rev().take_while(|byte| **byte == b'\\').count();
            if escapes % 2 == 1 {
                break;
            }
            text = rest;
        }
        let taken_back = text.strip_prefix(b"!");
        text = taken_back.unwrap_or(text);
        let folder = text.strip_suffix(b"/");
        text = folder.unwrap_or(text);
        let of_name = !text.contains(&b'/');
        text = text.strip_prefix(b"/").unwrap_or(text);
        if text.is_empty() {
            return None;
        }
        let is_special = |byte: &u8| matches!(byte, b'*' | b'?' | b'[' | b'\\');
        let (form, text) = match (text, text.iter().position(is_special)) {
            (_, None) => (Form::Plain, text),
            ([b'*', ending @ ..], _) if of_name && !ending.iter().any(is_special) => (Form::Ending, ending),
            (_, Some(plain)) => (Form::Glob(plain), text),
        };
        let (only_folders, takes_back) = (folder.is_some(), taken_back.is_some());
        Some(Self { text: text.to_owned(), form, of_name, only_folders, takes_back })
    }

    fn fits(&self, text: &[u8]) -> bool {
        match self.form {
            Form::Plain => text == self.text,
            Form::Ending => text.ends_with(&self.text),
            // What is plain before the first star is no part of what Git matches: two stars behind it are for any folders.
            Form::Glob(plain) => {
                let (before, after) = self.text.split_at(plain);
                text.strip_prefix(before).is_some_and(|text| fits(after, text))
            }
        }
    }

    /// Where what all that it means ends with begins; at its end where nothing is sure.
    fn tail(&self) -> usize {
        let is_unsure = |byte: &u8| matches!(byte, b'*' | b'?' | b']' | b'\\' | b'/');
        self.text.iter().rposition(is_unsure).map_or(0, |at| at + 1)
    }

    /// Whether every bracket is closed, and every backslash has something behind it.
    fn can_match(&self) -> bool {
        let mut rest = &*self.text;
        while let [first, ..] = rest {
            rest = match first {
                b'\\' if rest.len() == 1 => return false,
                b'\\' => &rest[2..],
                b'[' => match class(rest, 0) {
                    Some((_, rest)) => rest,
                    None => return false,
                },
                _ => &rest[1..],
            };
        }
        true
    }
}

/// Whether a pattern means a text, byte by byte. A star stands for what has no slash in it, two between slashes for any number
/// of folders.
fn fits(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut in_text) = (0, 0);
    // What follows the last star, and where what it stands for ends; the same of the last two between slashes.
    let mut star: Option<(usize, usize)> = None;
    let mut folders: Option<(usize, usize)> = None;
    loop {
        match pattern.get(at) {
            None if in_text == text.len() => return true,
            Some(b'*') => {
                let stars = pattern[at..].iter().take_while(|byte| **byte == b'*').count();
                let is_between = stars > 1 && (at == 0 || pattern[at - 1] == b'/');
                at += stars;
                match pattern.get(at) {
                    None if is_between => return true,
                    Some(b'/') if is_between => {
                        at += 1;
                        (star, folders) = (None, Some((at, in_text)));
                    }
                    _ => star = Some((at, in_text)),
                }
                continue;
            }
            Some(_) => {
                if let Some(next) = text.get(in_text).and_then(|byte| one(&pattern[at..], *byte)) {
                    (at, in_text) = (pattern.len() - next.len(), in_text + 1);
                    continue;
                }
            }
            None => {}
        }
        if let Some((after, end)) = star.filter(|(_, end)| text.get(*end).is_some_and(|byte| *byte != b'/')) {
            star = Some((after, end + 1));
            (at, in_text) = (after, end + 1);
            continue;
        }
        star = None;
        let Some((after, start)) = folders else { return false };
        let Some(length) = text[start..].iter().position(|byte| *byte == b'/') else { return false };
        folders = Some((after, start + length + 1));
        (at, in_text) = (after, start + length + 1);
    }
}

/// What is left of a pattern whose first part means a byte.
fn one(pattern: &[u8], byte: u8) -> Option<&[u8]> {
    match pattern {
        [b'?', rest @ ..] => (byte != b'/').then_some(rest),
        [b'[', ..] => class(pattern, byte).filter(|(is_in, _)| *is_in && byte != b'/').map(|(_, rest)| rest),
        [b'\\', escaped, rest @ ..] => (*escaped == byte).then_some(rest),
        [first, rest @ ..] => (*first == byte).then_some(rest),
        [] => None,
    }
}

/// Whether a byte is among those between brackets, and what follows them; nothing where they are not closed.
fn class(pattern: &[u8], byte: u8) -> Option<(bool, &[u8])> {
    let inside = pattern.strip_prefix(b"[")?;
    let (is_other, mut rest) = match inside {
        [b'!' | b'^', rest @ ..] => (true, rest),
        _ => (false, inside),
    };
    let mut is_in = false;
    let mut is_first = true;
    loop {
        let (low, after) = match rest {
            [b']', rest @ ..] if !is_first => return Some((is_in != is_other, rest)),
            [b'[', b':', named @ ..] => {
                if let Some(end) = named.windows(2).position(|pair| pair == b":]") {
                    is_in |= is_named(&named[..end], byte)?;
                    (rest, is_first) = (&named[end + 2..], false);
                    continue;
                }
                (b'[', &rest[1..])
            }
            [b'\\', escaped, after @ ..] => (*escaped, after),
            [low, after @ ..] => (*low, after),
            [] => return None,
        };
        is_first = false;
        let (high, after) = match after {
            [b'-', b'\\', high, after @ ..] => (*high, after),
            [b'-', high, after @ ..] if *high != b']' => (*high, after),
            _ => (low, after),
        };
        is_in |= (low..=high).contains(&byte);
        rest = after;
    }
}

/// Whether a byte is of a kind: `[:alpha:]`.
fn is_named(kind: &[u8], byte: u8) -> Option<bool> {
    Some(match kind {
        b"alnum" => byte.is_ascii_alphanumeric(),
        b"alpha" => byte.is_ascii_alphabetic(),
        b"blank" => matches!(byte, b' ' | b'\t'),
        b"cntrl" => byte.is_ascii_control(),
        b"digit" => byte.is_ascii_digit(),
        b"graph" => byte.is_ascii_graphic(),
        b"lower" => byte.is_ascii_lowercase(),
        b"print" => byte.is_ascii_graphic() || byte == b' ',
        b"punct" => byte.is_ascii_punctuation(),
        b"space" => byte.is_ascii_whitespace() || byte == 0x0b,
        b"upper" => byte.is_ascii_uppercase(),
        b"xdigit" => byte.is_ascii_hexdigit(),
        _ => return None,
    })
}

/// A pattern with braces as the patterns that it stands for, of which there may be [`MOST_OF_BRACES`]: `*.{gen,mock}.ts`.
pub(super) fn without_braces(pattern: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, one) in pattern.char_indices() {
        match one {
            '{' => {
                depth += 1;
                if depth == 1 {
                    parts.push(&pattern[..at]);
                    start = at + 1;
                }
            }
            ',' if depth == 1 => {
                parts.push(&pattern[start..at]);
                start = at + 1;
            }
            '}' if depth == 1 => {
                parts.push(&pattern[start..at]);
                let (before, after) = (parts[0], &pattern[at + 1..]);
                let each = parts[1..].iter().map(|one| [before, one, after].concat());
                return each.flat_map(|one| without_braces(&one)).take(MOST_OF_BRACES).collect();
            }
            '}' if depth > 0 => depth -= 1,
            _ => {}
        }
    }
    vec![pattern.to_owned()]
}

/// Braces behind braces stand for many patterns.
pub(super) const MOST_OF_BRACES: usize = 1000;

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::{Command, Stdio};

    use super::*;

    /// What Git says of paths that need not exist, each alone under one pattern.
    fn by_git(folder: &std::path::Path, pattern: &str, paths: &[String]) -> Vec<bool> {
        std::fs::write(folder.join(".gitignore"), format!("{pattern}\n")).unwrap();
        let mut git = Command::new("git");
        git.args(["check-ignore", "--no-index", "-z", "--stdin", "-v", "-n"]).current_dir(folder);
        let mut git = git.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        git.stdin.take().unwrap().write_all(paths.join("\0").as_bytes()).unwrap();
        let told = git.wait_with_output().unwrap().stdout;
        let fields: Vec<&[u8]> = told.split(|byte| *byte == 0).collect();
        fields.chunks_exact(4).map(|fields| !fields[2].is_empty() && !fields[2].starts_with(b"!")).collect()
    }

    /// As a walk asks: from the outermost folder on, until one is left out.
    fn by_us(pattern: &str, path: &str) -> bool {
        let (patterns, _) = Patterns::of(pattern.lines());
        let folders = path.match_indices('/').map(|(at, _)| (&path[..at], true));
        folders
            .chain([(path, false)])
            .any(|(path, is_folder)| patterns.leaves_out(path, is_folder) == Some(true))
    }

    #[test]
    fn patterns_mean_what_git_says() {
        let folder = tempfile::tempdir().unwrap();
        assert!(
            Command::new("git").args(["init", "-q"]).current_dir(folder.path()).status().unwrap().success()
        );
        let mut patterns: Vec<String> = [
            "a",
            "/a",
            "a/",
            "/a/",
            "*.ts",
            "a*",
            "*a*",
            "a?",
            "?",
            "[ab]",
            "[!a]",
            "[^a]b",
            "[a-c]",
            "[]a]",
            "[a-]",
            "[-a]",
            "[[:alpha:]]",
            "[[:digit:]b]*",
            "[[:x:]]",
            "[a",
            "\\a",
            "\\*",
            "\\#a",
            "#a",
            "!a",
            "\\!a",
            "a\\ ",
            "a ",
            "a\\",
            "**",
            "**/a",
            "a/**",
            "a/**/b",
            "**/a/**",
            "a/*",
            "a/*/b",
            "*/a",
            "a**",
            "**a",
            "a/**b",
            "***/a",
            "a/b",
            "/a/b",
            "/*",
            "*/",
            "{a,b}",
            ".*",
            "*.*",
            "a.ts",
            "a/*.ts",
            "/**/b",
            "a//b",
            "/",
            "",
            " ",
            "//a",
            "a/.",
            "[a/]b",
            "[!/]",
            "*[",
            "*\\",
        ]
        .map(str::to_owned)
        .into();
        let mut seed = 20_u64;
        let mut next = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(seed >> 33).unwrap() % below
        };
        let pieces =
            ["a", "b", "ab", "*", "**", "/", "?", "[ab]", "[!b]", ".ts", "/**/", "**/", "/**", "\\*"];
        for _ in 0..250 {
            let count = 1 + next(6);
            let pattern = (0..count).map(|_| pieces[next(pieces.len())]).collect();
            patterns.push(pattern);
        }
        // Of several the last one decides, and some take back.
        for _ in 0..80 {
            let one = |next: &mut dyn FnMut(usize) -> usize| {
                let pattern = patterns[next(patterns.len())].clone();
                if next(3) == 0 { format!("!{pattern}") } else { pattern }
            };
            let lines: Vec<String> = (0..6).map(|_| one(&mut next)).collect();
            patterns.push(lines.join("\n"));
        }
        let names = [
            "a", "b", "ab", "a.ts", "b.ts", "ba", "*", "a ", "#a", "!a", ".b", "{a,b}", "1", "[", "]", "-",
            "ä",
        ];
        let mut paths: Vec<String> = names.map(str::to_owned).into();
        for _ in 0..60 {
            let depth = 1 + next(4);
            paths.push((0..=depth).map(|_| names[next(7)]).collect::<Vec<_>>().join("/"));
        }
        let mut left_out = 0;
        for pattern in patterns {
            for (path, git) in paths.iter().zip(by_git(folder.path(), &pattern, &paths)) {
                assert_eq!(by_us(&pattern, path), git, "{pattern:?} {path:?}");
                left_out += usize::from(git);
            }
        }
        assert!(left_out > 1000);
    }

    #[test]
    fn what_nothing_can_match_is_named() {
        let (patterns, refused) = Patterns::of("a\n[b\nc\\\n# [\n\n[[:no:]]".lines());
        assert_eq!(refused, ["[b", "c\\", "[[:no:]]"]);
        assert_eq!(patterns.leaves_out("x/a", false), Some(true));
        assert_eq!(patterns.leaves_out("b", false), None);
    }

    #[test]
    fn braces_stand_for_each_of_their_parts() {
        assert_eq!(without_braces("a/*.{gen,{m,n}ock}.ts"), ["a/*.gen.ts", "a/*.mock.ts", "a/*.nock.ts"]);
        assert_eq!(without_braces("{a,}{b,c}"), ["ab", "ac", "b", "c"]);
        assert_eq!(without_braces("a{b,c"), ["a{b,c"]);
        assert_eq!(without_braces("a}b"), ["a}b"]);
        assert_eq!(without_braces(&"{a,b}".repeat(40)).len(), MOST_OF_BRACES);
    }
}
