//! Strict watching: what has been broken since the session began, in the words and the counts of the original's report.
//! A violation that is taken back is resolved; the counters of the session remember that it was there.

use std::collections::{BTreeMap, BTreeSet};

use becket_contracts::compare::{Change, Comparison, DeclarationChange, FileChange, Verdict};
use becket_contracts::model::{Contract, ContractDeclaration, DeclarationKind, Member};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

const PROP_REMOVED: &str = "breaking_change_prop_removed";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ViolationSeverity {
    Error,
    Warning,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Violation {
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub severity: ViolationSeverity,
    pub entry_id: String,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
}

/// `.logicstamp/strict_watch_violations.json`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StrictReport {
    pub active: bool,
    pub started_at: String,
    pub cumulative_violations: usize,
    pub cumulative_errors: usize,
    pub cumulative_warnings: usize,
    pub total_errors_detected: usize,
    pub total_warnings_detected: usize,
    pub resolved_count: usize,
    pub regeneration_count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_check: Option<StrictCheck>,
}

/// What is broken now.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StrictCheck {
    pub timestamp: String,
    pub total_violations: usize,
    pub errors: usize,
    pub warnings: usize,
    pub violations: Vec<Violation>,
    pub changed_files: Vec<String>,
}

impl StrictReport {
    pub(super) fn new(started_at: String) -> Self {
        Self {
            active: true,
            started_at,
            cumulative_violations: 0,
            cumulative_errors: 0,
            cumulative_warnings: 0,
            total_errors_detected: 0,
            total_warnings_detected: 0,
            resolved_count: 0,
            regeneration_count: 0,
            last_check: None,
        }
    }

    /// Errors that stand now.
    pub fn active_errors(&self) -> usize {
        self.last_check.as_ref().map_or(0, |check| check.errors)
    }

    /// Takes in what is broken now, and counts what is new and what is mended.
    pub(super) fn check(&mut self, timestamp: String, violations: Vec<Violation>, changed_files: &[String]) {
        let errors = violations.iter().filter(|one| one.severity == ViolationSeverity::Error).count();
        let warnings = violations.len() - errors;
        let before = self.last_check.take().map(|check| check.violations).unwrap_or_default();
        self.regeneration_count += 1;
        let (new_errors, new_warnings) = lacking(&violations, &before);
        self.total_errors_detected += new_errors;
        self.total_warnings_detected += new_warnings;
        let (mended_errors, mended_warnings) = lacking(&before, &violations);
        self.resolved_count += mended_errors + mended_warnings;
        self.cumulative_violations = violations.len();
        self.cumulative_errors = errors;
        self.cumulative_warnings = warnings;
        self.last_check = (!violations.is_empty()).then(|| StrictCheck {
            timestamp,
            total_violations: violations.len(),
            errors,
            warnings,
            violations,
            changed_files: changed_files.to_vec(),
        });
    }
}

/// How many errors and warnings of `these` are not among `those`. One that only says it otherwise is the same.
fn lacking(these: &[Violation], those: &[Violation]) -> (usize, usize) {
    let mut left: BTreeMap<_, usize> = BTreeMap::new();
    for one in those {
        *left.entry(one.key()).or_default() += 1;
    }
    let (mut errors, mut warnings) = (0, 0);
    for one in these {
        match left.get_mut(&one.key()) {
            Some(count) if *count > 0 => *count -= 1,
            _ if one.is_error() => errors += 1,
            _ => warnings += 1,
        }
    }
    (errors, warnings)
}

impl Violation {
    fn is_error(&self) -> bool {
        self.severity == ViolationSeverity::Error
    }

    fn name(&self) -> Option<&str> {
        self.details.as_ref()?["name"].as_str()
    }

    /// Of the declaration that `name` is of.
    fn prop(&self) -> Option<&str> {
        self.details.as_ref()?["prop"].as_str()
    }

    /// By which it is known again.
    fn key(&self) -> (&str, &'static str, Option<&str>, Option<&str>, bool) {
        (&self.entry_id, self.kind, self.name(), self.prop(), self.is_error())
    }
}

/// `old` and `new` give the contract of a file at the beginning of the session and now, `judge` compares with others in the
/// place of these.
pub(super) fn violations<'a>(
    comparison: &Comparison,
    old: &dyn Fn(&str) -> Option<&'a Contract>,
    new: &dyn Fn(&str) -> Option<&'a Contract>,
    judge: &dyn Fn(&Contract, &Contract) -> Comparison,
) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in &comparison.files {
        if file.change == Change::Removed {
            found.push(Violation {
                kind: "contract_removed",
                severity: ViolationSeverity::Error,
                entry_id: file.entry_id.clone(),
                message: format!("{} is gone", file.entry_id),
                details: None,
            });
            continue;
        }
        let was = old(file.moved_from.as_deref().unwrap_or(&file.entry_id));
        let (Some(was), Some(is)) = (was, new(&file.entry_id)) else { continue };
        let own = names(file, was, is);
        // A warning of the same does not say that it is broken.
        let errors = || own.iter().filter(|one| one.is_error());
        let named = |name: &str| errors().any(|one| one.name() == Some(name));
        let told = |prop: &str| errors().any(|one| one.kind == PROP_REMOVED && one.name() == Some(prop));
        // What the original cannot see: a changed signature, a removed export, a prop that is required now.
        let more = file
            .declarations
            .iter()
            .filter(|one| one.verdict == Verdict::Breaking && !named(&one.name))
            .flat_map(|one| prop_by_prop(one, (was, is), judge))
            .filter(|(prop, _)| !prop.as_deref().is_some_and(told))
            .map(|(prop, one)| {
                let mut details = json!({"name": one.name, "oldValue": one.before, "newValue": one.after});
                if let (Some(prop), Some(details)) = (prop, details.as_object_mut()) {
                    details.insert("prop".to_owned(), prop.into());
                }
                Violation {
                    kind: "breaking_change_signature",
                    severity: ViolationSeverity::Error,
                    entry_id: file.entry_id.clone(),
                    message: format!("{} {}: {}", one.kind, one.name, one.reason),
                    details: Some(details),
                }
            });
        let more: Vec<Violation> = more.collect();
        found.extend(own);
        found.extend(more);
    }
    found
}

/// What breaks of a component, each prop by itself, and what is not about its props. A change that cannot be taken apart is
/// one.
fn prop_by_prop(
    change: &DeclarationChange,
    (was, is): (&Contract, &Contract),
    judge: &dyn Fn(&Contract, &Contract) -> Comparison,
) -> Vec<(Option<String>, DeclarationChange)> {
    let component = |contract: &Contract| {
        let is_it =
            |one: &ContractDeclaration| one.name == change.name && one.kind == DeclarationKind::Component;
        contract.declarations.iter().position(is_it)
    };
    let whole = || vec![(None, change.clone())];
    let (Some(old), Some(new)) = (component(was), component(is)) else { return whole() };
    let props =
        |contract: &Contract, at: usize| -> Vec<Vec<Member>> { contract.declarations[at].props.clone() };
    let (before, after) = (props(was, old), props(is, new));
    let of = |variants: &[Vec<Member>], name: &str| -> Vec<Option<Member>> {
        let find = |members: &Vec<Member>| members.iter().find(|prop| prop.name == name).cloned();
        variants.iter().map(find).collect()
    };
    let names: BTreeSet<&str> = before.iter().chain(&after).flatten().map(|prop| &*prop.name).collect();
    let differing: Vec<&str> =
        names.into_iter().filter(|name| of(&before, name) != of(&after, name)).collect();
    let with = |contract: &Contract, at: usize, keeps: &dyn Fn(&str) -> bool| {
        let mut contract = contract.clone();
        for variant in &mut contract.declarations[at].props {
            variant.retain(|prop| keeps(&prop.name));
        }
        contract
    };
    let breaks = |keeps: &dyn Fn(&str) -> bool| {
        let comparison = judge(&with(was, old, keeps), &with(is, new, keeps));
        let files = comparison.files.into_iter().filter(|file| file.entry_id == is.entry_id);
        let is_it = |one: &DeclarationChange| one.name == change.name && one.verdict == Verdict::Breaking;
        files.flat_map(|file| file.declarations).find(is_it)
    };
    let by_prop =
        differing.iter().filter_map(|prop| Some((Some((*prop).to_owned()), breaks(&|name| name == *prop)?)));
    let rest = breaks(&|name| !differing.contains(&name)).map(|one| (None, one));
    let found: Vec<_> = by_prop.chain(rest).collect();
    if found.is_empty() { whole() } else { found }
}

/// What the original tells by the names alone.
fn names(file: &FileChange, was: &Contract, is: &Contract) -> Vec<Violation> {
    use ViolationSeverity::{Error, Warning};
    let mut found = Vec::new();
    // What is nobody else's concern breaks nothing.
    let is_private = file.verdict == Verdict::Internal;
    let is_broken =
        |name: &str| file.declarations.iter().any(|one| one.name == name && one.verdict == Verdict::Breaking);
    let mut add = |kind: &'static str, severity, message: String, details: Value| {
        let severity = if is_private { Warning } else { severity };
        let entry_id = file.entry_id.clone();
        found.push(Violation { kind, severity, entry_id, message, details: Some(details) });
    };
    let (before, after) = (&was.logic_signature, &is.logic_signature);
    for (name, old) in before.props.iter() {
        match after.props.get(name) {
            None => add(
                PROP_REMOVED,
                Error,
                format!("prop `{name}` was removed"),
                json!({"name": name, "oldValue": old}),
            ),
            Some(new) if new != old => add(
                "breaking_change_prop_type",
                Warning,
                format!("prop `{name}` has another type"),
                json!({"name": name, "oldValue": old, "newValue": new}),
            ),
            Some(_) => {}
        }
    }
    for (name, old) in before.emits.iter().filter(|(name, _)| !after.emits.contains_key(name)) {
        let message = format!("event `{name}` was removed");
        add("breaking_change_event_removed", Error, message, json!({"name": name, "oldValue": old}));
    }
    for (name, old) in before.state.iter().filter(|(name, _)| !after.state.contains_key(name)) {
        let message = format!("state `{name}` was removed");
        add("breaking_change_state_removed", Warning, message, json!({"name": name, "oldValue": old}));
    }
    for name in was.version.functions.iter().filter(|name| !is.version.functions.contains(name)) {
        let message = format!("function `{name}` was removed");
        let severity = if is_broken(name) { Error } else { Warning };
        add("breaking_change_function_removed", severity, message, json!({"name": name}));
    }
    for name in was.version.variables.iter().filter(|name| !is.version.variables.contains(name)) {
        let message = format!("variable `{name}` was removed");
        add("breaking_change_variable_removed", Warning, message, json!({"name": name}));
    }
    found
}
