//! The files of a commit, without a checkout.

use crate::error::GitError;
use crate::process::Git;
use crate::read::at_root_if_any;
use crate::revision::CommitId;

/// One regular file of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFile {
    /// From the root of the repository, with forward slashes.
    pub path: String,
    /// The id of its content.
    pub blob: String,
    pub size: u64,
}

/// Every regular file of a commit, by path. Links and submodules are not among them, nor names that are not UTF-8.
pub fn files_of(git: impl Into<Git>, commit: &CommitId) -> Result<Vec<TreeFile>, GitError> {
    let git = at_root_if_any(git.into())?;
    let command = git.command("ls-tree").options(["-r", "-z", "-l", "--full-tree"]).option(commit.as_str());
    let output = command.output()?;
    let mut files: Vec<TreeFile> = output.split(|byte| *byte == 0).filter_map(file).collect();
    files.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(files)
}

/// `100644 blob <id>    <size>\t<path>`.
fn file(line: &[u8]) -> Option<TreeFile> {
    let line = std::str::from_utf8(line).ok()?;
    let (description, path) = line.split_once('\t')?;
    let mut words = description.split_ascii_whitespace();
    let (mode, kind, blob, size) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let regular = mode.starts_with("100") && kind == "blob";
    regular.then_some(())?;
    Some(TreeFile { path: path.to_owned(), blob: blob.to_owned(), size: size.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_files() {
        let read = |line: &str| file(line.as_bytes()).map(|file| (file.path, file.size));
        assert_eq!(read("100644 blob abc      12\ta b/c.ts"), Some(("a b/c.ts".to_owned(), 12)));
        assert_eq!(read("100755 blob abc 0\tx"), Some(("x".to_owned(), 0)));
        assert_eq!(read("120000 blob abc 4\tlink"), None);
        assert_eq!(read("160000 commit abc -\tmodule"), None);
        assert_eq!(read(""), None);
    }
}
