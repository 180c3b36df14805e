//! Answers in words for people: what the faces print beside the data.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use becket_base::counted;
use becket_contracts::bundle::Missing;
use becket_contracts::compare::Change;
use serde_json::Value;

use super::{Compared, ContextReport, ImpactReport, ModesReport, ShownFile};

impl Display for Compared {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let summary = &self.result.summary;
        let id = self.baseline_id.as_deref().map(|id| format!(" ({id})")).unwrap_or_default();
        writeln!(
            formatter,
            "{} against {}{id}: {} of {} changed; {} breaking, {} compatible, {} internal; tokens {:+}",
            self.result.status,
            self.result.baseline,
            summary.changed_folders + summary.added_folders + summary.removed_folders,
            counted(summary.total_folders, "folder"),
            summary.breaking,
            summary.compatible,
            summary.internal,
            summary.token_delta.gpt4o_mini,
        )?;
        for change in self.result.folder_diffs.iter().flat_map(|folder| &folder.changes) {
            let moved = change.moved_from.as_deref().map(|from| format!(" (was {from})")).unwrap_or_default();
            writeln!(formatter, "{} {}{moved}: {}", change.verdict.as_str(), change.entry_id, change.kind)?;
            for one in &change.declarations {
                writeln!(formatter, "  {} {} {}: {}", one.verdict.as_str(), one.kind, one.name, one.reason)?;
                if one.change == Change::Changed {
                    for line in &one.before {
                        writeln!(formatter, "    - {line}")?;
                    }
                    for line in &one.after {
                        writeln!(formatter, "    + {line}")?;
                    }
                }
                if !one.used_by.is_empty() {
                    writeln!(formatter, "    used by {}", few(&one.used_by))?;
                }
            }
        }
        for notice in [&self.notice, &self.cut].into_iter().flatten() {
            writeln!(formatter, "{notice}")?;
        }
        Ok(())
    }
}

/// More than this are counted.
const MOST_NAMES: usize = 8;
const MOST_CYCLES: usize = 20;

/// Names for people: the first of them, and how many more there are.
pub(super) fn few(names: &[String]) -> String {
    match names.len().checked_sub(MOST_NAMES) {
        None | Some(0) => names.join(", "),
        Some(more) => format!("{} and {more} more", names[..MOST_NAMES].join(", ")),
    }
}

/// The names that an import takes: one for what it does takes none.
fn taken(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) }
}

impl Display for ContextReport {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            formatter,
            "{}, {}, {} in {}",
            counted(self.total_components, "file"),
            counted(self.total_edges, "edge"),
            counted(self.bundles_compiled, "bundle"),
            counted(self.total_folders, "folder"),
        )?;
        let saved = match self.savings_percent {
            saved @ 0.. => format!("{saved}% saved"),
            more => format!("{}% more", more.unsigned_abs()),
        };
        writeln!(
            formatter,
            "{} for {} of source ({saved}), each contract counted once",
            counted(self.tokens_gpt4, "token"),
            self.source_tokens
        )?;
        writeln!(
            formatter,
            "{}, {}",
            counted(self.cycles.len(), "cycle"),
            counted(self.missing.len(), "unresolved import"),
        )?;
        for cycle in self.cycles.iter().take(MOST_CYCLES) {
            let kind = if cycle.types_only { "cycle of types" } else { "cycle" };
            writeln!(formatter, "{kind} of {}: {}", cycle.files.len(), few(&cycle.files))?;
        }
        if let Some(more) = self.cycles.len().checked_sub(MOST_CYCLES).filter(|more| *more > 0) {
            writeln!(formatter, "cycle: {more} more; --json lists them")?;
        }
        // Of each reason some: what is generated elsewhere may be missing a thousand times.
        let mut by_reason: BTreeMap<&str, usize> = BTreeMap::new();
        for Missing { name, reason, referenced_by, .. } in &self.missing {
            let known = by_reason.entry(reason).or_default();
            *known += 1;
            if *known <= MOST_NAMES {
                writeln!(formatter, "missing: {name} in {referenced_by}: {reason}")?;
            }
        }
        for (reason, all) in by_reason {
            if let Some(more) = all.checked_sub(MOST_NAMES).filter(|more| *more > 0) {
                writeln!(formatter, "missing: {more} more: {reason}; --json lists them")?;
            }
        }
        for problem in &self.problems {
            writeln!(formatter, "note: {problem}")?;
        }
        for file in self.left_out.iter().take(MOST_NAMES) {
            writeln!(formatter, "left out: {}: {}", file.path, file.reason)?;
        }
        if let Some(more) = self.left_out_files.checked_sub(MOST_NAMES).filter(|more| *more > 0) {
            writeln!(formatter, "left out: {more} more; --stats lists them")?;
        }
        if self.files_written + self.files_unchanged > 0 {
            writeln!(
                formatter,
                "{} written, {} unchanged, {} removed in {}",
                counted(self.files_written, "file"),
                self.files_unchanged,
                self.files_removed,
                self.output
            )?;
        }
        Ok(())
    }
}

impl Display for ImpactReport {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let what = match &self.export {
            Some(export) => format!("{}#{export}", self.file),
            None => self.file.clone(),
        };
        if self.total == 0 {
            return writeln!(formatter, "Nothing depends on {what}.");
        }
        let depend = if self.total == 1 { "depends" } else { "depend" };
        let files = counted(self.total, "file");
        writeln!(formatter, "{files} {depend} on {what}, {} directly", self.direct)?;
        for one in &self.dependents {
            let names =
                if one.names.is_empty() { String::new() } else { format!(" uses {}", one.names.join(", ")) };
            writeln!(formatter, "{} {} {} by {}{names}", one.distance, one.path, one.kind.as_str(), one.via)?;
        }
        if let Some(cycle) = &self.cycle {
            writeln!(formatter, "in a cycle with {}", few(&cycle.files))?;
        }
        if let Some(notice) = &self.notice {
            writeln!(formatter, "{notice}")?;
        }
        Ok(())
    }
}

impl Display for ModesReport {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let costs = &self.comparison_vs_raw_source;
        writeln!(formatter, "{:<14} {:>10} {:>10} {:>7}", "mode", "GPT-4o", "Claude*", "saved")?;
        for (name, cost) in [
            ("raw source", costs.raw_source),
            ("none", costs.none),
            ("header", costs.header),
            ("header+style", costs.header_style),
            ("full", costs.full),
        ] {
            let saved = format!("{}%", cost.savings_percent);
            writeln!(
                formatter,
                "{name:<14} {:>10} {:>10} {saved:>7}",
                cost.tokens_gpt4o, cost.tokens_claude
            )?;
        }
        let files = counted(self.stats.total_files, "file");
        writeln!(formatter, "{files}. {}", self.token_estimation.method)
    }
}

/// One list of the merged view; nothing where it is empty.
fn merged(formatter: &mut Formatter<'_>, name: &str, list: &Value) -> fmt::Result {
    for (at, (member, ty)) in list.as_object().into_iter().flatten().enumerate() {
        if at == 0 {
            writeln!(formatter, "\n{name}")?;
        }
        let literals = ty["literals"].as_array().map(|literals| {
            let quoted = literals.iter().map(|one| format!("'{}'", one.as_str().unwrap_or_default()));
            quoted.collect::<Vec<_>>().join(" | ")
        });
        let described = ty["signature"].as_str().or(ty["type"].as_str()).or(ty.as_str()).unwrap_or_default();
        // With nothing but a type it is not known.
        let is_untold = ty.as_object().is_some_and(|ty| ty.len() == 1) && ty["type"] != "function";
        let optional = if ty["optional"] == true {
            "?"
        } else if is_untold {
            "(?)"
        } else {
            ""
        };
        writeln!(formatter, "  {member}{optional}: {}", literals.as_deref().unwrap_or(described))?;
    }
    Ok(())
}

/// What Next.js makes of a file; nothing of one that it does not look at.
fn next(formatter: &mut Formatter<'_>, next: &Value) -> fmt::Result {
    let word = |name: &str| next[name].as_str();
    let list = |name: &str| -> Option<String> {
        let all: Vec<&str> = next[name].as_array()?.iter().filter_map(Value::as_str).collect();
        Some(all.join(", "))
    };
    let metadata = &next["metadata"];
    let fixed =
        metadata["static"].as_object().map(|fixed| fixed.keys().cloned().collect::<Vec<_>>().join(", "));
    let dynamic = (metadata["dynamic"] == true).then(|| "made when it is asked for".to_owned());
    let slot = word("slot").map(|slot| format!(" in @{slot}")).unwrap_or_default();
    let intercepts = if next["intercepts"] == true { ", intercepting" } else { "" };
    let role = word("routeRole").map(|role| match word("segmentPath") {
        Some(path) => format!("{role} {path}{slot}{intercepts}"),
        None => role.to_owned(),
    });
    let lines = [
        ("", role),
        ("directive ", word("directive").map(|one| format!("'use {one}'"))),
        ("metadata ", fixed),
        ("metadata ", dynamic),
        ("methods ", list("methods")),
        ("data ", list("data")),
        ("actions ", list("actions")),
    ];
    let said = lines.into_iter().filter_map(|(name, value)| Some((name, value?)));
    for (at, (name, value)) in said.enumerate() {
        let heading = if at == 0 { "\nNext.js\n" } else { "" };
        writeln!(formatter, "{heading}  {name}{value}")?;
    }
    Ok(())
}

impl Display for ShownFile {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let text = |name: &str| self.contract.get(name).and_then(|value| value.as_str()).unwrap_or_default();
        writeln!(formatter, "{} {}", self.entry_id, text("kind"))?;
        writeln!(formatter, "{}", text("description"))?;
        if !self.header.is_empty() {
            writeln!(formatter, "\n{}", self.header.trim_end())?;
        }
        for list in ["props", "emits", "state"] {
            merged(formatter, list, &self.contract["logicSignature"][list])?;
        }
        for (at, one) in self.contract["unresolved"].as_array().into_iter().flatten().enumerate() {
            let heading = if at == 0 { "\nfurther props, of types that are not followed\n" } else { "" };
            let from = one["from"].as_str().map(|from| format!(" from {from}")).unwrap_or_default();
            writeln!(formatter, "{heading}  {}{from}", one["name"].as_str().unwrap_or_default())?;
        }
        next(formatter, &self.contract["nextjs"])?;
        let texts = |list: &Value| -> Vec<String> {
            let list = list.as_array().into_iter().flatten();
            list.filter_map(|one| one.as_str().map(str::to_owned)).collect()
        };
        let shared = texts(&self.contract["sharedGuards"]);
        if !shared.is_empty() {
            writeln!(formatter, "\nbefore routes, in this order\n  {}", shared.join(", "))?;
        }
        let mut mount = &Value::Null;
        for (at, route) in self.contract["routes"].as_array().into_iter().flatten().enumerate() {
            let word = |name: &str| route[name].as_str().unwrap_or_default();
            let heading = if at == 0 { "\nroutes\n" } else { "" };
            if route["file"].is_null() {
                mount = if word("method") == "USE" { &route["line"] } else { &Value::Null };
            }
            // What is behind a mount has its guards too.
            let deeper = if route["file"].is_string() && route["line"] == *mount { "  " } else { "" };
            write!(formatter, "{heading}  {deeper}{} {} {}", word("method"), word("path"), word("handler"))?;
            if let Some(file) = route["file"].as_str() {
                write!(formatter, " of {file}")?;
            }
            let count = route["shared"].as_u64();
            let count = count.map(|count| format!("the first {count}"));
            let behind = count.into_iter().chain(texts(&route["guards"])).collect();
            for (said, all) in [("version", texts(&route["versions"])), ("behind", behind)] {
                if !all.is_empty() {
                    write!(formatter, ", {said} {}", all.join(", "))?;
                }
            }
            writeln!(formatter)?;
            for path in route["fullPaths"].as_array().into_iter().flatten() {
                writeln!(formatter, "    {deeper}at {}", path.as_str().unwrap_or_default())?;
            }
        }
        if !self.imports.is_empty() || !self.missing.is_empty() {
            writeln!(formatter, "\nimports")?;
        }
        for one in &self.imports {
            let through = one.through.as_deref().map(|path| format!(" through {path}")).unwrap_or_default();
            writeln!(formatter, "  {} {}{through}{}", one.path, one.kind.as_str(), taken(&one.names))?;
        }
        for one in &self.missing {
            let version =
                one.package_version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
            writeln!(formatter, "  {}{version} {}", one.name, one.reason)?;
        }
        if !self.dependents.is_empty() {
            writeln!(formatter, "\nimported by")?;
        }
        for one in &self.dependents {
            writeln!(formatter, "  {} {}{}", one.path, one.kind.as_str(), taken(&one.names))?;
        }
        let diagnostics = self.contract.get("diagnostics").and_then(|value| value.as_array());
        for one in diagnostics.into_iter().flatten() {
            let number = |name: &str| one.get(name).and_then(serde_json::Value::as_u64).unwrap_or_default();
            let message = one.get("message").and_then(|value| value.as_str()).unwrap_or_default();
            writeln!(formatter, "\n{}:{}: {message}", number("line"), number("column"))?;
        }
        writeln!(formatter, "\n{} {} of source", text("semanticHash"), counted(self.source_tokens, "token"))
    }
}

#[cfg(test)]
mod tests {
    use becket_contracts::graph::EdgeKind;
    use serde_json::json;

    use super::super::show::Neighbour;
    use super::*;

    fn shown(entry_id: &str, contract: Value) -> ShownFile {
        ShownFile {
            entry_id: entry_id.to_owned(),
            contract,
            header: String::new(),
            imports: Vec::new(),
            missing: Vec::new(),
            dependents: Vec::new(),
            source_tokens: 1,
        }
    }

    #[test]
    fn what_next_makes_of_a_file_and_what_is_not_followed_are_shown() {
        let contract = json!({
            "nextjs": {
                "isInAppDir": true, "directive": "client", "routeRole": "page", "segmentPath": "/blog",
                "metadata": { "static": { "title": "Blog" }, "dynamic": true }, "data": ["generateStaticParams"],
            },
            "unresolved": [{ "name": "LinkProps", "from": "next/link" }, { "name": "Global" }],
        });
        let shown = shown("app/blog/page.tsx", contract);
        let text = shown.to_string();
        let next = "\nNext.js\n  page /blog\n  directive 'use client'\n  metadata title\n  metadata made when it is asked for\n  \
                    data generateStaticParams\n";
        assert!(text.contains(next), "{text}");
        let further =
            "\nfurther props, of types that are not followed\n  LinkProps from next/link\n  Global\n";
        assert!(text.contains(further), "{text}");
    }

    #[test]
    fn a_route_is_shown_with_its_versions_its_guards_and_where_it_is_reachable() {
        let route = json!({
            "method": "GET", "path": "/cats", "handler": "Cats.all", "versions": ["1", "2"], "guards": ["Roles", "Auth"],
            "fullPaths": ["/api/v1/cats"],
        });
        let plain = json!({"method": "POST", "path": "/cats", "handler": "Cats.add"});
        let mount = json!({"method": "USE", "path": "/a", "handler": "dogs", "guards": ["Auth"], "line": 3});
        let behind =
            json!({"method": "GET", "path": "/a/dogs", "handler": "all", "file": "dogs.ts", "line": 3});
        let shown = shown("cats.ts", json!({"kind": "node:api", "routes": [route, plain, mount, behind]}));
        let wanted = "\nroutes\n  GET /cats Cats.all, version 1, 2, behind Roles, Auth\n    at /api/v1/cats\n  POST /cats Cats.add\n  USE /a dogs, behind Auth\n    GET /a/dogs all of dogs.ts\n";
        assert!(shown.to_string().contains(wanted), "{shown}");
    }

    #[test]
    fn what_an_import_leads_to_is_shown_found_or_not() {
        let import = |path: &str, names: &[&str]| Neighbour {
            path: path.to_owned(),
            kind: EdgeKind::Static,
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            through: None,
        };
        let missing = |name: &str, reason: &str, version: Option<&str>| Missing {
            name: name.to_owned(),
            reason: reason.to_owned(),
            referenced_by: "a.ts".to_owned(),
            package_name: version.map(|_| name.to_owned()),
            package_version: version.map(str::to_owned),
        };
        let mut shown = shown("a.ts", json!({"kind": "ts:module"}));
        shown.imports = vec![import("b.ts", &["b", "c"]), import("effects.ts", &[])];
        shown.missing = vec![
            missing("react", "external package", Some("19.2.0")),
            missing("./gone", "file not found", None),
        ];
        let wanted = "\nimports\n  b.ts static: b, c\n  effects.ts static\n  react 19.2.0 external package\n  ./gone file not found\n";
        assert!(shown.to_string().contains(wanted), "{shown}");
        shown.imports.clear();
        assert!(shown.to_string().contains("\nimports\n  react 19.2.0"), "{shown}");
    }

    #[test]
    fn what_runs_before_many_routes_is_shown_once() {
        let one = json!({"method": "GET", "path": "/a", "handler": "a", "shared": 2, "guards": ["mine"]});
        let other = json!({"method": "GET", "path": "/b", "handler": "b", "shared": 1});
        let contract = json!({"kind": "node:api", "sharedGuards": ["cors", "auth"], "routes": [one, other]});
        let wanted = "\nbefore routes, in this order\n  cors, auth\n\nroutes\n  GET /a a, behind the first 2, mine\n  GET /b b, behind the first 1\n";
        assert!(shown("a.ts", contract).to_string().contains(wanted));
    }
}
