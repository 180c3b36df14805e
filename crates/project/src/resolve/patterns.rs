//! The files that a pattern of a bundler matches: `import.meta.glob('./pages/*.ts')`.

use becket_contracts::target::Target;
use globset::{GlobBuilder, GlobMatcher};

use super::{Resolver, Surroundings, is_relative, modules};

impl Resolver {
    /// `./pages/*.ts !./pages/_*.ts`, said in a file of `folder`.
    pub(super) fn matching(&self, folder: &str, here: Surroundings, pattern: &str) -> Target {
        let mut parts = pattern.split(" !");
        let wanted: Vec<GlobMatcher> =
            parts.next().into_iter().flat_map(|one| self.matchers(folder, here, one)).collect();
        let others: Vec<GlobMatcher> = parts.flat_map(|one| self.matchers(folder, here, one)).collect();
        let any = |matchers: &[GlobMatcher], path: &str| matchers.iter().any(|one| one.is_match(path));
        let mut files: Vec<String> = self
            .modules
            .sources()
            .filter(|path| any(&wanted, path) && !any(&others, path))
            .map(str::to_owned)
            .collect();
        files.sort_unstable();
        Target::Files(files)
    }

    /// From the root of the tree, where a pattern begins beside the file, at its package, or at an alias.
    fn matchers(&self, folder: &str, here: Surroundings, pattern: &str) -> Vec<GlobMatcher> {
        // What a folder is called is no pattern: `app/[id]`.
        let below = |folder: &str| modules::join(&globset::escape(folder), pattern).into_iter().collect();
        let paths: Vec<String> = if is_relative(pattern) {
            below(folder)
        } else if pattern.starts_with('/') {
            below(here.manifest.map_or("", |index| self.manifests.folder(index)))
        } else if pattern.starts_with("**") {
            vec![pattern.to_owned()]
        } else {
            let mapped = here.tsconfig.map(|index| self.tsconfigs.candidates(index, pattern));
            mapped.unwrap_or_default().into_iter().map(|(path, _)| path).collect()
        };
        let glob = |path: &String| {
            Some(GlobBuilder::new(path).literal_separator(true).build().ok()?.compile_matcher())
        };
        paths.iter().filter_map(glob).collect()
    }
}
