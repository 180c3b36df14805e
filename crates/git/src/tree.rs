//! The files of a commit or tree, without a checkout.

use std::collections::BTreeMap;

use crate::error::GitError;
use crate::process::Git;
use crate::read::at_root_if_any;

/// How the modes of regular files begin, and that of links.
const REGULAR: &str = "100";
const LINK: &str = "120000";

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFile {
    /// From the root of the repository, with forward slashes.
    pub path: String,
    /// The id of its content.
    pub blob: String,
    pub size: u64,
}

/// What a commit or tree holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeFiles {
    /// Every regular file, by path. Links are not among them, nor names that are not UTF-8.
    pub files: Vec<TreeFile>,
    /// Symbolic links, by path; the content of each is where it leads.
    pub links: Vec<TreeFile>,
    /// Repositories in it: their paths, and the commits that they stand at.
    pub modules: Vec<(String, String)>,
}

/// The files of a commit or tree, which is named by its id.
pub fn files_of(git: impl Into<Git>, tree: &str) -> Result<TreeFiles, GitError> {
    let output = listed(git.into(), tree, &["-l"])?;
    let lines = || output.split(|byte| *byte == 0);
    let blobs = |mode: &str| {
        let mut files: Vec<TreeFile> = lines().filter_map(|line| file(line, mode)).collect();
        files.sort_by(|left, right| left.path.cmp(&right.path));
        files
    };
    let modules = lines().filter_map(module).collect();
    Ok(TreeFiles { files: blobs(REGULAR), links: blobs(LINK), modules })
}

/// The same by name and content alone, which is quicker: a size has to be asked of the object.
pub fn names_of(git: impl Into<Git>, tree: &str) -> Result<BTreeMap<String, String>, GitError> {
    let output = listed(git.into(), tree, &[])?;
    Ok(output.split(|byte| *byte == 0).filter_map(name).collect())
}

/// The files of the index that a sparse checkout keeps out of the worktree.
pub fn not_checked_out(git: impl Into<Git>) -> Result<Vec<String>, GitError> {
    let git = at_root_if_any(git.into())?;
    let output = git.command("ls-files").options(["-t", "-z"]).output()?;
    let lines = output.split(|byte| *byte == 0).filter_map(|line| std::str::from_utf8(line).ok());
    Ok(lines.filter_map(|line| line.strip_prefix("S ")).map(str::to_owned).collect())
}

fn listed(git: Git, tree: &str, options: &[&str]) -> Result<Vec<u8>, GitError> {
    let git = at_root_if_any(git)?;
    let command =
        git.command("ls-tree").options(["-r", "-z", "--full-tree"]).options(options.iter().copied());
    command.revision(tree).output()
}

/// `100644 blob <id>\t<path>`.
fn name(line: &[u8]) -> Option<(String, String)> {
    let (description, path) = std::str::from_utf8(line).ok()?.split_once('\t')?;
    let mut words = description.split_ascii_whitespace();
    let (mode, kind, blob) = (words.next()?, words.next()?, words.next()?);
    (mode.starts_with(REGULAR) && kind == "blob").then(|| (path.to_owned(), blob.to_owned()))
}

/// `160000 commit <id>       -\t<path>`.
fn module(line: &[u8]) -> Option<(String, String)> {
    let rest = line.strip_prefix(b"160000 commit ")?;
    let (description, path) = std::str::from_utf8(rest).ok()?.split_once('\t')?;
    Some((path.to_owned(), description.split_ascii_whitespace().next()?.to_owned()))
}

/// `100644 blob <id>    <size>\t<path>`, where the mode begins as asked.
fn file(line: &[u8], mode_begins: &str) -> Option<TreeFile> {
    line.starts_with(mode_begins.as_bytes()).then_some(())?;
    let line = std::str::from_utf8(line).ok()?;
    let (description, path) = line.split_once('\t')?;
    let mut words = description.split_ascii_whitespace();
    let (_, kind, blob, size) = (words.next()?, words.next()?, words.next()?, words.next()?);
    (kind == "blob").then_some(())?;
    Some(TreeFile { path: path.to_owned(), blob: blob.to_owned(), size: size.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_files() {
        let read = |line: &str| file(line.as_bytes(), REGULAR).map(|file| (file.path, file.size));
        assert_eq!(read("100644 blob abc      12\ta b/c.ts"), Some(("a b/c.ts".to_owned(), 12)));
        assert_eq!(read("100755 blob abc 0\tx"), Some(("x".to_owned(), 0)));
        assert_eq!(read("120000 blob abc 4\tlink"), None);
        let link = file(b"120000 blob abc 4\tlink", LINK).map(|link| (link.path, link.blob));
        assert_eq!(link, Some(("link".to_owned(), "abc".to_owned())));
        assert_eq!(file(b"100644 blob abc 4\tlink", LINK), None);
        assert_eq!(read("160000 commit abc -\tmodule"), None);
        assert_eq!(read(""), None);
        let named = |line: &str| name(line.as_bytes());
        assert_eq!(named("100644 blob abc\ta\tb.ts"), Some(("a\tb.ts".to_owned(), "abc".to_owned())));
        assert_eq!(named("160000 commit abc\tmodule"), None);
        let found = module(b"160000 commit abc       -\ta module");
        assert_eq!(found, Some(("a module".to_owned(), "abc".to_owned())));
        assert_eq!(module(b"100644 blob abc 1\ta.ts"), None);
    }
}
