//! Names that a framework gives a meaning of its own. It writes them into a tsconfig that it generates and that nobody
//! commits, so that a fresh clone has to know them.

/// The package whose presence says so, the name that stands for a folder, and where that folder may be.
const FOLDERS: &[(&str, &str, &[&str])] = &[
    ("@sveltejs/kit", "$lib", &["src/lib"]),
    ("nuxt", "~", &["app", "src", ""]),
    ("nuxt", "@", &["app", "src", ""]),
    ("nuxt", "~~", &[""]),
    ("nuxt", "@@", &[""]),
    ("nuxt", "#shared", &["shared"]),
    ("@docusaurus/core", "@site", &[""]),
];

/// Modules that a framework makes while it runs.
const PROVIDED: &[(&str, &[&str])] = &[
    ("@sveltejs/kit", &["$app", "$env", "$service-worker"]),
    ("nuxt", &["#app", "#build", "#components", "#imports", "#internal"]),
    ("@docusaurus/core", &["@theme", "@theme-original", "@theme-init", "@generated"]),
];

/// Packages, each with the folders below that of the manifest in which it looks, in that order, and what it looks for there.
pub(super) fn places(name: &str) -> impl Iterator<Item = (&'static str, &'static [&'static str], &str)> {
    FOLDERS.iter().filter_map(move |&(package, alias, folders)| Some((package, folders, below(name, alias)?)))
}

/// The package that makes a module of this name.
pub(super) fn makers(name: &str) -> impl Iterator<Item = &'static str> {
    let makes = |names: &[&str]| names.iter().any(|made| below(name, made).is_some());
    PROVIDED.iter().filter(move |(_, names)| makes(names)).map(|(package, _)| *package)
}

fn below<'n>(name: &'n str, folder: &str) -> Option<&'n str> {
    let rest = name.strip_prefix(folder)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}
