//! Where a line or a file comes from: the commit that introduced it, what it looked like then, what touched it since,
//! where it went. Paths are relative to a folder of the worktree, which is asked for once.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    error::GitError,
    process::Git,
    read::{text, unexpected},
};

/// Questions about the past of one folder.
#[derive(Debug, Clone)]
pub struct Provenance {
    git: Git,
    /// From the root of the worktree to the folder, with a final slash; empty for the root.
    prefix: String,
}

/// A commit as far as a reader of its effects needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    pub commit: String,
    pub author: String,
    /// Seconds since 1970.
    pub at: i64,
    pub subject: String,
}

/// What history says of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePast {
    /// The commit that brought it, the oldest if several did.
    pub introduced: Cause,
    pub first_blob: String,
    /// Commits that changed it afterwards, oldest first.
    pub altered: Vec<Cause>,
}

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

/// A commit that touched a file, and the path the file had in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    pub cause: Cause,
    pub path: String,
}

/// The commit that took a file away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal {
    pub cause: Cause,
    pub renamed_to: Option<String>,
}

/// The two sides of a file that a merge could not join, as blob ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unmerged {
    pub ours: Option<String>,
    pub theirs: Option<String>,
}

const FORMAT: &str = "--format=%x01%H%x1f%at%x1f%an%x1f%s";
/// Of branches; the most recently committed to come first.
const MOST_BRANCHES: usize = 200;
const MOST_TOUCHES: usize = 500;

impl Provenance {
    /// `prefix` leads from the root of the worktree to `git`'s directory, with forward slashes.
    pub fn new(git: impl Into<Git>, prefix: &str) -> Self {
        let prefix =
            if prefix.is_empty() || prefix.ends_with('/') { prefix.to_owned() } else { format!("{prefix}/") };
        Self { git: git.into(), prefix }
    }

    /// The past of every file in a folder, as the commits of `HEAD` tell it.
    pub fn files(&self, folder: &str) -> Result<BTreeMap<String, FilePast>, GitError> {
        let log = self.git.command("log").options([
            "--raw",
            "--no-abbrev",
            "-z",
            "--no-renames",
            "--diff-filter=AM",
            FORMAT,
        ]);
        let output = match log.path(folder).output() {
            Err(error) if is_refusal(&error) && self.is_unborn()? => return Ok(BTreeMap::new()),
            output => output?,
        };
        let mut files: BTreeMap<String, FilePast> = BTreeMap::new();
        let mut later: BTreeMap<String, Vec<Cause>> = BTreeMap::new();
        for record in records(&output)? {
            for [status, path] in pairs(&record.fields) {
                let Some(path) = self.relative(path) else { continue };
                let (kind, blob) =
                    (status.rsplit(' ').next().unwrap_or(""), status.split(' ').nth(3).unwrap_or(""));
                let after = later.entry(path.clone()).or_default();
                if kind == "A" {
                    // Newest first: an older introduction replaces this one, and makes it an alteration.
                    let introduced = record.cause.clone();
                    let mut altered = after.clone();
                    altered.reverse();
                    files.insert(path, FilePast { introduced, first_blob: blob.to_owned(), altered });
                }
                after.push(record.cause.clone());
            }
        }
        Ok(files)
    }

    /// Every path that any branch ever had in a folder.
    pub fn ever_added(&self, folder: &str) -> Result<BTreeSet<String>, GitError> {
        let log = self.git.command("log").options([
            "--all",
            "--name-only",
            "-z",
            "--no-renames",
            "--diff-filter=A",
            "--format=",
        ]);
        let output = log.path(folder).output()?;
        let names =
            output.split(|byte| matches!(byte, 0 | b'\n')).filter_map(|name| std::str::from_utf8(name).ok());
        Ok(names.filter(|name| !name.is_empty()).filter_map(|name| self.relative(name)).collect())
    }

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
            Err(GitError::Failed { stderr, .. })
                if ["no such path", "has only", "no such ref", "cannot stat path"]
                    .iter()
                    .any(|known| stderr.contains(known)) =>
            {
                Ok(Vec::new())
            }
            Err(error) => Err(error),
        }
    }

    fn parse_blame(&self, output: &[u8]) -> Result<Vec<LineOrigin>, GitError> {
        let printed = String::from_utf8_lossy(output);
        let mut known: BTreeMap<String, (Cause, String, Option<(String, String)>)> = BTreeMap::new();
        let mut origins = Vec::new();
        let mut current: Option<(String, usize, usize)> = None;
        for line in printed.split('\n') {
            if line.starts_with('\t') {
                let Some((commit, original_line, line)) = current.take() else { continue };
                let Some((cause, path, previous)) = known.get(&commit) else {
                    return Err(unexpected("blame", output));
                };
                let committed = commit.bytes().any(|byte| byte != b'0');
                origins.push(LineOrigin {
                    line,
                    cause: committed.then(|| cause.clone()),
                    path: path.clone(),
                    original_line,
                    previous: previous.clone(),
                });
                continue;
            }
            let (key, value) = line.split_once(' ').unwrap_or((line, ""));
            let Some((commit, _, _)) = &current else {
                let mut numbers = value.split(' ').map(str::parse);
                if let (Some(Ok(original)), Some(Ok(now))) = (numbers.next(), numbers.next()) {
                    current = Some((key.to_owned(), original, now));
                    known.entry(key.to_owned()).or_insert_with(|| {
                        let cause = Cause {
                            commit: key.to_owned(),
                            author: String::new(),
                            at: 0,
                            subject: String::new(),
                        };
                        (cause, String::new(), None)
                    });
                }
                continue;
            };
            let Some((cause, path, previous)) = known.get_mut(commit) else { continue };
            match key {
                "author" => value.clone_into(&mut cause.author),
                "author-time" => cause.at = value.parse().unwrap_or(0),
                "summary" => value.clone_into(&mut cause.subject),
                "filename" => *path = self.relative(&unquoted(value)).unwrap_or_default(),
                "previous" => {
                    *previous = value.split_once(' ').and_then(|(commit, path)| {
                        Some((commit.to_owned(), self.relative(&unquoted(path))?))
                    });
                }
                _ => {}
            }
        }
        Ok(origins)
    }

    /// A file as it was in a commit; nothing if it was not in it.
    pub fn content(&self, commit: &str, path: &str) -> Result<Option<Vec<u8>>, GitError> {
        self.blob(&format!("{}:{}{path}", checked(commit)?, self.prefix))
    }

    /// The content of a blob, by its id or another name of it.
    pub fn blob(&self, name: &str) -> Result<Option<Vec<u8>>, GitError> {
        match self.git.command("cat-file").option("blob").revision(name).output() {
            Ok(content) => Ok(Some(content)),
            Err(error) if is_refusal(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Commits after `since` that touched a file, newest first, followed through renames.
    pub fn touches(&self, path: &str, since: Option<&str>) -> Result<Vec<Touch>, GitError> {
        let log = self
            .git
            .command("log")
            .options(["--follow", "--name-status", "-z", FORMAT])
            .option(format!("-n{MOST_TOUCHES}"));
        let log = match since {
            Some(since) => log.option(format!("{}..HEAD", checked(since)?)),
            None => log,
        };
        let output = match log.path(path).output() {
            Err(error) if is_refusal(&error) && self.is_unborn()? => return Ok(Vec::new()),
            output => output?,
        };
        let touch = |record: Record| {
            let path = self.relative(record.fields.last()?)?;
            Some(Touch { cause: record.cause, path })
        };
        Ok(records(&output)?.into_iter().filter_map(touch).collect())
    }

    /// The commit that took away a file which is no longer there, and where it put it.
    pub fn removal(&self, path: &str) -> Result<Option<Removal>, GitError> {
        let log = self.git.command("log").options(["-n1", "--no-renames", "--diff-filter=D", "-z", FORMAT]);
        let output = match log.path(path).output() {
            Err(error) if is_refusal(&error) && self.is_unborn()? => return Ok(None),
            output => output?,
        };
        let Some(record) = records(&output)?.pop() else { return Ok(None) };
        let show =
            self.git.command("show").options(["--format=", "--name-status", "-z", "-M", "--diff-filter=R"]);
        let shown = show.revision(record.cause.commit.as_str()).output()?;
        let renamed_to = self.renamed(&shown, path);
        Ok(Some(Removal { cause: record.cause, renamed_to }))
    }

    /// Where a file that is in `HEAD` was moved to without a commit.
    pub fn uncommitted_rename(&self, path: &str) -> Result<Option<String>, GitError> {
        let diff = self.git.command("diff").options([
            "--name-status",
            "-z",
            "-M",
            "--diff-filter=R",
            "--no-ext-diff",
            "HEAD",
        ]);
        match diff.output() {
            Ok(output) => Ok(self.renamed(&output, path)),
            Err(error) if is_refusal(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn renamed(&self, output: &[u8], path: &str) -> Option<String> {
        let output = String::from_utf8_lossy(output);
        let fields: Vec<&str> = output.split('\0').map(|field| field.trim_start_matches('\n')).collect();
        let renames = fields.chunks_exact(3).filter(|chunk| chunk[0].starts_with('R'));
        renames.into_iter().find_map(|chunk| {
            (self.relative(chunk[1]).as_deref() == Some(path)).then(|| self.relative(chunk[2])).flatten()
        })
    }

    /// Those of the commits that `HEAD` does not contain; an error if one does not exist at all.
    pub fn outside_head(&self, commits: &BTreeSet<String>) -> Result<BTreeSet<String>, GitError> {
        if commits.is_empty() {
            return Ok(BTreeSet::new());
        }
        let mut command = self.git.command("rev-list");
        for commit in commits {
            command = command.option(checked(commit)?);
        }
        let output = command.option("^HEAD").output()?;
        let outside: BTreeSet<String> = text(&output).lines().map(str::to_owned).collect();
        Ok(commits.intersection(&outside).cloned().collect())
    }

    /// Whether `later` contains `earlier`.
    pub fn contains(&self, later: &str, earlier: &str) -> Result<bool, GitError> {
        let command = self.git.command("merge-base").option("--is-ancestor");
        let (code, _) = command.option(checked(earlier)?).option(checked(later)?).output_unless(&[1])?;
        Ok(code == 0)
    }

    /// Branches here and of remotes, with their commits; and whether there are more.
    pub fn branches(&self) -> Result<(Vec<(String, String)>, bool), GitError> {
        let command = self
            .git
            .command("for-each-ref")
            .options(["--sort=-committerdate", "--format=%(objectname) %(refname:short)"]);
        let output = command
            .option(format!("--count={}", MOST_BRANCHES + 1))
            .options(["refs/heads", "refs/remotes"])
            .output()?;
        let mut branches: Vec<(String, String)> = text(&output)
            .lines()
            .filter_map(|line| line.split_once(' '))
            .map(|(commit, name)| (name.to_owned(), commit.to_owned()))
            .collect();
        let more = branches.len() > MOST_BRANCHES;
        branches.truncate(MOST_BRANCHES);
        Ok((branches, more))
    }

    /// The files of a folder in a commit, with their blob ids.
    pub fn folder_at(&self, commit: &str, folder: &str) -> Result<BTreeMap<String, String>, GitError> {
        let command =
            self.git.command("ls-tree").options(["-r", "-z", "--full-tree"]).option(checked(commit)?);
        let output = command.path(format!("{}{folder}/", self.prefix)).output()?;
        let output = String::from_utf8_lossy(&output);
        let entry = |line: &str| {
            let (description, path) = line.split_once('\t')?;
            Some((self.relative(path)?, description.rsplit(' ').next()?.to_owned()))
        };
        Ok(output.split('\0').filter_map(entry).collect())
    }

    /// The commit that first brought a path into the history of another commit.
    pub fn introduction(&self, commit: &str, path: &str) -> Result<Option<Cause>, GitError> {
        let log = self.git.command("log").options(["--no-renames", "--diff-filter=A", "-z", FORMAT]);
        let output = log.option(checked(commit)?).path(path).output()?;
        Ok(records(&output)?.pop().map(|record| record.cause))
    }

    /// Files of a folder that a merge could not join.
    pub fn unmerged(&self, folder: &str) -> Result<BTreeMap<String, Unmerged>, GitError> {
        let output = self
            .git
            .command("ls-files")
            .options(["--unmerged", "-z", "--full-name"])
            .path(folder)
            .output()?;
        let output = String::from_utf8_lossy(&output);
        let mut files: BTreeMap<String, Unmerged> = BTreeMap::new();
        for line in output.split('\0') {
            let Some((description, path)) = line.split_once('\t') else { continue };
            let Some(path) = self.relative(path) else { continue };
            let mut words = description.split(' ').skip(1);
            let (blob, stage) = (words.next().map(str::to_owned), words.next());
            let file = files.entry(path).or_default();
            match stage {
                Some("2") => file.ours = blob,
                Some("3") => file.theirs = blob,
                _ => {}
            }
        }
        Ok(files)
    }

    /// The commit that is being merged into `HEAD`.
    pub fn merge_head(&self) -> Result<Option<String>, GitError> {
        let command = self.git.command("rev-parse").options(["--verify", "--quiet"]).revision("MERGE_HEAD");
        let (code, output) = command.output_unless(&[1])?;
        Ok((code == 0).then(|| text(&output)))
    }

    /// The user's name as commits would have it.
    pub fn author(&self) -> Option<String> {
        let output = self.git.command("var").option("GIT_AUTHOR_IDENT").output().ok()?;
        let name = text(&output).split(" <").next().unwrap_or("").trim().to_owned();
        (!name.is_empty()).then_some(name)
    }

    fn is_unborn(&self) -> Result<bool, GitError> {
        let command = self.git.command("rev-parse").options(["--verify", "--quiet"]).revision("HEAD");
        command.output_unless(&[1]).map(|(code, _)| code == 1)
    }

    /// A path below our folder, from one that Git printed.
    fn relative(&self, path: &str) -> Option<String> {
        path.strip_prefix(&self.prefix).map(str::to_owned)
    }
}

#[derive(Debug)]
struct Record {
    cause: Cause,
    fields: Vec<String>,
}

/// Commits with the fields that follow each, all separated by NUL.
fn records(output: &[u8]) -> Result<Vec<Record>, GitError> {
    let printed = String::from_utf8_lossy(output);
    let mut records: Vec<Record> = Vec::new();
    for field in
        printed.split('\0').map(|field| field.trim_start_matches('\n')).filter(|field| !field.is_empty())
    {
        match field.strip_prefix('\u{1}') {
            Some(header) => {
                let mut parts = header.splitn(4, '\u{1f}').map(str::to_owned);
                let (Some(commit), Some(at), Some(author), Some(subject)) =
                    (parts.next(), parts.next(), parts.next(), parts.next())
                else {
                    return Err(unexpected("log", output));
                };
                let cause = Cause { commit, author, at: at.parse().unwrap_or(0), subject };
                records.push(Record { cause, fields: Vec::new() });
            }
            None => match records.last_mut() {
                Some(record) => record.fields.push(field.to_owned()),
                None => return Err(unexpected("log", output)),
            },
        }
    }
    Ok(records)
}

fn pairs(fields: &[String]) -> impl Iterator<Item = [&str; 2]> {
    fields.chunks_exact(2).map(|pair| [pair[0].as_str(), pair[1].as_str()])
}

/// Only ids that Git gave us reach a command line outside `--end-of-options`.
fn checked(commit: &str) -> Result<String, GitError> {
    let is_id = matches!(commit.len(), 40 | 64) && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_id { Ok(commit.to_owned()) } else { Err(unexpected("rev-parse", commit.as_bytes())) }
}

/// Whether git ran and said no, as opposed to not having been able to say anything.
fn is_refusal(error: &GitError) -> bool {
    !matches!(
        error,
        GitError::ProgramMissing
            | GitError::Directory { .. }
            | GitError::Timeout { .. }
            | GitError::Cancelled { .. }
            | GitError::TooLarge { .. }
            | GitError::Io { .. }
    )
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

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests make repositories with git and plain files")]
mod tests {
    use std::{fs, path::Path, process::Command};

    use tempfile::TempDir;

    use super::*;

    struct Repository(TempDir);

    impl Repository {
        fn new() -> Self {
            let repository = Self(tempfile::tempdir().unwrap());
            repository.git(&["init", "-q", "-b", "main"]);
            repository
        }

        fn git(&self, arguments: &[&str]) -> String {
            let output = Command::new("git")
                .args([
                    "-c",
                    "user.name=Ann",
                    "-c",
                    "user.email=ann@example.org",
                    "-c",
                    "commit.gpgSign=false",
                ])
                .args(arguments)
                .current_dir(self.0.path())
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .output()
                .unwrap();
            assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.0.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn commit(&self, subject: &str) -> String {
            self.git(&["add", "-A"]);
            self.git(&["commit", "-q", "-m", subject]);
            self.git(&["rev-parse", "HEAD"])
        }

        fn past(&self) -> Provenance {
            Provenance::new(self.0.path(), "")
        }
    }

    #[test]
    fn a_repository_without_a_commit_has_no_past() {
        let repository = Repository::new();
        repository.write("notes/1.md", "a\n");
        let past = repository.past();
        assert!(past.files("notes").unwrap().is_empty());
        assert!(past.ever_added("notes").unwrap().is_empty());
        assert!(past.lines("notes/1.md", &[1]).unwrap().is_empty());
        assert!(past.touches("notes/1.md", None).unwrap().is_empty());
        assert_eq!(past.removal("notes/1.md").unwrap(), None);
    }

    #[test]
    fn files_know_who_brought_and_altered_them() {
        let repository = Repository::new();
        repository.write("deep/notes/1.md", "a\n");
        repository.write("deep/notes/é \"q\".md", "b\n");
        let first = repository.commit("one");
        repository.write("deep/notes/1.md", "a\nb\n");
        repository.write("elsewhere", "x");
        let second = repository.commit("two");
        fs::remove_file(repository.0.path().join("deep/notes/1.md")).unwrap();
        repository.commit("three");
        let past = Provenance::new(repository.0.path().join("deep").as_path(), "deep");
        let files = past.files("notes").unwrap();
        assert_eq!(files.keys().collect::<Vec<_>>(), ["notes/1.md", "notes/é \"q\".md"]);
        let one = &files["notes/1.md"];
        assert_eq!(
            (one.introduced.commit.as_str(), one.introduced.subject.as_str()),
            (first.as_str(), "one")
        );
        assert_eq!(one.introduced.author, "Ann");
        assert_eq!(
            one.altered.iter().map(|cause| cause.commit.as_str()).collect::<Vec<_>>(),
            [second.as_str()]
        );
        assert_eq!(past.blob(&one.first_blob).unwrap().unwrap(), b"a\n");
        assert_eq!(past.content(&second, "notes/1.md").unwrap().unwrap(), b"a\nb\n");
        assert_eq!(past.content(&second, "notes/none.md").unwrap(), None);
        assert!(past.ever_added("notes").unwrap().contains("notes/1.md"));
        let removal = past.removal("notes/1.md").unwrap().unwrap();
        assert_eq!((removal.cause.subject.as_str(), removal.renamed_to), ("three", None));
    }

    #[test]
    fn lines_know_their_commit_and_what_was_before() {
        let repository = Repository::new();
        repository.write("a.ts", "one\n// refer to context 1\n");
        let first = repository.commit("first");
        repository.write("a.ts", "zero\none\n// refer to context 1, 2\n");
        let second = repository.commit("second");
        repository.write("a.ts", "zero\nnew\none\n// refer to context 1, 2\n");
        let past = repository.past();
        let origins = past.lines("a.ts", &[2, 3, 4]).unwrap();
        let commits: Vec<Option<&str>> =
            origins.iter().map(|origin| origin.cause.as_ref().map(|cause| cause.commit.as_str())).collect();
        assert_eq!(commits, [None, Some(first.as_str()), Some(second.as_str())]);
        assert_eq!(origins[2].previous, Some((first.clone(), "a.ts".to_owned())));
        assert_eq!((origins[2].original_line, origins[1].original_line), (3, 1));
        let earlier = past.lines_at(&first, "a.ts", &[2]).unwrap();
        assert_eq!(earlier[0].cause.as_ref().unwrap().commit, first);
        assert!(past.lines("a.ts", &[99]).unwrap().is_empty());
        assert!(past.lines_at("--output=x", "a.ts", &[1]).is_err());
    }

    #[test]
    fn renames_are_followed_committed_or_not() {
        let repository = Repository::new();
        repository.write("old name.ts", "a long enough line\nanother one\n");
        let first = repository.commit("first");
        repository.git(&["mv", "old name.ts", "new\"name.ts"]);
        assert_eq!(
            repository.past().uncommitted_rename("old name.ts").unwrap().as_deref(),
            Some("new\"name.ts")
        );
        let second = repository.commit("second");
        repository.write("new\"name.ts", "a long enough line\nanother one\nmore\n");
        let third = repository.commit("third");
        let past = repository.past();
        let removal = past.removal("old name.ts").unwrap().unwrap();
        assert_eq!(
            (removal.cause.commit.as_str(), removal.renamed_to.as_deref()),
            (second.as_str(), Some("new\"name.ts"))
        );
        let touches = past.touches("new\"name.ts", Some(&first)).unwrap();
        let seen: Vec<(&str, &str)> =
            touches.iter().map(|touch| (touch.cause.commit.as_str(), touch.path.as_str())).collect();
        assert_eq!(seen, [(third.as_str(), "new\"name.ts"), (second.as_str(), "new\"name.ts")]);
        let origin = &past.lines("new\"name.ts", &[1]).unwrap()[0];
        assert_eq!(
            (origin.path.as_str(), origin.cause.as_ref().unwrap().commit.as_str()),
            ("old name.ts", first.as_str())
        );
    }

    #[test]
    fn branches_and_merges_are_told_apart() {
        let repository = Repository::new();
        repository.write("notes/1.md", "base\n");
        let base = repository.commit("base");
        repository.git(&["checkout", "-q", "-b", "side"]);
        repository.write("notes/2.md", "side\n");
        let side = repository.commit("side");
        repository.git(&["checkout", "-q", "main"]);
        repository.write("notes/2.md", "main\n");
        let main = repository.commit("main");
        let past = repository.past();
        let (branches, more) = past.branches().unwrap();
        assert!(!more && branches.contains(&("side".to_owned(), side.clone())));
        assert_ne!(
            past.folder_at(&side, "notes").unwrap()["notes/2.md"],
            past.folder_at(&main, "notes").unwrap()["notes/2.md"]
        );
        assert_eq!(past.introduction(&side, "notes/2.md").unwrap().unwrap().commit, side);
        assert!(past.contains(&main, &base).unwrap() && !past.contains(&main, &side).unwrap());
        let both = BTreeSet::from([base, side.clone()]);
        assert_eq!(past.outside_head(&both).unwrap(), BTreeSet::from([side.clone()]));
        assert!(past.outside_head(&BTreeSet::from(["0".repeat(40)])).is_err());
        let merge = Command::new("git")
            .args(["merge", "-q", "side"])
            .current_dir(Path::new(repository.0.path()))
            .output();
        assert!(!merge.unwrap().status.success());
        assert_eq!(past.merge_head().unwrap(), Some(side));
        let unmerged = &past.unmerged("notes").unwrap()["notes/2.md"];
        assert_eq!(past.blob(unmerged.ours.as_ref().unwrap()).unwrap().unwrap(), b"main\n");
        assert_eq!(past.blob(unmerged.theirs.as_ref().unwrap()).unwrap().unwrap(), b"side\n");
    }
}
