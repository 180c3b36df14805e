//! The package that a file belongs to.

use super::{Resolver, parent};

impl Resolver {
    /// The folder of the nearest manifest around a file, and whether that manifest or one above it asks for a package;
    /// `None` where there is none.
    pub fn home(&self, file: &str, package: &str) -> Option<(&str, bool)> {
        let manifest = self.folders.get(parent(file))?.manifest?;
        Some((self.manifests.folder(manifest), self.manifests.range(manifest, package).is_some()))
    }
}
