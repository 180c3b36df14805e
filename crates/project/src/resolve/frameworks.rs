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

/// Packages and paths below the folder of the manifest, in the order in which they are looked for.
pub(super) fn places(name: &str) -> impl Iterator<Item = (&'static str, String)> {
    FOLDERS.iter().flat_map(move |&(package, alias, folders)| {
        let rest = below(name, alias);
        let path = move |folder: &&'static str| rest.map(|rest| (package, format!("{folder}/{rest}")));
        folders.iter().filter_map(path)
    })
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
