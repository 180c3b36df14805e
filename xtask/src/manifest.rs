//! The `Cargo.toml` of each workspace member: its package, and what it depends on.
//!
//! Owns reading manifests, renamed and target-specific dependencies included. Knows no rule about them.

use toml_edit::{DocumentMut, Item, TableLike};

use crate::tree::Tree;

/// How a crate depends on another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Normal,
    Development,
    Build,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dependency {
    /// The package, also where the manifest calls it by another name.
    pub(crate) package: String,
    pub(crate) kind: Kind,
    pub(crate) line: usize,
}

#[derive(Debug)]
pub(crate) struct Manifest {
    pub(crate) path: String,
    /// The folder without `crates/`: `store`, `xtask`.
    pub(crate) folder: String,
    pub(crate) package: String,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) inherits_lints: bool,
}

/// Every member's manifest. One that does not parse comes without a package name, and is named so by the layer check.
pub(crate) fn members(tree: &Tree) -> Vec<Manifest> {
    let workspace = tree.text("Cargo.toml").unwrap_or_default();
    let workspace = workspace.parse::<DocumentMut>().unwrap_or_default();
    let renames = workspace.get("workspace").and_then(|table| table.get("dependencies"));
    tree.files()
        .filter_map(|file| {
            let folder = file.path.strip_suffix("/Cargo.toml")?;
            let bare = folder.strip_prefix("crates/").unwrap_or(folder);
            let is_member = folder.starts_with("crates/") || folder == "xtask";
            (is_member && !bare.contains('/')).then(|| read(&file.path, bare, &file.text, renames))
        })
        .collect()
}

fn read(path: &str, folder: &str, text: &str, renames: Option<&Item>) -> Manifest {
    let document = text.parse::<DocumentMut>().unwrap_or_default();
    let package = document.get("package").and_then(|table| table.get("name")).and_then(Item::as_str);
    let lints = document.get("lints").and_then(|table| table.get("workspace")).and_then(Item::as_bool);
    let mut dependencies = Vec::new();
    let mut tables: Vec<&dyn TableLike> = vec![document.as_table()];
    let targets = document.get("target").and_then(Item::as_table_like);
    tables.extend(targets.into_iter().flat_map(TableLike::iter).filter_map(|(_, item)| item.as_table_like()));
    for table in tables {
        for (key, kind) in [
            ("dependencies", Kind::Normal),
            ("dev-dependencies", Kind::Development),
            ("build-dependencies", Kind::Build),
        ] {
            let Some(listed) = table.get(key).and_then(Item::as_table_like) else { continue };
            for (name, item) in listed.iter() {
                let renamed = renames.and_then(|table| table.get(name)).and_then(package_of);
                let package = package_of(item).or(renamed).unwrap_or(name).to_owned();
                dependencies.push(Dependency { package, kind, line: line_of(text, name) });
            }
        }
    }
    Manifest {
        path: path.to_owned(),
        folder: folder.to_owned(),
        package: package.unwrap_or_default().to_owned(),
        dependencies,
        inherits_lints: lints == Some(true),
    }
}

fn package_of(item: &Item) -> Option<&str> {
    item.as_table_like()?.get("package")?.as_str()
}

fn line_of(text: &str, key: &str) -> usize {
    let starts = |line: &str| {
        line.strip_prefix(key).is_some_and(|rest| rest.starts_with(['.', ' ', '=']) || rest.starts_with(']'))
    };
    text.lines().position(|line| starts(line.trim_start())).map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_of_every_form_are_found() {
        let tree = Tree::of(&[
            ("Cargo.toml", "[workspace.dependencies]\nwire = { package = \"rmcp\", version = \"3\" }\n"),
            (
                "crates/store/Cargo.toml",
                "[package]\nname = \"becket-store\"\n[lints]\nworkspace = true\n[dependencies]\nwire.workspace = true
web = { package = \"axum\", version = \"1\" }\n[target.'cfg(unix)'.dev-dependencies]\nlibc = \"1\"\n",
            ),
            ("crates/store/fuzz/Cargo.toml", "[package]\nname = \"fuzz\"\n"),
        ]);
        let members = members(&tree);
        assert_eq!(members.len(), 1);
        let store = &members[0];
        assert_eq!((store.folder.as_str(), store.package.as_str()), ("store", "becket-store"));
        assert!(store.inherits_lints);
        let found: Vec<_> =
            store.dependencies.iter().map(|one| (one.package.as_str(), one.kind, one.line)).collect();
        assert_eq!(
            found,
            [("rmcp", Kind::Normal, 6), ("axum", Kind::Normal, 7), ("libc", Kind::Development, 9)]
        );
    }
}
