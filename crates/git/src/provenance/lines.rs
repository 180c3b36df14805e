//! Which commit a line of a file comes from, and what stood there before.

use std::collections::BTreeMap;

use super::{Cause, Provenance, checked};
use crate::{error::GitError, read::unexpected};

/// The commit that a line comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineOrigin {
    pub line: usize,
    /// Nothing while the line is not committed.
    pub cause: Option<Cause>,
    /// Its path and line in that commit.
    pub path: String,
    pub original_line: usize,
    /// The commit and path before that one, where the line may have stood in another form.
    pub previous: Option<(String, String)>,
}

/// What blame says of a commit, once for all its lines.
#[derive(Debug)]
struct Blamed {
    cause: Cause,
    path: String,
    previous: Option<(String, String)>,
}

impl Provenance {
    /// The commits that lines of a working file come from; nothing for a file that Git does not know.
    pub fn lines(&self, path: &str, lines: &[usize]) -> Result<Vec<LineOrigin>, GitError> {
        self.blame(path, lines, None)
    }

    /// The same for a line as it stood in a commit.
    pub fn lines_at(&self, commit: &str, path: &str, lines: &[usize]) -> Result<Vec<LineOrigin>, GitError> {
        self.blame(path, lines, Some(commit))
    }

    fn blame(&self, path: &str, lines: &[usize], commit: Option<&str>) -> Result<Vec<LineOrigin>, GitError> {
        let mut command =
            self.git.command("blame").options(["--porcelain", "--no-textconv", "--ignore-revs-file="]);
        command = command.options(lines.iter().map(|line| format!("-L{line},{line}")));
        if let Some(commit) = commit {
            // Not as a revision: blame knows no `--end-of-options`, and an id is no option.
            command = command.option(checked(commit)?);
        }
        match command.path(path).output() {
            Ok(output) => self.parse_blame(&output),
            Err(GitError::Failed { stderr, .. }) if is_unknown_place(&stderr) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    fn parse_blame(&self, output: &[u8]) -> Result<Vec<LineOrigin>, GitError> {
        let printed = String::from_utf8_lossy(output);
        let mut known: BTreeMap<String, Blamed> = BTreeMap::new();
        let mut origins = Vec::new();
        let mut current: Option<(String, usize, usize)> = None;
        for text in printed.split('\n') {
            if text.starts_with('\t') {
                let Some((commit, original_line, line)) = current.take() else { continue };
                let Some(blamed) = known.get(&commit) else { return Err(unexpected("blame", output)) };
                let committed = commit.bytes().any(|byte| byte != b'0');
                origins.push(LineOrigin {
                    line,
                    cause: committed.then(|| blamed.cause.clone()),
                    path: blamed.path.clone(),
                    original_line,
                    previous: blamed.previous.clone(),
                });
                continue;
            }
            let (key, value) = text.split_once(' ').unwrap_or((text, ""));
            if let Some(blamed) = current.as_ref().and_then(|(commit, _, _)| known.get_mut(commit)) {
                self.add(blamed, key, value);
                continue;
            }
            let mut numbers = value.split(' ').map(str::parse);
            if let (Some(Ok(original)), Some(Ok(now))) = (numbers.next(), numbers.next()) {
                current = Some((key.to_owned(), original, now));
                known.entry(key.to_owned()).or_insert_with(|| Blamed::of(key));
            }
        }
        Ok(origins)
    }

    fn add(&self, blamed: &mut Blamed, key: &str, value: &str) {
        match key {
            "author" => value.clone_into(&mut blamed.cause.author),
            "author-time" => blamed.cause.at = value.parse().unwrap_or(0),
            "summary" => value.clone_into(&mut blamed.cause.subject),
            "filename" => blamed.path = self.relative(&unquoted(value)).unwrap_or_default(),
            "previous" => {
                let previous = value.split_once(' ');
                blamed.previous = previous
                    .and_then(|(commit, path)| Some((commit.to_owned(), self.relative(&unquoted(path))?)));
            }
            _ => {}
        }
    }
}

impl Blamed {
    fn of(commit: &str) -> Self {
        let cause = Cause { commit: commit.to_owned(), author: String::new(), at: 0, subject: String::new() };
        Self { cause, path: String::new(), previous: None }
    }
}

/// Git does not have the file, or the file does not have the line.
fn is_unknown_place(stderr: &str) -> bool {
    ["no such path", "has only", "no such ref", "cannot stat path"].iter().any(|known| stderr.contains(known))
}

/// Blame quotes a path that has a quote, a backslash or a control character in it.
fn unquoted(path: &str) -> String {
    let Some(inner) = path.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return path.to_owned();
    };
    let mut bytes = Vec::new();
    let mut rest = inner.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'r') => bytes.push(b'\r'),
            Some(b'a') => bytes.push(7),
            Some(b'b') => bytes.push(8),
            Some(b'v') => bytes.push(11),
            Some(b'f') => bytes.push(12),
            Some(first @ b'0'..=b'3') => {
                let digits = [first, rest.next().unwrap_or(b'0'), rest.next().unwrap_or(b'0')];
                let value = digits
                    .iter()
                    .fold(0_u32, |value, digit| value * 8 + u32::from(digit.saturating_sub(b'0')));
                bytes.push(u8::try_from(value).unwrap_or(b'?'));
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
