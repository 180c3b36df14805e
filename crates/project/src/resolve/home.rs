//! The package that a file belongs to.

use super::{Resolver, parent};

impl Resolver {
    /// The folder of the nearest manifest around a file, and whether its package asks for another; `None` where there is none.
    pub fn home(&self, file: &str, package: &str) -> Option<(&str, bool)> {
        let manifest = self.folders.get(parent(file))?.manifest?;
        Some((self.manifests.folder(manifest), self.manifests.asks(manifest, package)))
    }
}
