//! What must not go into contracts: `.stampignore`, the scan for secrets, and what `stamp init` sets up. The report of a
//! scan never holds a secret.

use std::path::{Component, Path};

use becket_base::counted;
use becket_base::text::decoded;
use becket_contracts::secrets::{self, Form, SecretSeverity};
use becket_project::files;
use becket_project::walk::rules::is_environment;
use becket_project::walk::{Role, walk_all};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::fault::{denied, not_put};
use super::written;
use crate::repository::sentence;
use crate::sandbox::refused_link;
use crate::{Engine, Error};

const STAMPIGNORE: &str = ".stampignore";
const CONFIG: &str = ".logicstamp/config.json";
const REPORT: &str = "stamp_security_report.json";
const GUIDE: &str = "LLM_CONTEXT.md";
const BLOCK_START: &str = "# LogicStamp context files";
const IGNORED: &[&str] = &[
    "context.json",
    "context_*.json",
    "context.ndjson",
    "context.toon",
    "context_*.toon",
    ".logicstamp/",
    "stamp_security_report.json",
];
/// Beside source files, these are where secrets are found.
const SCANNED: &[&str] = &["json"];
/// How texts stand without quotes, by the endings of files that have such texts.
const UNQUOTED: &[(&str, Form)] = &[
    ("yml", Form::Yaml),
    ("yaml", Form::Yaml),
    ("toml", Form::Properties),
    ("properties", Form::Properties),
    ("ini", Form::Properties),
    ("cfg", Form::Properties),
    ("conf", Form::Properties),
    ("npmrc", Form::Properties),
    // It sets an environment, too.
    ("sh", Form::Environment),
];
const LARGEST: u64 = 10 * 1024 * 1024;

#[derive(Debug, Clone, Default)]
pub struct ScanRequest {
    pub path: Option<String>,
    /// Write the report beside the sources.
    pub keep_report: bool,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScanReport {
    #[serde(rename = "type")]
    pub type_name: String,
    pub schema_version: String,
    pub created_at: String,
    pub project_root: String,
    pub files_scanned: usize,
    pub secrets_found: usize,
    pub matches: Vec<SecretFinding>,
    pub files_with_secrets: Vec<String>,
    /// What should have been scanned and was not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_scanned: Vec<NotScanned>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NotScanned {
    pub file: String,
    pub reason: String,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretFinding {
    pub file: String,
    pub line: u32,
    pub column: u32,
    #[serde(rename = "type")]
    pub rule: String,
    /// Never the secret itself.
    pub snippet: String,
    pub severity: String,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IgnoreReport {
    pub added: Vec<String>,
    pub already: Vec<String>,
    pub patterns: Vec<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StampInitReport {
    pub steps: Vec<String>,
    /// Unless it was not wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scan: Option<ScanReport>,
}

#[derive(Debug, Clone, Default)]
pub struct StampInitRequest {
    pub path: Option<String>,
    /// Leave `.gitignore` as it is.
    pub skip_gitignore: bool,
    /// Do not look for secrets.
    pub skip_scan: bool,
}

/// Rules behind a link hold for nobody, and it may have come with a clone: what it leads to is not read.
fn no_link(path: &Path) -> Result<(), Error> {
    match becket_fence::no_link(path).map_err(|error| refused_link(&error)) {
        Err(Some(refused)) => Err(refused),
        _ => Ok(()),
    }
}

/// The bytes of a file that is written again with what is added to it: what cannot be read would be lost.
fn bytes_at(path: &Path) -> Result<Vec<u8>, Error> {
    let bytes =
        files::read(path, LARGEST).map_err(|error| denied(path, &error).unwrap_or_else(|| not_put(error)));
    Ok(bytes?.unwrap_or_default())
}

fn severity(severity: SecretSeverity) -> &'static str {
    match severity {
        SecretSeverity::High => "high",
        SecretSeverity::Medium => "medium",
        SecretSeverity::Low => "low",
    }
}

impl Engine {
    /// Looks for secrets in sources and settings, and writes the report beside them.
    pub fn security_scan(&self, request: &ScanRequest) -> Result<ScanReport, Error> {
        let site = self.site(request.path.as_deref())?;
        let folder = site.folder();
        let walked = walk_all(&folder).map_err(|error| {
            Error::unavailable("tree_unreadable", sentence(&error.to_string()))
                .with_hint("Check the folder.")
                .with_source(error)
        })?;
        let mut matches = Vec::new();
        let mut scanned = 0;
        let skipped =
            |file: &str, reason: &str| NotScanned { file: file.to_owned(), reason: reason.to_owned() };
        let mut not_scanned: Vec<NotScanned> =
            walked.problems.iter().map(|problem| skipped(&problem.path, &problem.message)).collect();
        for file in &walked.files {
            let ending = file.path.rsplit('.').next().unwrap_or_default();
            let environment = is_environment(file.path.rsplit('/').next().unwrap_or_default());
            let known = UNQUOTED.iter().find(|(known, _)| *known == ending).map(|(_, form)| *form);
            let form = if environment { Some(Form::Environment) } else { known };
            let looked_at = matches!(file.role, Role::Source | Role::LeftOut)
                || form.is_some()
                || SCANNED.contains(&ending);
            let lock = file.role == Role::Control && file.path.contains("lock");
            if !looked_at || lock || file.path.ends_with(REPORT) {
                continue;
            }
            if file.stamp.size > LARGEST {
                not_scanned.push(skipped(&file.path, "larger than 10 MiB"));
                continue;
            }
            let Some(text) = written::source(&folder.join(&*file.path)) else {
                not_scanned.push(skipped(&file.path, "it could not be read"));
                continue;
            };
            scanned += 1;
            let found = match form {
                Some(form) => secrets::scan_unquoted(&text, form),
                None => secrets::scan(&text),
            };
            matches.extend(found.into_iter().map(|secret| SecretFinding {
                file: file.path.to_string(),
                line: secret.line,
                column: secret.column,
                rule: secret.rule,
                snippet: secret.snippet,
                severity: severity(secret.severity).to_owned(),
            }));
        }
        let mut with: Vec<String> = matches.iter().map(|one| one.file.clone()).collect();
        with.dedup();
        let report = ScanReport {
            type_name: "LogicStampSecurityReport".to_owned(),
            schema_version: "0.1".to_owned(),
            created_at: self.now().to_string(),
            project_root: ".".to_owned(),
            files_scanned: scanned,
            secrets_found: matches.len(),
            matches,
            files_with_secrets: with,
            not_scanned,
        };
        if request.keep_report {
            let text = serde_json::to_string_pretty(&report).unwrap_or_default() + "\n";
            files::write(&folder.join(REPORT), text.as_bytes()).map_err(not_put)?;
        }
        Ok(report)
    }

    /// Removes the report of a scan; says whether there was one.
    pub fn security_reset(&self, path: Option<&str>) -> Result<bool, Error> {
        let report = self.site(path)?.folder().join(REPORT);
        let there = report.is_file();
        files::remove(&report).map_err(not_put)?;
        Ok(there)
    }

    /// Adds patterns to `.stampignore`.
    pub fn stamp_ignore(&self, patterns: &[String]) -> Result<IgnoreReport, Error> {
        let folder = self.site(None)?.folder();
        let path = folder.join(STAMPIGNORE);
        no_link(&path)?;
        // Read as the rules are, whatever an editor put before it.
        let bytes = bytes_at(&path)?;
        let text = decoded(&bytes);
        let mut document: Value = match text.trim_start_matches('\u{feff}') {
            text if text.trim().is_empty() => json!({"ignore": []}),
            text => serde_json::from_str(text).map_err(|error| {
                Error::invalid("stampignore_broken", format!(".stampignore is not JSON: {error}."))
                    .with_hint("It has the form {\"ignore\": [\"path-or-glob\"]}; mend it by hand.")
            })?,
        };
        let list = document.get_mut("ignore").and_then(Value::as_array_mut).ok_or_else(|| {
            Error::invalid("stampignore_broken", ".stampignore has no list `ignore`.")
                .with_hint("It has the form {\"ignore\": [\"path-or-glob\"]}.")
        })?;
        let (mut added, mut already) = (Vec::new(), Vec::new());
        for pattern in patterns {
            let pattern = self.pattern_at(&folder, pattern)?;
            if list.iter().any(|known| known.as_str() == Some(&pattern)) {
                already.push(pattern);
            } else {
                list.push(pattern.clone().into());
                added.push(pattern);
            }
        }
        let patterns = list.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        if !added.is_empty() {
            let text = serde_json::to_string_pretty(&document).unwrap_or_default() + "\n";
            files::write(&path, text.as_bytes()).map_err(not_put)?;
        }
        Ok(IgnoreReport { added, already, patterns })
    }

    /// A pattern as it is read from the root: what is there is meant from where the caller stands, as in a shell.
    fn pattern_at(&self, root: &Path, pattern: &str) -> Result<String, Error> {
        let pattern = pattern.trim().replace('\\', "/");
        let refused = |why: &str| {
            let shown = becket_base::clip(&pattern, 120);
            Error::invalid("invalid_pattern", format!("`{shown}` {why}."))
                .with_hint("Name a path below the root of the project, or a glob like **/*.gen.ts.")
        };
        let trimmed = pattern.trim_end_matches('/');
        if trimmed.is_empty() {
            return Err(refused("names nothing"));
        }
        let here = &self.environment().current_dir;
        let here = here.canonicalize().unwrap_or_else(|_| here.clone());
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let mut place = here.clone();
        for part in Path::new(trimmed).components() {
            match part {
                Component::ParentDir => _ = place.pop(),
                Component::CurDir => {}
                other => place.push(other),
            }
        }
        let is_there = |path: &Path| path.symlink_metadata().is_ok();
        // What begins with a slash is from the root, as in .gitignore, unless it is the whole way there.
        let is_from_root = trimmed.starts_with('/')
            && !place.starts_with(&root)
            && (is_there(&root.join(trimmed.trim_start_matches('/'))) || !is_there(&place));
        let has_dots = trimmed.split('/').any(|part| matches!(part, "." | ".."));
        if is_from_root || !(has_dots || trimmed.starts_with('/') || is_there(&place)) {
            return Ok(pattern);
        }
        match place.strip_prefix(&root) {
            Ok(inside) if inside.as_os_str().is_empty() => Err(refused("would leave out everything")),
            Ok(inside) => {
                let inside = inside.to_string_lossy().replace('\\', "/");
                Ok(if pattern.ends_with('/') { inside + "/" } else { inside })
            }
            Err(_) => Err(refused("lies outside of the project")),
        }
    }

    /// What `stamp init` sets up: ignore rules, a guide for assistants, the configuration, and a first scan.
    pub fn stamp_init(&self, request: &StampInitRequest) -> Result<StampInitReport, Error> {
        let StampInitRequest { path, skip_gitignore, skip_scan } = request;
        let site = self.site(path.as_deref())?;
        let folder = site.folder();
        let mut steps = Vec::new();
        let gitignore = folder.join(".gitignore");
        if !skip_gitignore {
            no_link(&gitignore)?;
        }
        let mut rules = if *skip_gitignore { Vec::new() } else { bytes_at(&gitignore)? };
        let text = String::from_utf8_lossy(&rules).into_owned();
        if *skip_gitignore {
            steps.push(".gitignore is left as it is".to_owned());
        } else if text.lines().any(|line| line.trim() == BLOCK_START) {
            steps.push(".gitignore has the block already".to_owned());
        } else {
            let gap = if text.is_empty() || text.ends_with("\n\n") {
                ""
            } else if text.ends_with('\n') {
                "\n"
            } else {
                "\n\n"
            };
            rules.extend(format!("{gap}{BLOCK_START}\n{}\n", IGNORED.join("\n")).bytes());
            files::write(&gitignore, &rules).map_err(not_put)?;
            steps.push("added context files to .gitignore".to_owned());
        }
        match files::create(&folder.join(GUIDE), super::documents::GUIDE.as_bytes()) {
            Ok(()) => steps.push(format!("wrote {GUIDE}")),
            Err(files::FileError::Exists { .. }) => steps.push(format!("{GUIDE} is there already")),
            Err(error) => return Err(not_put(error)),
        }
        files::create_folder(&folder, std::path::Path::new(".logicstamp")).map_err(not_put)?;
        let config = json!({
            "gitignorePreference": if *skip_gitignore { "skipped" } else { "added" },
            "llmContextPreference": "added",
        });
        files::write(
            &folder.join(CONFIG),
            (serde_json::to_string_pretty(&config).unwrap_or_default() + "\n").as_bytes(),
        )
        .map_err(not_put)?;
        steps.push(format!("wrote {CONFIG}"));
        let request = ScanRequest { path: path.clone(), keep_report: true };
        let scan = if *skip_scan { None } else { Some(self.security_scan(&request)?) };
        if let Some(scan) = &scan {
            let (scanned, found) = (scan.files_scanned, scan.secrets_found);
            steps.push(format!("scanned {} for secrets: {found} found", counted(scanned, "file")));
        }
        Ok(StampInitReport { steps, scan })
    }
}
