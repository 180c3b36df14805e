//! Places that an entry cites, and whether they are still what they were: `file`, `file#declaration`, `file:10-20`. Owns
//! the reading of such a place in a text; which text, and where a file went, comes from outside.

use becket_base::{RepoPath, RepoPathError};
use serde::{Deserialize, Serialize};

use crate::{
    code::{Piece, Source, find_piece},
    entry::ContentHash,
    log::Baseline,
};

/// A place in the code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Anchor {
    pub path: RepoPath,
    pub target: Target,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    File,
    Declaration(String),
    /// First and last, one-based.
    Lines(usize, usize),
}

/// Why a place cannot be cited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnchorError {
    #[error("{0}")]
    Path(#[from] RepoPathError),
    #[error("`{anchor}` has no file before its `#` or `:`")]
    NoFile { anchor: String },
    #[error("`{anchor}`: there is no such file")]
    FileMissing { anchor: String },
    #[error("`{anchor}`: the file ends before line {last}")]
    LinesMissing { anchor: String, last: usize },
    #[error("`{anchor}`: line numbers count from 1, and the first comes first")]
    BadRange { anchor: String },
    #[error("`{anchor}`: no declaration of that name was recognised")]
    DeclarationMissing { anchor: String },
    #[error("`{anchor}` may mean {}", candidates.join(", "))]
    Ambiguous { anchor: String, candidates: Vec<String> },
    #[error("`{anchor}` is not text, so only the file as a whole can be cited")]
    NotText { anchor: String },
}

/// How a place compares to what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Fresh,
    /// The same, elsewhere.
    Moved,
    Changed,
    Gone,
}

/// The outcome of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    pub state: State,
    /// Where it stands now, where that is known.
    pub lines: Option<(usize, usize)>,
}

impl Anchor {
    /// Reads `file`, `file#declaration`, `file:10`, `file:10-20` or `file#L10-L20`. A text that names an existing file as
    /// a whole is that file, whatever characters it has.
    pub fn parse(text: &str, is_file: impl Fn(&RepoPath) -> bool) -> Result<Self, AnchorError> {
        let text = text.trim();
        let anchor = || text.to_owned();
        let whole = RepoPath::parse(text);
        if let Ok(path) = whole.clone() {
            if is_file(&path) {
                return Ok(Self { path, target: Target::File });
            }
        }
        let (file, target) = match (text.split_once('#'), text.rsplit_once(':')) {
            (Some((file, name)), _) if !name.is_empty() => match line_range(name, "L") {
                Some(range) => (file, lines(range, anchor)?),
                None => (file, Target::Declaration(name.to_owned())),
            },
            (_, Some((file, range))) if line_range(range, "").is_some() => {
                (file, lines(line_range(range, "").unwrap_or_default(), anchor)?)
            }
            _ => return Ok(Self { path: whole?, target: Target::File }),
        };
        if file.is_empty() {
            return Err(AnchorError::NoFile { anchor: anchor() });
        }
        Ok(Self { path: RepoPath::parse(file)?, target })
    }

    /// What the place looks like now, to compare with later.
    pub fn baseline(&self, content: Option<&[u8]>) -> Result<Baseline, AnchorError> {
        let anchor = || self.to_string();
        let content = content.ok_or_else(|| AnchorError::FileMissing { anchor: anchor() })?;
        let Ok(text) = std::str::from_utf8(content) else {
            return match self.target {
                Target::File => {
                    let hash = Some(ContentHash::of(content));
                    Ok(Baseline { anchor: anchor(), hash, lines: None, size: None })
                }
                _ => Err(AnchorError::NotText { anchor: anchor() }),
            };
        };
        let source = Source::new(self.path.as_str(), text);
        let (piece, lines) = match &self.target {
            Target::File => (source.whole(), None),
            Target::Lines(first, last) => {
                let piece = source.lines_piece(*first, *last);
                let piece =
                    piece.ok_or_else(|| AnchorError::LinesMissing { anchor: anchor(), last: *last })?;
                (piece, Some((*first, *last)))
            }
            Target::Declaration(name) => {
                let piece = self.declaration(&source, name)?;
                let lines = (piece.first, piece.last);
                (piece, Some(lines))
            }
        };
        Ok(Baseline { anchor: anchor(), hash: Some(piece.hash), lines, size: Some(piece.size) })
    }

    /// Compares the place with what it was. `content` is the file's, wherever the file is now; nothing if it is gone.
    pub fn compare(&self, baseline: &Baseline, content: Option<&[u8]>) -> Comparison {
        let gone = Comparison { state: State::Gone, lines: None };
        let Some(wanted) = &baseline.hash else {
            // It was gone when somebody last looked, and that was accepted.
            return Comparison { state: State::Fresh, lines: None };
        };
        let Some(content) = content else { return gone };
        let Ok(text) = std::str::from_utf8(content) else {
            let same = self.target == Target::File && ContentHash::of(content) == *wanted;
            return Comparison { state: if same { State::Fresh } else { State::Changed }, lines: None };
        };
        let source = Source::new(self.path.as_str(), text);
        let elsewhere = || {
            let size = baseline.size?;
            let piece = find_piece(&source, wanted, size)?;
            Some(Comparison { state: State::Moved, lines: Some((piece.first, piece.last)) })
        };
        match &self.target {
            Target::File => {
                let same = source.whole().hash == *wanted;
                Comparison { state: if same { State::Fresh } else { State::Changed }, lines: None }
            }
            Target::Lines(..) => {
                let (first, last) = baseline.lines.unwrap_or_default();
                match source.lines_piece(first, last) {
                    Some(piece) if piece.hash == *wanted => {
                        Comparison { state: State::Fresh, lines: baseline.lines }
                    }
                    _ => elsewhere().unwrap_or(Comparison { state: State::Changed, lines: None }),
                }
            }
            Target::Declaration(name) => match self.declaration(&source, name) {
                Ok(piece) => {
                    let state = if piece.hash == *wanted { State::Fresh } else { State::Changed };
                    Comparison { state, lines: Some((piece.first, piece.last)) }
                }
                Err(AnchorError::DeclarationMissing { .. }) => elsewhere().unwrap_or(gone),
                Err(_) => elsewhere().unwrap_or(Comparison { state: State::Changed, lines: None }),
            },
        }
    }

    /// The piece that a name means. Several of one full name (overloads, a type and its `impl`) are one piece.
    fn declaration(&self, source: &Source<'_>, name: &str) -> Result<Piece, AnchorError> {
        let mut found = source.named(name);
        let exact: Vec<_> = found.iter().filter(|(one, _)| one.name == *name).cloned().collect();
        if !exact.is_empty() {
            found = exact;
        }
        let mut candidates: Vec<String> = found.iter().map(|(one, _)| one.name.clone()).collect();
        candidates.dedup();
        let pieces: Vec<Piece> = found.into_iter().map(|(_, piece)| piece).collect();
        match (candidates.len(), pieces.as_slice()) {
            (0, _) | (_, []) => Err(AnchorError::DeclarationMissing { anchor: self.to_string() }),
            (1, [piece]) => Ok(piece.clone()),
            (1, [first, ..]) => {
                let joined: String = pieces.iter().map(|piece| piece.hash.as_str()).collect();
                Ok(Piece { hash: ContentHash::of(joined.as_bytes()), size: 0, ..first.clone() })
            }
            _ => Err(AnchorError::Ambiguous { anchor: self.to_string(), candidates }),
        }
    }
}

impl std::fmt::Display for Anchor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.target {
            Target::File => write!(formatter, "{}", self.path),
            Target::Declaration(name) => write!(formatter, "{}#{name}", self.path),
            Target::Lines(first, last) if first == last => write!(formatter, "{}:{first}", self.path),
            Target::Lines(first, last) => write!(formatter, "{}:{first}-{last}", self.path),
        }
    }
}

fn lines((first, last): (usize, usize), anchor: impl Fn() -> String) -> Result<Target, AnchorError> {
    if first == 0 || last < first {
        return Err(AnchorError::BadRange { anchor: anchor() });
    }
    Ok(Target::Lines(first, last))
}

/// `10`, `10-20`, with `letter` before each number (`L10-L20`).
fn line_range(text: &str, letter: &str) -> Option<(usize, usize)> {
    let number = |text: &str| {
        let digits = text.strip_prefix(letter)?;
        (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| digits.parse().ok())
            .flatten()
    };
    match text.split_once('-') {
        Some((first, last)) => Some((number(first)?, number(last).or_else(|| last.parse().ok())?)),
        None => number(text).map(|line| (line, line)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Anchor, AnchorError> {
        Anchor::parse(text, |path| matches!(path.as_str(), "odd#name.ts" | "a:10"))
    }

    const CODE: &[u8] = b"function total() {\n  return 1;\n}\n\nfunction other() {\n  return 2;\n}\n";

    fn state(anchor: &str, after: Option<&str>) -> (State, Option<(usize, usize)>) {
        let anchor = parse(anchor).unwrap();
        let baseline = anchor.baseline(Some(CODE)).unwrap();
        let comparison = anchor.compare(&baseline, after.map(str::as_bytes));
        (comparison.state, comparison.lines)
    }

    #[test]
    fn anchors_are_read_and_written() {
        for text in ["src/a.ts", "src/a.ts#Cart.total", "src/a.ts:10-20", "src/a.ts:7", "odd#name.ts", "a:10"]
        {
            assert_eq!(parse(text).unwrap().to_string(), text);
        }
        assert_eq!(parse("a.ts#L3-L9").unwrap().to_string(), "a.ts:3-9");
        assert_eq!(parse("./a.ts:5-5").unwrap().to_string(), "a.ts:5");
        assert!(matches!(parse("../a.ts#x"), Err(AnchorError::Path(RepoPathError::Parent { .. }))));
        assert!(matches!(parse("/etc/passwd"), Err(AnchorError::Path(RepoPathError::Absolute { .. }))));
        assert!(matches!(parse("a.ts:9-3"), Err(AnchorError::BadRange { .. })));
        assert!(matches!(parse("a.ts:0"), Err(AnchorError::BadRange { .. })));
        assert!(matches!(parse("#x"), Err(AnchorError::NoFile { .. })));
    }

    #[test]
    fn what_is_not_there_cannot_be_cited() {
        let refusal =
            |anchor: &str, content: Option<&[u8]>| parse(anchor).unwrap().baseline(content).unwrap_err();
        assert!(matches!(refusal("a.ts", None), AnchorError::FileMissing { .. }));
        assert!(matches!(refusal("a.ts:5-90", Some(CODE)), AnchorError::LinesMissing { last: 90, .. }));
        assert!(matches!(refusal("a.ts#nothing", Some(CODE)), AnchorError::DeclarationMissing { .. }));
        assert!(matches!(refusal("a.ts#x", Some(b"\xff")), AnchorError::NotText { .. }));
        let twice = b"class A {\n  run() {\n  }\n}\nclass B {\n  run() {\n  }\n}\n";
        let AnchorError::Ambiguous { candidates, .. } = refusal("a.ts#run", Some(twice)) else { panic!() };
        assert_eq!(candidates, ["A.run", "B.run"]);
        assert!(parse("a.bin").unwrap().baseline(Some(b"\xff\x00")).is_ok());
    }

    #[test]
    fn the_four_states() {
        let same = std::str::from_utf8(CODE).unwrap();
        let shifted = format!("// new\n\n{same}");
        let edited = same.replace("return 1", "return 3");
        let renamed = same.replace("total", "sum");
        for (anchor, after, expected) in [
            ("a.ts", Some(same), (State::Fresh, None)),
            ("a.ts", Some(shifted.as_str()), (State::Changed, None)),
            ("a.ts", None, (State::Gone, None)),
            ("a.ts:1-3", Some(same), (State::Fresh, Some((1, 3)))),
            ("a.ts:1-3", Some(shifted.as_str()), (State::Moved, Some((3, 5)))),
            ("a.ts:1-3", Some(edited.as_str()), (State::Changed, None)),
            ("a.ts:1-3", None, (State::Gone, None)),
            ("a.ts#total", Some(shifted.as_str()), (State::Fresh, Some((3, 5)))),
            ("a.ts#total", Some(edited.as_str()), (State::Changed, Some((1, 3)))),
            ("a.ts#other", Some(edited.as_str()), (State::Fresh, Some((5, 7)))),
            ("a.ts#total", Some(renamed.as_str()), (State::Gone, None)),
        ] {
            assert_eq!(state(anchor, after), expected, "{anchor} {after:?}");
        }
    }

    #[test]
    fn an_accepted_loss_is_no_news() {
        let anchor = parse("a.ts").unwrap();
        let accepted = Baseline { anchor: "a.ts".into(), hash: None, lines: None, size: None };
        assert_eq!(anchor.compare(&accepted, None).state, State::Fresh);
    }
}
