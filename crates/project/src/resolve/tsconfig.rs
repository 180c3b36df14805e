//! What `tsconfig.json` says about names: `paths`, `baseUrl`, `rootDirs` and conditions, through `extends` and project
//! references. A part that is not there (a package that is not installed) costs nothing but itself.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::OnceLock;

use becket_base::divided;
use becket_base::text::decoded;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::manifest::Manifests;
use super::modules::{Modules, join};
use super::{Contents, installed, parent};
use crate::walk::Ignored;

/// Tried in a folder in this order.
const NAMES: &[&str] = &["tsconfig.json", "jsconfig.json", "tsconfig.base.json"];
/// So many may be extended by one.
const LONGEST_CHAIN: usize = 256;

#[derive(Debug, Default)]
pub(super) struct Tsconfigs {
    all: Vec<Tsconfig>,
    by_path: FxHashMap<String, usize>,
    by_folder: FxHashMap<String, usize>,
    lost: Vec<(String, String)>,
}

/// One file with everything that it extends.
#[derive(Debug, Default)]
struct Tsconfig {
    /// Where it stands: all that is below belongs to it where it does not say what does.
    home: String,
    base: Option<String>,
    /// Pattern and targets, the targets relative to the root.
    paths: Vec<(String, Vec<String>)>,
    /// Folders that are one to imports that begin with a dot.
    root_dirs: Vec<String>,
    /// By which `exports` and `imports` are read; nothing where it is as Node would.
    conditions: Vec<String>,
    /// Whether the `exports` of packages are nothing to it, as before Node had them.
    ignores_exports: bool,
    /// What names may end with before their ending: `.ios`, and nothing.
    suffixes: Vec<String>,
    references: Vec<usize>,
    files: Option<Vec<String>>,
    include: Option<Globs>,
    exclude: Option<Globs>,
}

/// Which files a list of patterns means, as TypeScript reads it: a folder means everything in it.
#[derive(Debug, Default)]
struct Globs {
    /// What almost all of them say: everything below a folder. A file stands for itself.
    folders: Vec<String>,
    plain: Vec<Glob>,
    /// Compiled when somebody asks: that takes longer than reading the whole file.
    patterns: Vec<String>,
    compiled: OnceLock<GlobSet>,
}

impl Globs {
    fn is_match(&self, path: &str) -> bool {
        let compiled = || self.compiled.get_or_init(|| globs(&self.patterns));
        self.folders.iter().any(|folder| is_below(folder, path))
            || self.plain.iter().any(|glob| glob.is_match(path))
            || (!self.patterns.is_empty() && compiled().is_match(path))
    }
}

impl From<Vec<String>> for Globs {
    fn from(all: Vec<String>) -> Self {
        let mut globs = Self::default();
        for pattern in all {
            let folder =
                if pattern == "**/*" { "" } else { pattern.strip_suffix("/**/*").unwrap_or(&pattern) };
            if !folder.contains(['*', '?', '[', ']', '{', '}', '!', '\\']) {
                globs.folders.push(folder.to_owned());
            } else if let Some(plain) = Glob::plain(&pattern) {
                globs.plain.push(plain);
            } else {
                globs.patterns.push(pattern);
            }
        }
        globs
    }
}

/// A pattern with nothing but stars and question marks in it, and folders of any depth in one place at most.
#[derive(Debug)]
struct Glob {
    start: Vec<String>,
    /// What follows after `**`.
    end: Option<Vec<String>>,
}

impl Glob {
    fn plain(pattern: &str) -> Option<Self> {
        let mut parts = pattern.split('/').map(str::to_owned);
        let start: Vec<String> = parts.by_ref().take_while(|part| part != "**").collect();
        let rest: Vec<String> = parts.collect();
        let has_more = |part: &String| part.contains("**") || part.contains(['[', ']', '{', '}', '!', '\\']);
        if start.iter().chain(&rest).any(has_more) {
            return None;
        }
        let is_deep = pattern.split('/').nth(start.len()).is_some();
        Some(Self { start, end: is_deep.then_some(rest) })
    }

    /// Whether it means a file, or a folder around it.
    fn is_match(&self, path: &str) -> bool {
        let parts: Vec<&str> = path.split('/').collect();
        let all_fit = |patterns: &[String], parts: &[&str]| {
            let mut pairs = patterns.iter().zip(parts);
            pairs.all(|(pattern, part)| fits(pattern.as_bytes(), part.as_bytes()))
        };
        if parts.len() < self.start.len() || !all_fit(&self.start, &parts) {
            return false;
        }
        let inside = &parts[self.start.len()..];
        match &self.end {
            None => true,
            // Something in it, and not the folder itself.
            Some(end) => inside.windows(end.len().max(1)).any(|parts| all_fit(end, parts)),
        }
    }
}

/// Whether a name is one that a pattern means: a star stands for anything, a question mark for one byte.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut in_name) = (0, 0);
    // Where the last star stands, and what it stands for so far ends.
    let mut star = None;
    while in_name < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, in_name));
                at += 1;
            }
            Some(byte) if *byte == b'?' || *byte == name[in_name] => {
                at += 1;
                in_name += 1;
            }
            _ => {
                let Some((before, end)) = star else { return false };
                star = Some((before, end + 1));
                (at, in_name) = (before + 1, end + 1);
            }
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

impl Tsconfigs {
    /// `rules` are the texts of rule files by path.
    pub(super) fn read(
        modules: &Modules,
        manifests: &Manifests,
        rules: &BTreeMap<String, Vec<u8>>,
        contents: &dyn Contents,
    ) -> Self {
        let left_out = OnceLock::new();
        let (said, tsconfigs) = (FxHashMap::default(), Self::default());
        let mut reader = Reader { modules, manifests, rules, left_out, contents, said, tsconfigs };
        let mut found: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
        for path in modules.controls() {
            let (folder, name) = divided::around_last(path, b'/').unwrap_or(("", path));
            if let Some(rank) = NAMES.iter().position(|known| *known == name) {
                let best = found.entry(folder).or_insert((rank, path));
                *best = (*best).min((rank, path));
            }
        }
        for (folder, (_, path)) in found {
            if let Some(index) = reader.load(path) {
                reader.tsconfigs.by_folder.insert(folder.to_owned(), index);
            }
        }
        reader.tsconfigs.lost.sort();
        reader.tsconfigs.lost.dedup();
        reader.tsconfigs
    }

    pub(super) fn lost_extends(&self) -> &[(String, String)] {
        &self.lost
    }

    pub(super) fn of_folder(&self, folder: &str) -> Option<usize> {
        self.by_folder.get(folder).copied()
    }

    /// The one that holds for a file: a solution that only lists projects hands it to the project that includes it.
    pub(super) fn for_file(&self, index: usize, file: &str) -> usize {
        let config = &self.all[index];
        if config.references.is_empty() || config.includes_by_name(file) {
            return index;
        }
        let including =
            config.references.iter().copied().find(|reference| self.all[*reference].includes(file));
        including.unwrap_or(index)
    }

    /// Where `paths` and `baseUrl` would have a bare name lead, best first, and whether that is a file as it is written:
    /// an ending of `paths` stands for no other.
    pub(super) fn candidates(&self, index: usize, name: &str) -> Vec<(String, bool)> {
        let config = &self.all[index];
        let mut candidates = Vec::new();
        if let Some((pattern, targets)) = config.pattern_for(name) {
            let matched = wildcard(pattern, name).unwrap_or_default();
            candidates.extend(targets.iter().filter_map(|target| {
                let path = join("", &target.replacen('*', matched, 1))?;
                Some((path, [".js", ".mjs", ".cjs", ".jsx"].iter().any(|ending| target.ends_with(ending))))
            }));
        }
        candidates.extend(config.base.as_ref().and_then(|base| Some((join(base, name)?, false))));
        candidates
    }

    /// The same place in the other folders of `rootDirs`.
    pub(super) fn beside(&self, index: usize, path: &str) -> Vec<String> {
        let roots = &self.all[index].root_dirs;
        let below = |root: &String| match root.as_str() {
            "" => Some(path),
            root => path.strip_prefix(root)?.strip_prefix('/'),
        };
        // The longest is the nearest.
        let own = roots.iter().filter_map(|root| below(root).map(|rest| (root, rest)));
        let Some((own, rest)) = own.min_by_key(|(_, rest)| rest.len()) else { return Vec::new() };
        roots.iter().filter(|root| *root != own).filter_map(|root| join(root, rest)).collect()
    }

    /// The conditions by which the manifests of packages are read first; nothing where they are Node's.
    pub(super) fn conditions(&self, index: usize) -> &[String] {
        &self.all[index].conditions
    }

    /// Whether packages are looked into by path, whatever their `exports` say.
    pub(super) fn ignores_exports(&self, index: usize) -> bool {
        self.all[index].ignores_exports
    }

    /// What names may end with before their ending, best first; nothing where that is not said.
    pub(super) fn suffixes(&self, index: usize) -> &[String] {
        &self.all[index].suffixes
    }

    pub(super) fn have_suffixes(&self) -> bool {
        self.all.iter().any(|config| !config.suffixes.is_empty())
    }

    pub(super) fn all_conditions(&self) -> impl Iterator<Item = &[String]> {
        self.all.iter().map(|config| config.conditions.as_slice()).filter(|conditions| !conditions.is_empty())
    }

    /// Whether a pattern of `paths`, other than one for everything, speaks of this name as one of the tree. Tools write
    /// patterns for packages too, which say where these are installed.
    pub(super) fn is_mapped(&self, index: usize, name: &str) -> bool {
        let is_installed = |target: &String| target.split('/').any(|part| part == "node_modules");
        self.all[index].pattern_for(name).is_some_and(|(pattern, targets)| {
            pattern != "*" && (targets.is_empty() || !targets.iter().all(is_installed))
        })
    }
}

impl Tsconfig {
    /// An exact pattern first, then the one with the longest part before its star.
    fn pattern_for(&self, name: &str) -> Option<&(String, Vec<String>)> {
        self.paths.iter().filter(|(pattern, _)| wildcard(pattern, name).is_some()).max_by_key(
            |(pattern, _)| {
                let exact = !pattern.contains('*');
                (exact, pattern.find('*').unwrap_or(pattern.len()))
            },
        )
    }

    fn includes_by_name(&self, file: &str) -> bool {
        match (&self.files, &self.include) {
            (None, None) => is_below(&self.home, file),
            (files, include) => {
                files.as_ref().is_some_and(|files| files.iter().any(|name| name == file))
                    || include.as_ref().is_some_and(|include| include.is_match(file))
            }
        }
    }

    fn includes(&self, file: &str) -> bool {
        self.includes_by_name(file) && !self.exclude.as_ref().is_some_and(|exclude| exclude.is_match(file))
    }
}

fn is_below(folder: &str, path: &str) -> bool {
    let rest = path.strip_prefix(folder);
    folder.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What the star of a pattern stands for in a name.
pub(super) fn wildcard<'a>(pattern: &str, name: &'a str) -> Option<&'a str> {
    match divided::around_first(pattern, b'*') {
        None => (pattern == name).then_some(""),
        Some((before, after)) => {
            let rest = name.strip_prefix(before)?;
            rest.strip_suffix(after)
        }
    }
}

struct Reader<'a> {
    modules: &'a Modules,
    manifests: &'a Manifests,
    rules: &'a BTreeMap<String, Vec<u8>>,
    /// What is left out where hidden folders are looked into. Made when something is not listed.
    left_out: OnceLock<Ignored>,
    contents: &'a dyn Contents,
    /// What files say; nothing for one that is not there.
    said: FxHashMap<String, Option<Rc<Value>>>,
    tsconfigs: Tsconfigs,
}

/// Why what a tsconfig extends is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lost {
    Absent,
    Installed,
    LeftOut,
}

impl std::fmt::Display for Lost {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Absent => "is not there",
            Self::Installed => "is of no package of this tree, nor of one that is installed in it",
            Self::LeftOut => "is not read: a rule leaves it out, or tools write there",
        })
    }
}

impl Reader<'_> {
    fn load(&mut self, path: &str) -> Option<usize> {
        if let Some(index) = self.tsconfigs.by_path.get(path) {
            return Some(*index);
        }
        let mut chain = Vec::new();
        self.add_chain(path, &mut chain, &mut BTreeSet::new());
        if chain.is_empty() {
            return None;
        }
        let index = self.tsconfigs.all.len();
        self.tsconfigs.by_path.insert(path.to_owned(), index);
        self.tsconfigs.all.push(Tsconfig::default());
        let (home, own) = &chain[0];
        let mut config = merge(home, &chain);
        for reference in own.get("references").and_then(Value::as_array).into_iter().flatten() {
            let Some(target) = reference.get("path").and_then(Value::as_str) else { continue };
            let named = join(home, target);
            let inside = named.as_ref().and_then(|path| join(path, "tsconfig.json"));
            let found = [named, inside].into_iter().flatten().find(|path| self.said(path).is_some());
            config.references.extend(found.and_then(|path| self.load(&path)));
        }
        self.tsconfigs.all[index] = config;
        Some(index)
    }

    /// Adds the file and everything it extends, nearest first, each with its folder. Who comes again says nothing new.
    fn add_chain(&mut self, path: &str, chain: &mut Vec<(String, Rc<Value>)>, seen: &mut BTreeSet<String>) {
        if seen.len() >= LONGEST_CHAIN || !seen.insert(path.to_owned()) {
            return;
        }
        let Some(value) = self.said(path) else { return };
        let folder = parent(path).to_owned();
        chain.push((folder.clone(), Rc::clone(&value)));
        let extends: Vec<&str> = match value.get("extends") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        // Of several, the last one wins.
        for extended in extends.into_iter().rev() {
            match self.extended(&folder, extended) {
                Ok(path) => self.add_chain(&path, chain, seen),
                Err(why) => {
                    let lost = format!("extends `{extended}`, which {why}; its own rules hold");
                    self.tsconfigs.lost.push((path.to_owned(), lost));
                }
            }
        }
    }

    /// What a file says, read once; nothing where there is none.
    fn said(&mut self, path: &str) -> Option<Rc<Value>> {
        if let Some(known) = self.said.get(path) {
            return known.clone();
        }
        let said = self.bytes(path).map(|bytes| {
            let text = decoded(&bytes);
            Rc::new(relaxed(text.trim_start_matches('\u{feff}')).unwrap_or_else(|error| {
                let lost = format!("says nothing that can be read: {error}");
                self.tsconfigs.lost.push((path.to_owned(), lost));
                Value::Null
            }))
        });
        self.said.insert(path.to_owned(), said.clone());
        said
    }

    fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        if self.modules.has(path) {
            return self.contents.read(path);
        }
        if self.reads_unlisted(path) {
            return self.contents.read_unlisted(path).map(|(bytes, _)| bytes);
        }
        let found = installed::file(self.contents, path)?;
        self.contents.read_left_out(&found.path)
    }

    /// Whether a file that is not listed is so for its hidden folder alone.
    fn reads_unlisted(&self, path: &str) -> bool {
        let left_out = self.left_out.get_or_init(|| Ignored::with_hidden(self.rules.clone()));
        let (folder, name) = divided::around_last(path, b'/').unwrap_or(("", path));
        left_out.inside(folder).is_some_and(|rules| rules.lists(path, name))
    }

    fn extended(&mut self, folder: &str, name: &str) -> Result<String, Lost> {
        let relative = name.starts_with('.') || name.starts_with('/');
        let mut tried = Vec::new();
        let place = if relative {
            join(folder, name).ok_or(Lost::Absent)?
        } else {
            let parts = if name.starts_with('@') { 2 } else { 1 };
            let end = name.match_indices('/').nth(parts - 1).map_or(name.len(), |(at, _)| at);
            let from = self.manifests.of_folder("");
            let Some(package) = self.manifests.package(from, &name[..end]) else {
                return installed::config(self.contents, folder, name);
            };
            let rest = name[end..].trim_matches('/');
            let manifest = self.manifests.get(package);
            let said = manifest.fields.tsconfig.as_ref().filter(|_| rest.is_empty());
            let exported = manifest.fields.exports.iter().flat_map(|it| installed::exported(it, rest));
            let places = exported.chain(said.into_iter().flat_map(|to| [to.clone(), format!("{to}.json")]));
            tried.extend(places.filter_map(|to| join(&manifest.folder, &to)));
            join(&manifest.folder, rest).ok_or(Lost::Absent)?
        };
        tried.push(place.clone());
        if !installed::is_config(&place) {
            tried.extend([format!("{place}.json"), join(&place, "tsconfig.json").ok_or(Lost::Absent)?]);
        }
        if let Some(path) = tried.iter().find(|path| self.modules.has(path)) {
            return Ok(path.clone());
        }
        let is_left_out = !tried.iter().any(|path| self.reads_unlisted(path));
        let why = if is_left_out { Lost::LeftOut } else { Lost::Absent };
        tried.into_iter().find(|path| self.said(path).is_some()).ok_or(why)
    }
}

/// JSON that may have comments and commas too many. Most have none, and are read many times faster without looking for them.
pub(super) fn relaxed(text: &str) -> Result<Value, jsonc_parser::errors::ParseError> {
    serde_json::from_str(text)
        .or_else(|_| jsonc_parser::parse_to_serde_value(text, &jsonc_parser::ParseOptions::default()))
}

fn merge(home: &str, chain: &[(String, Rc<Value>)]) -> Tsconfig {
    let template = |text: &str| text.replace("${configDir}", ".");
    let place = |folder: &str, text: &str| {
        // A template speaks of the file that was asked for, whoever wrote it.
        let folder = if text.contains("${configDir}") { home } else { folder };
        join(folder, &template(text))
    };
    let option = |name: &str| {
        chain.iter().find_map(|(folder, value)| Some((folder, value.get("compilerOptions")?.get(name)?)))
    };
    let listed =
        |name: &str| chain.iter().find_map(|(folder, value)| Some((folder, value.get(name)?.as_array()?)));
    let base = option("baseUrl").and_then(|(folder, value)| place(folder, value.as_str()?));
    let paths = option("paths").and_then(|(folder, value)| Some((folder, value.as_object()?)));
    let paths = paths.map(|(folder, patterns)| {
        let from = base.as_deref().unwrap_or(folder);
        let targets = |value: &Value| -> Vec<String> {
            let texts = value.as_array().into_iter().flatten().filter_map(Value::as_str);
            texts.filter_map(|text| place(from, text)).collect()
        };
        patterns.iter().map(|(pattern, value)| (pattern.clone(), targets(value))).collect()
    });
    let names = |(folder, values): (&String, &Vec<Value>)| -> Vec<String> {
        values.iter().filter_map(|value| place(folder, value.as_str()?)).collect()
    };
    let root_dirs = option("rootDirs").and_then(|(folder, value)| Some((folder, value.as_array()?)));
    let said = |name: &str, word: &str| {
        option(name).is_some_and(|(_, value)| value.as_str().is_some_and(|it| it.eq_ignore_ascii_case(word)))
    };
    let is_bundled = said("moduleResolution", "bundler")
        || option("moduleResolution").is_none() && said("module", "preserve");
    let knows_exports = option("resolvePackageJsonExports").and_then(|(_, value)| value.as_bool());
    let is_old = || ["node", "node10", "classic"].iter().any(|old| said("moduleResolution", old));
    let texts = |name: &str| -> Vec<String> {
        let listed = option(name).and_then(|(_, value)| value.as_array());
        listed.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let mut conditions = texts("customConditions");
    if is_bundled || !conditions.is_empty() {
        conditions.extend(["types", "import"].map(str::to_owned));
        conditions.extend((!is_bundled).then(|| "node".to_owned()));
    }
    Tsconfig {
        home: home.to_owned(),
        base,
        paths: paths.unwrap_or_default(),
        root_dirs: root_dirs.map(names).unwrap_or_default(),
        conditions,
        ignores_exports: !knows_exports.unwrap_or_else(|| !is_old()),
        suffixes: texts("moduleSuffixes"),
        references: Vec::new(),
        files: listed("files").map(names),
        include: listed("include").map(names).map(Globs::from),
        exclude: listed("exclude").map(names).map(Globs::from),
    }
}

/// As TypeScript reads `include`: a folder means everything in it.
fn globs(patterns: &[String]) -> GlobSet {
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns {
        let inside = if pattern.is_empty() { "**/*".to_owned() } else { format!("{pattern}/**/*") };
        for pattern in [pattern.as_str(), inside.as_str()] {
            if let Ok(glob) = GlobBuilder::new(pattern).literal_separator(true).build() {
                builder.add(glob);
            }
        }
    }
    builder.build().unwrap_or_else(|_| GlobSet::empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_matched_as_their_patterns_are() {
        let patterns = [
            "",
            "**/*",
            "src",
            "src/**/*",
            "src/a.ts",
            "src/*",
            "sr?",
            "**/*.spec.ts",
            "a b/**/*",
            "{src,lib}/**/*",
            "**",
            "*",
            "*/b",
            "src/**",
            "**/src",
            "**/b/*.ts",
            "src/**/c.ts",
            "src/**/b/**/*",
            "*.spec.*",
            "s*c/*.?s",
            "**/*a*.t?",
            "a?b",
            "ö?*/**/é*",
            "src/b**",
        ];
        let paths = [
            "a.ts",
            "src",
            "src/a.ts",
            "src/a.spec.ts",
            "src/b/c.ts",
            "srcs/a.ts",
            "lib/src/a.ts",
            "a b/c.ts",
            "a.spec.ts",
            "src/b/b/aa.spec.ts",
            "öx/y/é.ts",
            "öxx/é",
        ];
        for pattern in patterns.map(str::to_owned) {
            let (quick, compiled) =
                (Globs::from(vec![pattern.clone()]), globs(std::slice::from_ref(&pattern)));
            for path in paths {
                // Nothing below a folder has its name.
                if path != "src" || !pattern.ends_with("/**/*") {
                    assert_eq!(quick.is_match(path), compiled.is_match(path), "{pattern:?} {path:?}");
                }
            }
        }
    }
}
