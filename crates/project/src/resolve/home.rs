//! The package that a file belongs to.

use becket_contracts::graph::Library;

use super::{Resolver, parent};

const REACT: &[&str] = &["react", "preact", "next", "react-native", "expo", "@types/react"];
const VUE: &[&str] = &["vue", "vue-demi", "nuxt", "@nuxt/kit"];

impl Resolver {
    /// The folder of the nearest manifest around a file, and whether its package asks for another; `None` where there is none.
    pub fn home(&self, file: &str, package: &str) -> Option<(&str, bool)> {
        let manifest = self.folders.get(parent(file))?.manifest?;
        Some((self.manifests.folder(manifest), self.manifests.asks(manifest, package)))
    }

    /// What the hooks and components of a file belong to, by what its package asks for.
    pub fn library(&self, file: &str) -> Library {
        let manifest = self.folders.get(parent(file)).and_then(|around| around.manifest);
        manifest.map_or(Library::Unknown, |manifest| {
            *self.libraries[manifest].get_or_init(|| self.library_of(manifest))
        })
    }

    fn library_of(&self, manifest: usize) -> Library {
        let asks = |packages| self.manifests.asks_for_any(manifest, packages);
        match (asks(REACT), asks(VUE)) {
            (None, _) => Library::Unknown,
            (Some(true), _) => Library::React,
            (_, Some(true)) => Library::Vue,
            _ => Library::Other,
        }
    }
}
