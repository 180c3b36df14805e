//! What a path says of its file: its role, and which other files it stands beside.

use becket_diff::FilePath;

/// What a file is for, as its path has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    Source,
    Test,
    Documentation,
    /// What a package manager writes from a manifest.
    Lockfile,
    /// What names dependencies.
    Manifest,
    /// What builds: scripts, makefiles, compiler settings.
    Build,
    /// What runs on a server when commits arrive.
    Integration,
    Other,
}

#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) path: FilePath,
    pub(crate) text: String,
    pub(crate) role: Role,
    /// Names of folders, outermost first.
    pub(crate) folders: Vec<String>,
    /// The file's name in lower case without ending and without the marks of a test: `parser_test.go` is `parser`.
    pub(crate) stem: String,
    pub(crate) ending: String,
    /// Words of the whole path, sorted.
    pub(crate) words: Vec<String>,
}

impl Place {
    pub(crate) fn of(path: &FilePath) -> Self {
        let text = path.to_text().into_owned();
        let mut folders: Vec<String> = text.split('/').map(str::to_owned).collect();
        let name = folders.pop().unwrap_or_default();
        let (base, ending) = match name.rsplit_once('.') {
            Some((base, ending)) if !base.is_empty() => (base.to_owned(), ending.to_lowercase()),
            _ => (name.clone(), String::new()),
        };
        let mut words = Vec::new();
        for part in folders.iter().chain([&base]) {
            crate::words::sub_words(part.as_bytes(), |word| {
                words.push(String::from_utf8_lossy(word).into_owned());
            });
        }
        words.sort_unstable();
        words.dedup();
        let role = role(&folders, &name, &ending);
        let stem = stem(&base, &folders);
        Self { path: path.clone(), text, role, folders, stem, ending, words }
    }

    /// How many of the innermost to outermost folders are the same, as a share of the deeper of the two.
    pub(crate) fn nearness(&self, other: &Self) -> f32 {
        let same = self.folders.iter().zip(&other.folders).take_while(|(one, two)| one == two).count();
        let deepest = self.folders.len().max(other.folders.len());
        crate::profile::ratio(same + 1, deepest + 1)
    }

    pub(crate) fn file_name(&self) -> &str {
        self.text.rsplit('/').next().unwrap_or(&self.text)
    }
}

const DOCUMENT_ENDINGS: &[&str] = &["md", "markdown", "rst", "txt", "adoc", "asciidoc", "textile", "mdx"];
const LOCKFILES: &[&str] = &[
    "cargo.lock",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "npm-shrinkwrap.json",
    "gemfile.lock",
    "poetry.lock",
    "pipfile.lock",
    "composer.lock",
    "go.sum",
    "uv.lock",
    "bun.lock",
    "bun.lockb",
    "mix.lock",
    "flake.lock",
    "podfile.lock",
    "pubspec.lock",
    "packages.lock.json",
    "deno.lock",
    "pdm.lock",
    "gradle.lockfile",
];
const MANIFESTS: &[&str] = &[
    "cargo.toml",
    "package.json",
    "gemfile",
    "pyproject.toml",
    "pipfile",
    "composer.json",
    "go.mod",
    "setup.py",
    "setup.cfg",
    "requirements.txt",
    "mix.exs",
    "flake.nix",
    "podfile",
    "pubspec.yaml",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "libs.versions.toml",
    "deno.json",
    "pnpm-workspace.yaml",
];
const BUILD_NAMES: &[&str] = &[
    "makefile",
    "cmakelists.txt",
    "dockerfile",
    "rakefile",
    "build.rs",
    "justfile",
    "configure.ac",
    "meson.build",
    "tox.ini",
    "tsconfig.json",
    "webpack.config.js",
    "rollup.config.js",
    "vite.config.ts",
    "settings.gradle",
    "settings.gradle.kts",
];
const BUILD_ENDINGS: &[&str] = &["mk", "cmake", "gradle", "bazel", "ninja"];
const SOURCE_ENDINGS: &[&str] = &[
    "rs", "py", "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "go", "rb", "java", "kt", "kts", "c",
    "h", "cc", "cpp", "cxx", "hpp", "hh", "cs", "php", "swift", "scala", "lua", "sh", "bash", "zsh", "fish",
    "ps1", "pl", "pm", "ex", "exs", "erl", "hs", "ml", "mli", "clj", "cljs", "dart", "vue", "svelte", "css",
    "scss", "less", "sass", "html", "erb", "sql", "m", "mm", "zig", "nim", "r", "jl", "tcl", "proto",
    "graphql", "fs", "fsx", "vb", "groovy", "asm", "s", "el", "lisp", "scm", "rkt",
];

fn role(folders: &[String], name: &str, ending: &str) -> Role {
    let lower = name.to_lowercase();
    let is = |list: &[&str], value: &str| list.contains(&value);
    if is(LOCKFILES, &lower) {
        return Role::Lockfile;
    }
    if is(MANIFESTS, &lower) || ending == "gemspec" || ending == "csproj" {
        return Role::Manifest;
    }
    let folder =
        |names: &[&str]| folders.iter().any(|folder| names.contains(&folder.to_lowercase().as_str()));
    let first = folders.first().map(String::as_str).unwrap_or_default();
    if first == ".github" && folders.len() > 1
        || [".circleci", ".ci", ".buildkite"].contains(&first)
        || [".travis.yml", "appveyor.yml", ".gitlab-ci.yml", "azure-pipelines.yml", "jenkinsfile"]
            .contains(&lower.as_str())
    {
        return Role::Integration;
    }
    if is(BUILD_NAMES, &lower) || is(BUILD_ENDINGS, ending) {
        return Role::Build;
    }
    let base = name.split('.').next().unwrap_or(name);
    let test_name = lower.starts_with("test_")
        || lower.contains("_test.")
        || lower.contains("_spec.")
        || lower.contains(".test.")
        || lower.contains(".spec.")
        || base.ends_with("Test")
        || base.ends_with("Tests")
        || base.ends_with("Spec")
        || lower == "conftest.py";
    if test_name
        || folder(&[
            "test",
            "tests",
            "spec",
            "specs",
            "__tests__",
            "testdata",
            "fixtures",
            "features",
            "__snapshots__",
        ])
    {
        return Role::Test;
    }
    let document_name =
        ["readme", "changelog", "changes", "history", "license", "contributing", "authors", "news", "notice"]
            .contains(&base.to_lowercase().as_str());
    if is(DOCUMENT_ENDINGS, ending) || document_name {
        return Role::Documentation;
    }
    if is(SOURCE_ENDINGS, ending) {
        return Role::Source;
    }
    if folder(&["docs", "doc"]) { Role::Documentation } else { Role::Other }
}

fn stem(base: &str, folders: &[String]) -> String {
    let mut stem = base.to_lowercase();
    for mark in [".test", ".spec", "_test", "_spec", "-test", "-spec", "tests", "test", "spec"] {
        if let Some(short) = stem.strip_suffix(mark).filter(|short| !short.is_empty()) {
            stem = String::from(short);
            break;
        }
    }
    for mark in ["test_", "tests_", "test-"] {
        if let Some(short) = stem.strip_prefix(mark).filter(|short| !short.is_empty()) {
            stem = String::from(short);
            break;
        }
    }
    // A file that is called as every other is known by its folder.
    if ["mod", "index", "lib", "main", "__init__", "init"].contains(&stem.as_str()) {
        let named =
            folders.iter().rev().find(|folder| !["src", "lib", "tests", "test"].contains(&folder.as_str()));
        return named.map_or(stem, |folder| folder.to_lowercase());
    }
    stem
}
