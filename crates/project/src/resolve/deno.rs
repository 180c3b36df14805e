//! Deno's way: an import map in `deno.json`, packages named with their registry, and packages of a workspace that say in
//! their own `deno.json` what they are called and what they export.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use becket_base::divided;
use becket_contracts::secrets;
use becket_contracts::target::{Reason, Target};
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::modules::{Modules, join};
use super::tsconfig::relaxed;
use super::{Contents, Resolver, is_relative, parent};

/// Every `deno.json` of a tree that could be read.
#[derive(Debug, Default)]
pub(super) struct Configs {
    all: Vec<Config>,
    by_folder: FxHashMap<String, usize>,
    by_name: BTreeMap<String, usize>,
}

#[derive(Debug)]
struct Config {
    folder: String,
    /// The one around it.
    around: Option<usize>,
    /// Names, each with the folder and the address that it stands for; the longest first.
    imports: Vec<(String, String, String)>,
    exports: BTreeMap<String, String>,
    version: Option<String>,
}

impl Configs {
    pub(super) fn read(modules: &Modules, contents: &dyn Contents) -> Self {
        let mut configs = Self::default();
        let read = |path: &str| relaxed(&becket_base::text::decoded(&contents.read(path)?)).ok();
        // By path: one that is around comes before what is in it, and `deno.json` before `deno.jsonc`.
        for path in modules.controls() {
            let (folder, name) = divided::around_last(path, b'/').unwrap_or(("", path));
            if !matches!(name, "deno.json" | "deno.jsonc") || configs.by_folder.contains_key(folder) {
                continue;
            }
            let Some(said) = read(path) else { continue };
            let map = said.get("importMap").and_then(Value::as_str).and_then(|map| join(folder, map));
            let outside = map.and_then(|path| Some((parent(&path).to_owned(), read(&path)?)));
            let mut imports = imports_of(folder, &said);
            imports.extend(outside.iter().flat_map(|(folder, said)| imports_of(folder, said)));
            imports.sort_by_key(|(name, ..)| Reverse(name.len()));
            let exports = match said.get("exports") {
                Some(Value::String(only)) => BTreeMap::from([(".".to_owned(), only.clone())]),
                exports => texts(exports).collect(),
            };
            let at = configs.all.len();
            if let Some(name) = said.get("name").and_then(Value::as_str) {
                configs.by_name.entry(name.to_owned()).or_insert(at);
            }
            let around = super::folders_around(folder).find_map(|folder| configs.of_folder(folder));
            configs.by_folder.insert(folder.to_owned(), at);
            let version = said.get("version").and_then(Value::as_str).map(str::to_owned);
            configs.all.push(Config { folder: folder.to_owned(), around, imports, exports, version });
        }
        configs
    }

    pub(super) fn of_folder(&self, folder: &str) -> Option<usize> {
        self.by_folder.get(folder).copied()
    }

    /// Where a name leads by the nearest map that has it: the folder that it is said in, and an address.
    fn mapped(&self, from: usize, name: &str) -> Option<(&str, String)> {
        std::iter::successors(Some(from), |at| self.all[*at].around).find_map(|at| {
            self.all[at].imports.iter().find_map(|(said, folder, address)| {
                let rest = name.strip_prefix(said.as_str())?;
                let is_package = || address.starts_with("npm:") || address.starts_with("jsr:");
                let is_it = rest.is_empty() || said.ends_with('/') || rest.starts_with('/') && is_package();
                is_it.then(|| (folder.as_str(), [address, rest].concat()))
            })
        })
    }

    /// Whether a package of the workspace is the one that is asked for by its name and perhaps a range.
    fn is_member(&self, name: &str, range: Option<&str>) -> bool {
        let first = |text: &str| -> Option<u64> {
            let digits = text.trim_start_matches(|letter: char| !letter.is_ascii_digit());
            digits.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
        };
        // One of another first number comes from the registry.
        self.by_name.get(name).is_some_and(|at| {
            let version = self.all[*at].version.as_deref().and_then(first);
            version.zip(range.and_then(first)).is_none_or(|(version, asked)| version == asked)
        })
    }

    /// Where a name leads that begins with that of a package of the workspace: to what this exports.
    fn exported(&self, name: &str, modules: &Modules) -> Option<Target> {
        let ends = name.match_indices('/').map(|(at, _)| at).chain([name.len()]);
        let mut named = ends.filter_map(|end| Some((self.by_name.get(&name[..end])?, &name[end..])));
        let (at, rest) = named.next_back()?;
        let config = &self.all[*at];
        let address = config.exports.get(&[".", rest].concat());
        let file = address.and_then(|address| modules.probe(&join(&config.folder, address)?, &[]));
        Some(file.unwrap_or(Target::Unresolved(Reason::NotExported)))
    }
}

fn imports_of(folder: &str, said: &Value) -> Vec<(String, String, String)> {
    texts(said.get("imports")).map(|(name, address)| (name, folder.to_owned(), address)).collect()
}

fn texts(value: Option<&Value>) -> impl Iterator<Item = (String, String)> {
    let entries = value.and_then(Value::as_object).into_iter().flatten();
    entries.filter_map(|(name, text)| Some((name.clone(), text.as_str()?.to_owned())))
}

/// `npm:@scope/name@^1.0.0/inner` in its parts: the name, and the range where it has one.
pub(super) fn package(specifier: &str) -> Option<(&str, Option<&str>)> {
    let rest = specifier.strip_prefix("npm:").or_else(|| specifier.strip_prefix("jsr:"))?;
    let rest = rest.trim_start_matches('/');
    let scope = if rest.starts_with('@') { rest.find('/')? + 1 } else { 0 };
    let end = rest[scope..].find('/').map_or(rest.len(), |end| scope + end);
    let (name, range) = match rest[scope..end].find('@') {
        Some(at) => (&rest[..scope + at], Some(&rest[scope + at + 1..end])),
        None => (&rest[..end], None),
    };
    (!name.is_empty() && scope < name.len()).then_some((name, range.filter(|range| !range.is_empty())))
}

impl Resolver {
    /// What the `deno.json` around a file makes of a name.
    pub(super) fn of_deno(&self, from: usize, name: &str) -> Option<Target> {
        if let Some((folder, address)) = self.deno.mapped(from, name) {
            return Some(match package(&address) {
                Some(_) => self.of_registry(folder, &address),
                None if is_relative(&address) || address.starts_with('/') => {
                    let folder = if address.starts_with('/') { "" } else { folder };
                    self.relative(folder, &[".", "/", &address].concat(), || None)
                }
                None => Target::Package { name: address, version: None, declared: true },
            });
        }
        self.deno.exported(name, &self.modules)
    }

    /// A package that is named with the registry it comes from, in a file or map of a folder.
    pub(super) fn of_registry(&self, folder: &str, specifier: &str) -> Target {
        let Some((name, range)) = package(specifier) else {
            return Target::Unresolved(Reason::InvalidSpecifier);
        };
        if specifier.starts_with("jsr:") && self.deno.is_member(name, range) {
            let rest = specifier.rsplit_once(name).map_or("", |(_, rest)| rest);
            let inner =
                divided::around_first(rest, b'/').map_or(String::new(), |(_, inner)| format!("/{inner}"));
            if let Some(target) = self.deno.exported(&[name, &inner].concat(), &self.modules) {
                return target;
            }
        }
        let version = self.versions.of(folder, name, Some(range.unwrap_or("*")));
        let version = version.or_else(|| range.map(str::to_owned));
        let version = version.map(|version| secrets::redact(&version).into_owned());
        Target::Package { name: name.to_owned(), version, declared: true }
    }
}
