//! What is left out of a tree: by `.gitignore` and `.stampignore`, and by default `node_modules`, build output and tests.
//! Decided from names and the texts of rule files alone, so that a commit in Git gives the same answer as a checkout.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

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
/// Hidden folders in which tools ask for sources.
const TOOL_FOLDERS: &[&str] = &[".dumi", ".ladle", ".storybook", ".vitepress"];
/// Folders that tools write to. Some projects have sources in folders of these names.
const OUTPUT_FOLDERS: &[&str] = &["dist", "build", "coverage"];
const TEST_FOLDERS: &[&str] = &["__tests__", "__mocks__", "__fixtures__", "__snapshots__"];
const TEST_MARKS: &[&str] = &["test", "spec", "e2e", "cy", "bench"];
/// As in `login.e2e-spec.ts` and `login.integration-test.ts`.
const TEST_MARK_ENDS: &[&str] = &["-test", "-spec"];
const STAMPIGNORE: &str = ".stampignore";
const GITIGNORE: &str = ".gitignore";

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
    own: Vec<Arc<Gitignore>>,
    tests: Tests,
}

/// What was made of the texts of `.gitignore`: generated projects repeat theirs, a tree is looked at again and again, and
/// making rules of a text takes longer than reading the folder.
static KNOWN: LazyLock<Mutex<HashMap<Vec<u8>, Arc<Gitignore>>>> = LazyLock::new(Mutex::default);
/// So many are kept.
const MOST_KNOWN: usize = 256;

fn rules_of(text: Vec<u8>) -> Result<Arc<Gitignore>, String> {
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(rules) = known().get(&text) {
        return Ok(Arc::clone(rules));
    }
    let rules = Arc::new(matcher(String::from_utf8_lossy(&text).lines())?);
    let mut known = known();
    if known.len() >= MOST_KNOWN {
        known.clear();
    }
    known.insert(text, Arc::clone(&rules));
    Ok(rules)
}

impl Rules {
    pub fn start(tests: Tests) -> Self {
        Self { around: None, folder: String::new(), own: Vec::new(), tests }
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
        if let Some(text) = read(GITIGNORE) {
            match rules_of(text) {
                Ok(rules) => own.push(rules),
                Err(error) => problem(GITIGNORE, error),
            }
        }
        // One for the project, as the original has it.
        if folder.is_empty() {
            if let Some(text) = read(STAMPIGNORE) {
                match stamp_patterns(&text).and_then(|lines| matcher(lines.iter().map(String::as_str))) {
                    Ok(rules) => own.push(Arc::new(rules)),
                    Err(error) => problem(STAMPIGNORE, error),
                }
            }
        }
        if own.is_empty() {
            return (Arc::clone(self), problems);
        }
        let around = Some(Arc::clone(self));
        (Arc::new(Self { around, folder: folder.to_owned(), own, tests: self.tests }), problems)
    }

    /// Whether a folder is looked into.
    pub fn enters(&self, path: &str, name: &str) -> bool {
        !is_never_entered(name) && !self.ignores(path, Kind::Folder)
    }

    /// Whether a file is listed. Rules that speak of their own file hold as long as it stands there.
    pub fn lists(&self, path: &str, name: &str) -> bool {
        let has_rules = name == GITIGNORE || path == STAMPIGNORE;
        let is_shown = || !name.starts_with('.') || is_control(name) || is_environment(name);
        has_rules || is_shown() && !in_left_out_folder(path) && !self.ignores(path, Kind::File)
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
                match own.matched(below, kind == Kind::Folder) {
                    Match::Ignore(_) => return true,
                    Match::Whitelist(_) => return false,
                    Match::None => {}
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
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    if MADE_SMALL.contains(&ending) && stem != "min" && stem.rsplit(['.', '-']).next() == Some("min") {
        return Some("minified");
    }
    (size > LARGEST_SOURCE).then_some("larger than 16 MiB")
}

/// What a listed file is.
pub fn role_of(path: &str, size: u64, tests: Tests) -> Role {
    let name = path.rsplit('/').next().unwrap_or(path);
    if is_control(name) {
        return Role::Control;
    }
    let Some((stem, ending)) = name.rsplit_once('.') else { return Role::Asset };
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
    let Some((folders, name)) = path.rsplit_once('/') else { return false };
    let by_hand = is_written_by_hand(name) || name == GITIGNORE;
    folders
        .split('/')
        .any(|folder| is_never_entered(folder) || (!by_hand && OUTPUT_FOLDERS.contains(&folder)))
}

fn is_never_entered(folder: &str) -> bool {
    let is_hidden = folder.starts_with('.') && folder.len() > 1;
    FOREIGN_FOLDERS.contains(&folder) || (is_hidden && !TOOL_FOLDERS.contains(&folder))
}

/// Whether a file is TypeScript that declares nothing but itself: `plan.ts`, not `plan.d.ts`.
fn is_written_by_hand(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, ending)| {
        WRITTEN_BY_HAND.contains(&ending) && !stem.split('.').skip(1).any(|part| part == "d")
    })
}

/// Whether a file says how others look.
pub fn is_sheet(path: &str) -> bool {
    let ending = path.rsplit('.').next().unwrap_or_default();
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
                | GITIGNORE
                | STAMPIGNORE
        )
}

fn is_test(path: &str, stem: &str) -> bool {
    let is_mark =
        |part: &str| TEST_MARKS.contains(&part) || TEST_MARK_ENDS.iter().any(|end| part.ends_with(end));
    let marked = stem.split('.').skip(1).any(is_mark);
    marked || path.split('/').any(|part| TEST_FOLDERS.contains(&part))
}

fn matcher<'a>(lines: impl Iterator<Item = &'a str>) -> Result<Gitignore, String> {
    let mut builder = GitignoreBuilder::new("");
    let mut refused = Vec::new();
    for line in lines {
        if let Err(error) = builder.add_line(None, line) {
            refused.push(error.to_string());
        }
    }
    if let Some(first) = refused.first() {
        return Err(format!("a pattern cannot be read: {first}"));
    }
    builder.build().map_err(|error| error.to_string())
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
    let patterns = file.ignore.iter().map(plain).filter(|pattern| !pattern.is_empty());
    let as_path = |pattern: &String| pattern.contains('[').then(|| pattern.replace('[', "\\["));
    Ok(patterns.flat_map(|pattern| [as_path(&pattern), Some(pattern)]).flatten().collect())
}
