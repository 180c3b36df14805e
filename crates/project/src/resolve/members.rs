//! Which folders a workspace has for its packages: by patterns that name some, and by others that leave some of these out
//! again. A pattern speaks of the manifest in a folder, as package managers have it: `a/**` names `a`, too.

use std::borrow::Cow;

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

/// What its patterns mean, from the folder that they are said in.
#[derive(Debug)]
pub(super) struct Members {
    root: String,
    named: GlobSet,
    left_out: GlobSet,
}

/// What becomes of a pattern that leaves folders out where a later one names them again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Later {
    /// It holds, wherever it stands: pnpm and Lerna.
    IsNothing,
    /// npm: it is taken back as a whole.
    Wins,
}

impl Members {
    pub(super) fn new(root: &str, patterns: &[String], later: Later) -> Self {
        let (mut named, mut left_out): (Vec<Glob>, Vec<Glob>) = Default::default();
        for pattern in patterns {
            let folder = pattern.trim_start_matches('!');
            let is_left_out = (pattern.len() - folder.len()) % 2 == 1;
            let folder = folder.trim_start_matches("./").trim_start_matches('/').trim_end_matches('/');
            let manifest = manifest_in(folder);
            let pattern = braced(&manifest);
            let mut builder = GlobBuilder::new(&pattern);
            let Ok(glob) = builder.literal_separator(true).empty_alternates(true).build() else { continue };
            if is_left_out {
                left_out.push(glob);
                continue;
            }
            if later == Later::Wins {
                left_out.retain(|glob| !glob.compile_matcher().is_match(&manifest));
            }
            named.push(glob);
        }
        Self { root: root.to_owned(), named: set(&named), left_out: set(&left_out) }
    }

    /// The folder itself is none of its members.
    pub(super) fn is_root(&self, folder: &str) -> bool {
        self.root == folder
    }

    /// Whether the package in a folder of the tree is one of them.
    pub(super) fn have(&self, folder: &str) -> bool {
        let manifest = below(&self.root, folder).map(manifest_in);
        manifest.is_some_and(|path| self.named.is_match(&path) && !self.left_out.is_match(&path))
    }
}

fn manifest_in(folder: &str) -> String {
    [folder, "/package.json"].concat()
}

/// A pattern with its groups, `@(a|b)`, as alternatives in braces. That `+` and `*` let one be said again is left out: no
/// folder is called so. `!(a)` has no such form.
fn braced(pattern: &str) -> Cow<'_, str> {
    if !pattern.contains('(') {
        return Cow::Borrowed(pattern);
    }
    let mut braced = String::with_capacity(pattern.len() + 1);
    let mut letters = pattern.chars().peekable();
    let mut open = 0_usize;
    while let Some(letter) = letters.next() {
        match letter {
            '@' | '+' | '?' | '*' if letters.next_if_eq(&'(').is_some() => {
                open += 1;
                // It may be absent.
                braced.push_str(if matches!(letter, '?' | '*') { "{," } else { "{" });
            }
            '|' if open > 0 => braced.push(','),
            ')' if open > 0 => {
                open -= 1;
                braced.push('}');
            }
            letter => braced.push(letter),
        }
    }
    Cow::Owned(braced)
}

fn set(globs: &[Glob]) -> GlobSet {
    let mut builder = GlobSetBuilder::new();
    for glob in globs {
        builder.add(glob.clone());
    }
    builder.build().unwrap_or_else(|_| GlobSet::empty())
}

/// The rest of `folder` below `root`.
fn below<'a>(root: &str, folder: &'a str) -> Option<&'a str> {
    let rest = folder.strip_prefix(root)?;
    if root.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}
