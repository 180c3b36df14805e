//! What a directory is to Git: which repository, which worktree, which branch. Other questions about a repository have
//! modules of their own.

use std::path::{Path, PathBuf};

use crate::error::GitError;
use crate::path::to_native;
use crate::process::Git;

/// Where a repository lives. Every path is absolute and canonical.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The root of the worktree that holds the directory; none in a bare repository or inside a `.git`.
    pub worktree: Option<PathBuf>,
    /// The Git directory of this worktree: for a linked one, a folder below `common_dir`.
    pub git_dir: PathBuf,
    /// What all worktrees of the clone share.
    pub common_dir: PathBuf,
    pub bare: bool,
    /// The worktree that the clone was made with; none when that is bare.
    pub main_worktree: Option<PathBuf>,
    /// The worktree that has this repository as a submodule.
    pub superproject: Option<PathBuf>,
}

impl Location {
    /// A directory in which git speaks of this worktree.
    pub fn dir(&self) -> &Path {
        self.worktree.as_deref().unwrap_or(&self.git_dir)
    }

    pub fn is_linked(&self) -> bool {
        self.git_dir != self.common_dir
    }
}

/// What HEAD stands for. A branch is named without `refs/heads/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    Branch {
        name: String,
        commit: String,
    },
    Detached {
        commit: String,
    },
    /// A branch without a commit yet.
    Unborn {
        name: String,
    },
}

impl Head {
    pub fn branch(&self) -> Option<&str> {
        match self {
            Self::Branch { name, .. } | Self::Unborn { name } => Some(name),
            Self::Detached { .. } => None,
        }
    }

    pub fn commit(&self) -> Option<&str> {
        match self {
            Self::Branch { commit, .. } | Self::Detached { commit } => Some(commit),
            Self::Unborn { .. } => None,
        }
    }
}

/// A version of the git program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
    /// As git prints it, `2.47.3` or `2.39.2 (Apple Git-143)`.
    pub text: String,
}

/// The repository that holds `git`'s directory, or nothing when none does.
pub fn locate(git: impl Into<Git>) -> Result<Option<Location>, GitError> {
    let git = git.into();
    match locate_repository(&git) {
        Ok(location) => Ok(Some(location)),
        Err(GitError::NotARepository { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

pub fn head(git: impl Into<Git>) -> Result<Head, GitError> {
    let git = git.into();
    let symbolic = git.command("symbolic-ref").options(["--quiet", "HEAD"]);
    let (code, reference) = symbolic.output_unless(&[1])?;
    let reference = (code == 0).then(|| text(&reference));
    let resolve = git.command("rev-parse").options(["--verify", "--quiet"]).revision("HEAD");
    let (code, commit) = resolve.output_unless(&[1])?;
    let commit = (code == 0).then(|| text(&commit));
    let name = |reference: String| match reference.strip_prefix("refs/heads/") {
        Some(name) => name.to_owned(),
        None => reference,
    };
    match (reference, commit) {
        (Some(reference), Some(commit)) => Ok(Head::Branch { name: name(reference), commit }),
        (Some(reference), None) => Ok(Head::Unborn { name: name(reference) }),
        (None, Some(commit)) => Ok(Head::Detached { commit }),
        (None, None) => Err(GitError::Unreadable {
            dir: git.dir().to_path_buf(),
            reason: "HEAD means nothing".to_owned(),
        }),
    }
}

/// The same limits in the root of the worktree, to which all paths of answers are relative.
pub(crate) fn at_root(git: Git) -> Result<Git, GitError> {
    let output = git.command("rev-parse").options(["--path-format=absolute", "--show-toplevel"]).output()?;
    Ok(git.in_dir(to_native(strip_newline(&output))))
}

/// [`at_root`] for questions about history, which a repository without a worktree can answer too.
pub(crate) fn at_root_if_any(git: Git) -> Result<Git, GitError> {
    match at_root(git.clone()) {
        Err(GitError::NoWorktree { .. }) => Ok(git),
        result => result,
    }
}

/// The version of the git that `git` runs. Its directory need not be a repository.
pub fn version(git: impl Into<Git>) -> Result<Version, GitError> {
    let output = text(&git.into().command("version").output()?);
    let version = output.strip_prefix("git version ").and_then(|text| {
        let mut numbers = text.split(['.', ' ', '-']).map(|number| number.parse().ok());
        Some(Version { major: numbers.next()??, minor: numbers.next()??, text: text.to_owned() })
    });
    version.ok_or(GitError::Unexpected { command: "version", found: output })
}

fn locate_repository(git: &Git) -> Result<Location, GitError> {
    let parse = |option: &'static str| {
        let output = git.command("rev-parse").options(["--path-format=absolute", option]).output()?;
        Ok::<_, GitError>(strip_newline(&output).to_vec())
    };
    let all = git
        .command("rev-parse")
        .options(["--path-format=absolute", "--is-bare-repository", "--is-inside-work-tree"])
        .options(["--absolute-git-dir", "--git-common-dir"])
        .output()?;
    let lines: Vec<&[u8]> = strip_newline(&all).split(|byte| *byte == b'\n').collect();
    let [bare, inside, rest @ ..] = lines.as_slice() else {
        return Err(unexpected("rev-parse", &all));
    };
    let (git_dir, common_dir) = match rest {
        [git_dir, common_dir] => (git_dir.to_vec(), common_dir.to_vec()),
        // A path with a newline in it: only one that is alone can be told from its neighbour.
        _ => (parse("--absolute-git-dir")?, parse("--git-common-dir")?),
    };
    let git_dir = canonical(git, &git_dir)?;
    let common_dir = canonical(git, &common_dir)?;
    let worktree = match *inside {
        b"true" => Some(canonical(git, &parse("--show-toplevel")?)?),
        _ => None,
    };
    let main_worktree = match &worktree {
        Some(worktree) if git_dir == common_dir => Some(worktree.clone()),
        _ => main_worktree(git, &common_dir)?,
    };
    let superproject = match &worktree {
        Some(worktree) if may_have_superproject(worktree) => {
            let superproject = parse("--show-superproject-working-tree")?;
            if superproject.is_empty() { None } else { Some(canonical(git, &superproject)?) }
        }
        _ => None,
    };
    Ok(Location { worktree, bare: *bare == b"true", git_dir, common_dir, main_worktree, superproject })
}

/// Git answers this question from a subprocess; most repositories have nothing above them to be asked.
fn may_have_superproject(worktree: &Path) -> bool {
    worktree.ancestors().skip(1).any(|ancestor| fs_err::symlink_metadata(ancestor.join(".git")).is_ok())
}

/// The main worktree as seen from elsewhere (a linked worktree, or inside the Git directory). `git worktree list`
/// is no help: for a submodule it names the Git directory.
fn main_worktree(git: &Git, common_dir: &Path) -> Result<Option<PathBuf>, GitError> {
    let git = git.clone().in_dir(common_dir).with_variable("GIT_DIR", common_dir);
    let setting = |kind: &'static str, key: &'static str| {
        let (code, value) =
            git.command("config").options([kind, "--null", "--get", key]).output_unless(&[1])?;
        Ok::<_, GitError>((code == 0).then(|| value.strip_suffix(b"\0").unwrap_or(&value).to_vec()))
    };
    if setting("--type=bool", "core.bare")?.as_deref() == Some(b"true") {
        return Ok(None);
    }
    if let Some(worktree) = setting("--no-type", "core.worktree")? {
        return canonical(&git, &worktree).map(Some);
    }
    let conventional = common_dir.file_name().is_some_and(|name| name == ".git");
    Ok(common_dir.parent().filter(|_| conventional).map(Path::to_path_buf))
}

fn canonical(git: &Git, printed: &[u8]) -> Result<PathBuf, GitError> {
    let path = git.dir().join(to_native(printed));
    fs_err::canonicalize(&path)
        .map_err(|error| GitError::Unreadable { dir: git.dir().to_path_buf(), reason: error.to_string() })
}

/// Git ends a printed value with one newline, and a value may end with one of its own.
pub(crate) fn strip_newline(output: &[u8]) -> &[u8] {
    output.strip_suffix(b"\n").unwrap_or(output)
}

pub(crate) fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(strip_newline(output)).into_owned()
}

pub(crate) fn unexpected(command: &'static str, output: &[u8]) -> GitError {
    let found = String::from_utf8_lossy(output);
    GitError::Unexpected { command, found: becket_base::clip(&found, 200).to_string() }
}
