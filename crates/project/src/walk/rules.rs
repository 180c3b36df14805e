//! What is left out of a tree: by `.gitignore` and `.stampignore`, and by default `node_modules`, build output and tests.
//! Decided from names and the texts of rule files alone, so that a commit in Git gives the same answer as a checkout.

use std::path::Path;
use std::sync::Arc;

use becket_base::divided;

use super::pattern::{MOST_OF_BRACES, Patterns, without_braces};

/// A larger source file is named, and not read.
pub const LARGEST_SOURCE: u64 = 16 * 1024 * 1024;

/// Endings of files that are analysed.
const SOURCES: &[&str] = &["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"];
/// Endings of those that no build writes, unless they are declarations.
const WRITTEN_BY_HAND: &[&str] = &["ts", "tsx", "mts", "cts"];
/// Endings of those that are made small, for browsers.
const MADE_SMALL: &[&str] = &["js", "mjs", "cjs"];
/// Folders that are never looked into.
const FOREIGN_FOLDERS: &[&str] = &["node_modules", "bower_components", "storybook-static"];
/// Hidden folders in which tools ask for sources, or a route is served from.
const TOOL_FOLDERS: &[&str] = &[".dumi", ".ladle", ".storybook", ".vitepress", ".well-known"];
/// Folders that tools write to. Some projects have sources in folders of these names.
const OUTPUT_FOLDERS: &[&str] = &["dist", "build", "coverage"];
const TEST_FOLDERS: &[&str] = &["__tests__", "__mocks__", "__fixtures__", "__snapshots__"];
const TEST_MARKS: &[&str] = &["test", "spec", "e2e", "cy", "bench"];
/// As in `login.e2e-spec.ts` and `login.integration-test.ts`.
const TEST_MARK_ENDS: &[&str] = &["-test", "-spec"];
const STAMPIGNORE: &str = ".stampignore";
const GITIGNORE: &str = ".gitignore";

/// Of what begins with a dot: what tools write, which nobody looks through for anything.
const TOOL_OUTPUT: &[&str] = &[
    ".git",
    ".becket",
    ".cache",
    ".logicstamp",
    ".next",
    ".nuxt",
    ".output",
    ".parcel-cache",
    ".pnpm-store",
    ".svelte-kit",
    ".turbo",
    ".venv",
    ".yarn",
];

/// What is looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Hidden {
    /// Code, of which what begins with a dot is none.
    #[default]
    LeftOut,
    /// Whatever people write: `.github/workflows/ci.yml` too.
    Included,
}

/// Whether tests are looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Tests {
    #[default]
    LeftOut,
    Included,
}

/// What a file is to the analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Role {
    /// Analysed.
    Source,
    /// A source that a default leaves out: a test, or too large.
    LeftOut,
    /// Decides how others are read: manifests, lock files, tsconfig, ignore rules.
    Control,
    /// Anything else that an import can name: styles, pictures, data.
    Asset,
}

/// A rule file that cannot be used as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleProblem {
    pub path: String,
    pub message: String,
}

/// The rules that hold in one folder: its own and those of the folders around it.
#[derive(Debug)]
pub struct Rules {
    around: Option<Arc<Rules>>,
    /// Where they stand.
    folder: String,
    own: Vec<Patterns>,
    tests: Tests,
    hidden: Hidden,
}

impl Rules {
    pub fn start(tests: Tests) -> Self {
        Self { around: None, folder: String::new(), own: Vec::new(), tests, hidden: Hidden::default() }
    }

    #[must_use]
    pub fn with(self, hidden: Hidden) -> Self {
        Self { hidden, ..self }
    }

    pub fn tests(&self) -> Tests {
        self.tests
    }

    /// The rules inside `folder`, whose rule files `read` gives by name.
    pub fn in_folder(
        self: &Arc<Self>,
        folder: &str,
        read: impl Fn(&str) -> Option<Vec<u8>>,
    ) -> (Arc<Self>, Vec<RuleProblem>) {
        let mut own = Vec::new();
        let mut problems = Vec::new();
        let mut problem = |name: &str, message: String| {
            let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
            problems.push(RuleProblem { path, message });
        };
        let mut add = |name: &str, lines: &mut dyn Iterator<Item = &str>| {
            let (patterns, refused) = Patterns::of(lines);
            own.push(patterns);
            if let Some(first) = refused.first() {
                problem(name, format!("a pattern cannot be read: {first}"));
            }
        };
        if let Some(text) = read(GITIGNORE) {
            let text = String::from_utf8_lossy(&text);
            add(GITIGNORE, &mut text.trim_start_matches('\u{feff}').lines());
        }
        // One for the project, as the original has it.
        if let Some(text) = Some(STAMPIGNORE).filter(|_| folder.is_empty()).and_then(read) {
            match stamp_patterns(&text) {
                Ok(lines) => add(STAMPIGNORE, &mut lines.iter().map(String::as_str)),
                Err(error) => problem(STAMPIGNORE, error),
            }
        }
        if own.is_empty() {
            return (Arc::clone(self), problems);
        }
        let around = Some(Arc::clone(self));
        let (tests, hidden) = (self.tests, self.hidden);
        (Arc::new(Self { around, folder: folder.to_owned(), own, tests, hidden }), problems)
    }

    /// Whether a folder is looked into.
    pub fn enters(&self, path: &str, name: &str) -> bool {
        !self.never_enters(name) && !self.ignores(path, Kind::Folder)
    }

    /// Whether a file is listed. Rules that speak of their own file hold as long as it stands there.
    pub fn lists(&self, path: &str, name: &str) -> bool {
        let has_rules = name == GITIGNORE || path == STAMPIGNORE;
        let is_shown = || {
            self.hidden == Hidden::Included
                || !name.starts_with('.')
                || is_control(name)
                || is_environment(name)
        };
        has_rules || is_shown() && !self.in_left_out_folder(path) && !self.ignores(path, Kind::File)
    }

    fn never_enters(&self, folder: &str) -> bool {
        match self.hidden {
            Hidden::LeftOut => is_never_entered(folder),
            Hidden::Included => FOREIGN_FOLDERS.contains(&folder) || TOOL_OUTPUT.contains(&folder),
        }
    }

    fn in_left_out_folder(&self, path: &str) -> bool {
        left_out_for_folder(path, |folder| self.never_enters(folder))
    }

    /// Whether it matters where a link leads, which may stand for a file or a folder.
    pub fn knows_link(&self, path: &str, name: &str) -> bool {
        self.enters(path, name) && self.lists(path, name)
    }

    /// Whether a rule file says so of a file.
    pub(crate) fn ignores_file(&self, path: &str) -> bool {
        self.ignores(path, Kind::File)
    }

    /// The innermost rule that speaks of the path decides.
    fn ignores(&self, path: &str, kind: Kind) -> bool {
        let mut rules = Some(self);
        while let Some(here) = rules {
            // Rules speak of what is below the folder that they stand in.
            let below = path.strip_prefix(&*here.folder).unwrap_or(path).trim_start_matches('/');
            for own in &here.own {
                if let Some(leaves_out) = own.leaves_out(below, kind == Kind::Folder) {
                    return leaves_out;
                }
            }
            rules = here.around.as_deref();
        }
        false
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Folder,
}

/// Why a source is left out that is no test.
pub fn unreadable(path: &str, size: u64) -> Option<&'static str> {
    let name = divided::after_last(path, b'/');
    let (stem, ending) = divided::around_last(name, b'.').unwrap_or((name, ""));
    if MADE_SMALL.contains(&ending) && stem != "min" && stem.rsplit(['.', '-']).next() == Some("min") {
        return Some("minified");
    }
    (size > LARGEST_SOURCE).then_some("larger than 16 MiB")
}

/// What a listed file is.
pub fn role_of(path: &str, size: u64, tests: Tests) -> Role {
    let name = divided::after_last(path, b'/');
    if is_control(name) {
        return Role::Control;
    }
    let Some((stem, ending)) = divided::around_last(name, b'.') else { return Role::Asset };
    if !SOURCES.contains(&ending) {
        return Role::Asset;
    }
    if unreadable(path, size).is_some() || (tests == Tests::LeftOut && is_test(path, stem)) {
        return Role::LeftOut;
    }
    Role::Source
}

/// Whether a file is left out for the folders that it lies in. Where tools write to, there may be sources of a kind that
/// they do not write, and rules for these.
pub fn in_left_out_folder(path: &str) -> bool {
    left_out_for_folder(path, is_never_entered)
}

fn left_out_for_folder(path: &str, never_enters: impl Fn(&str) -> bool) -> bool {
    let Some((folders, name)) = divided::around_last(path, b'/') else { return false };
    // What such sources go by lies beside them.
    let by_hand = is_written_by_hand(name) || name == GITIGNORE || is_control(name);
    parts(folders).any(|folder| never_enters(folder) || (!by_hand && OUTPUT_FOLDERS.contains(&folder)))
}

/// Whether tools write to a folder, or to one that it lies in.
pub(crate) fn is_for_output(folder: &str) -> bool {
    parts(folder).any(|part| OUTPUT_FOLDERS.contains(&part))
}

/// The folders of a path, and its name. Asked for every file of a tree.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    let slashes = path.bytes().enumerate().filter(|(_, byte)| *byte == b'/').map(|(at, _)| at);
    let mut start = 0;
    slashes.chain([path.len()]).map(move |end| {
        let part = &path[start..end];
        start = end + 1;
        part
    })
}

fn is_never_entered(folder: &str) -> bool {
    let is_hidden = folder.starts_with('.') && folder.len() > 1;
    FOREIGN_FOLDERS.contains(&folder) || (is_hidden && !TOOL_FOLDERS.contains(&folder))
}

/// Whether a file is TypeScript that declares nothing but itself: `plan.ts`, not `plan.d.ts`.
fn is_written_by_hand(name: &str) -> bool {
    divided::around_last(name, b'.').is_some_and(|(stem, ending)| {
        WRITTEN_BY_HAND.contains(&ending) && !stem.split('.').skip(1).any(|part| part == "d")
    })
}

/// Whether a file says how others look.
pub fn is_sheet(path: &str) -> bool {
    let ending = divided::after_last(path, b'.');
    ["css", "scss", "sass", "less"].iter().any(|known| ending.eq_ignore_ascii_case(known))
}

/// Whether a file says what is left out.
pub fn is_rule_file(name: &str) -> bool {
    matches!(name, GITIGNORE | STAMPIGNORE)
}

/// Whether a file sets an environment: `.env`, `.env.local`, `prod.env`.
pub fn is_environment(name: &str) -> bool {
    let is_named_so = || Path::new(name).extension().is_some_and(|ending| ending == "env");
    name == ".env" || name.starts_with(".env.") || is_named_so()
}

/// Whether a change of this file changes how others are read.
pub fn is_control(name: &str) -> bool {
    let tsconfig = (name.starts_with("tsconfig") || name.starts_with("jsconfig"))
        && Path::new(name).extension().is_some_and(|ending| ending == "json");
    tsconfig
        || matches!(
            name,
            "package.json"
                | "package-lock.json"
                | "npm-shrinkwrap.json"
                | "yarn.lock"
                | "pnpm-lock.yaml"
                | "pnpm-workspace.yaml"
                | "bun.lock"
                | "lerna.json"
                | ".yarnrc.yml"
                | "deno.json"
                | "deno.jsonc"
                | "deno.lock"
                | "import_map.json"
                | GITIGNORE
                | STAMPIGNORE
        )
}

fn is_test(path: &str, stem: &str) -> bool {
    let is_mark =
        |part: &str| TEST_MARKS.contains(&part) || TEST_MARK_ENDS.iter().any(|end| part.ends_with(end));
    let marked = stem.split('.').skip(1).any(is_mark);
    marked || parts(path).any(|part| TEST_FOLDERS.contains(&part))
}

/// The original's form: `{"ignore": ["src/secrets", "**/*.gen.ts"]}`. Read as Git reads its own patterns, so that a
/// path, a bare name, a folder and a glob all mean what they look like; with brackets, as a path too: `app/[id]/page.tsx`.
fn stamp_patterns(bytes: &[u8]) -> Result<Vec<String>, String> {
    #[derive(serde::Deserialize)]
    struct File {
        #[serde(default)]
        ignore: Vec<String>,
    }
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let file: File = serde_json::from_str(text)
        .map_err(|error| format!("it is not {{\"ignore\": [\"pattern\"]}}: {error}"))?;
    let plain = |pattern: &String| {
        let pattern = pattern.trim().replace('\\', "/");
        pattern.strip_prefix("./").unwrap_or(&pattern).to_owned()
    };
    let mut patterns = Vec::new();
    for pattern in file.ignore.iter().map(plain) {
        let each = without_braces(&pattern);
        if each.len() >= MOST_OF_BRACES {
            return Err(format!("a pattern has too many braces: {pattern}"));
        }
        let as_path = |pattern: &String| pattern.contains('[').then(|| pattern.replace('[', "\\["));
        patterns.extend(each.into_iter().flat_map(|pattern| [as_path(&pattern), Some(pattern)]).flatten());
    }
    Ok(patterns)
}
