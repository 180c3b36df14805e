//! Who depends on a file or one of its exports.

use becket_contracts::compare::seen_through;
use becket_contracts::graph::{Cycle, Dependent, HandedOn, Taken, is_twin};
use becket_contracts::model::{ExportOrigin, Import, ImportKind, ImportedName};
use becket_contracts::target::Target;
use becket_project::index::{Index, IndexedFile};
use becket_project::walk::Tests;
use schemars::JsonSchema;
use serde::Serialize;

use super::options::counted;
use super::part::{fitting, part_of, size};
use super::site::Site;
use crate::{Engine, Error};

#[derive(Debug, Clone, Default)]
pub struct ImpactRequest {
    pub project_path: Option<String>,
    /// `FILE` or `FILE#EXPORT`.
    pub target: String,
    /// How many steps away at most; no end if left out.
    pub depth: Option<usize>,
    pub limit: Option<usize>,
    pub include_tests: bool,
    /// Goes on where the answer before ended.
    pub cursor: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImpactReport {
    pub project_path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    pub file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub export: Option<String>,
    /// How many files import it themselves.
    pub direct: usize,
    /// How many depend on it in all, however far away.
    pub total: usize,
    /// Nearest first.
    pub dependents: Vec<Dependent>,
    /// The cycle that it is part of, with the first part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<Cycle>,
    /// Asks for the next part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Set when not all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

impl Engine {
    pub fn impact(&self, request: &ImpactRequest) -> Result<ImpactReport, Error> {
        let limit = counted("limit", request.limit, 100, 1000)?;
        let depth = counted("depth", request.depth, usize::MAX, usize::MAX)?;
        let site = self.site(request.project_path.as_deref())?;
        let tests = if request.include_tests { Tests::Included } else { Tests::LeftOut };
        let index = self.live(&site, tests)?;
        let graph = index.graph();
        // A `#` may be part of the file's name: the longest one that is a file counts.
        let mut target = (request.target.trim_end_matches('#'), None);
        let cuts = request.target.rmatch_indices('#').map(|(at, _)| at);
        let readings = cuts.map(|at| (&request.target[..at], Some(&request.target[at + 1..])));
        let whole = std::iter::once(target);
        // An entry id is taken as it is: a name may have what is no part of a path that somebody types.
        let entry = |file: &str| match graph.position(file) {
            Some(_) => Ok(file.to_owned()),
            None => self.entry_of(&site, file),
        };
        let is_file = |file: &str| entry(file).is_ok_and(|path| graph.position(&path).is_some());
        for reading in whole.chain(readings) {
            target = reading;
            if is_file(reading.0) {
                break;
            }
        }
        let (file, export) = (target.0, target.1.filter(|export| !export.is_empty()));
        let path = entry(file)?;
        let at = graph.position(&path).ok_or_else(|| unknown_file(&path, &index))?;
        if let Some(export) = export {
            let contract = index.files()[at].contract();
            let mut names: Vec<&str> = contract.exports.named.iter().map(String::as_str).collect();
            names.extend(contract.exports.default.as_ref().map(|_| "default"));
            let open = !contract.exports.stars.is_empty();
            if !open && !names.contains(&export) {
                let hint = match becket_base::nearest(export, names.iter().copied()) {
                    Some(meant) => format!("Did you mean `{meant}`?"),
                    None => format!("It exports {}.", becket_base::clip(&names.join(", "), 300)),
                };
                let shown = becket_base::clip(export, 80);
                return Err(Error::not_found(
                    "unknown_export",
                    format!("`{path}` does not export `{shown}`."),
                )
                .with_hint(hint));
            }
        }
        let handed_on =
            |from: usize, to: usize, name: &str| handed_on(&index.files()[from], graph.path(to), name);
        let names = export.map(|export| seen_through(index.files()[at].contract(), export));
        let names = names.as_ref().map(|names| (names, &handed_on as HandedOn<'_>));
        let mut dependents = graph.impact(at, names);
        let total = dependents.len();
        let direct = dependents.iter().filter(|one| one.distance == 1).count();
        dependents.retain(|one| one.distance <= depth);
        let further = total - dependents.len();
        let further = (further > 0).then(|| match further {
            1 => "1 more is further away; ask for more steps.".to_owned(),
            further => format!("{further} more are further away; ask for more steps."),
        });
        let is_first = request.cursor.is_none();
        let cycles = if is_first { graph.cycles() } else { Vec::new() };
        let mut cycle = cycles.into_iter().find(|cycle| cycle.files.binary_search(&path).is_ok());
        let room = self.max_output_bytes();
        let mut cut = None;
        if let Some(cycle) = &mut cycle {
            // Who depends on it was asked for; of the cycle a quarter of the answer may speak, and once.
            let all = cycle.files.len();
            cycle.files = fitting(std::mem::take(&mut cycle.files).into_iter().take(limit), room / 4);
            cut = (cycle.files.len() < all)
                .then(|| format!("{} of {all} files of its cycle.", cycle.files.len()));
        }
        let around = cycle.as_ref().map_or(0, size);
        let part = part_of(dependents, request.cursor.as_deref(), limit, room.saturating_sub(around))?;
        let notices: Vec<String> = part.notice.into_iter().chain(cut).chain(further).collect();
        Ok(ImpactReport {
            project_path: site.shown(),
            branch: site.branch,
            file: path,
            export: export.map(str::to_owned),
            direct,
            total,
            dependents: part.items,
            cycle,
            next_cursor: part.next_cursor,
            notice: (!notices.is_empty()).then(|| notices.join(" ")),
        })
    }

    /// The entry id of a file that a caller names: from the root, from the folder, or absolute.
    pub(super) fn entry_of(&self, site: &Site, file: &str) -> Result<String, Error> {
        let sandbox = self.sandbox()?.around(site.workspace.clone());
        let admitted = sandbox.admit(file)?;
        let path = admitted.relative.as_str().to_owned();
        if !site.prefix.is_empty() && !admitted.absolute.exists() {
            let inner = sandbox.admit(format!("{}/{file}", site.prefix))?;
            return Ok(inner.relative.as_str().to_owned());
        }
        Ok(path)
    }
}

/// What a file does with what another exports under `name`.
fn handed_on(file: &IndexedFile, from: &str, name: &str) -> Taken {
    if is_twin(&file.path, from) {
        return Taken { on: vec![name.to_owned()], itself: false };
    }
    let facts = &file.local().facts;
    let is_there = |specifier: &str| file.targets().get(specifier).and_then(Target::file) == Some(from);
    let takes = |import: &Import| {
        let is_it = |one: &ImportedName| one.imported == name || one.imported == "*";
        let is_whole = import.names.is_empty() && import.kind == ImportKind::Dynamic;
        import.kind != ImportKind::ReExport && (is_whole || import.taken().any(is_it))
    };
    let itself = facts.imports.iter().any(|import| takes(import) && is_there(&import.specifier));
    let has_own = !facts.exported_as(name).0.is_empty();
    let handed = facts.exports.iter().filter_map(|export| {
        let ExportOrigin::Module { specifier, imported } = &export.origin else { return None };
        match (export.name.as_str(), imported.as_str()) {
            _ if !is_there(specifier) => None,
            // A star hands on all but the default, and what the file has by that name itself.
            ("*", _) => (name != "default" && !has_own).then(|| name.to_owned()),
            (as_name, imported) => (imported == name || imported == "*").then(|| as_name.to_owned()),
        }
    });
    Taken { on: handed.collect(), itself }
}

pub(super) fn unknown_file(path: &str, index: &Index) -> Error {
    let shown = becket_base::clip(path, 120);
    if let Some((_, reason)) = index.left_out().find(|(left_out, _)| *left_out == path) {
        let hint = match reason {
            "unreadable" => "Check its permissions.",
            _ => "Name the source that it was made from.",
        };
        return Error::not_found("unknown_file", format!("`{shown}` is not analysed: it is {reason}."))
            .with_hint(hint);
    }
    let known: Vec<&str> = index.files().iter().map(|file| &*file.path).collect();
    let name = path.rsplit('/').next().unwrap_or(path);
    let same_name = known.iter().find(|known| known.rsplit('/').next() == Some(name));
    let hint = match same_name.copied().or_else(|| becket_base::nearest(path, known.iter().copied())) {
        Some(meant) => format!("Did you mean `{meant}`?"),
        None => "Name an analysed file, relative to the root; ignored files, tests and build output are not."
            .to_owned(),
    };
    Error::not_found("unknown_file", format!("`{shown}` is not an analysed file.")).with_hint(hint)
}
