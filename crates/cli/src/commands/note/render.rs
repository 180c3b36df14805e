//! Entries as a person reads them. What an entry says is shown with its unseen characters made visible, so that no text
//! can steer the terminal.

use std::fmt::Write;

use becket_engine::remember::{
    CheckReport, CommitView, CreatedEntry, EntryView, Explanation, Freshness, Listed, RefsAnswer,
    RenumberReport, SearchResults,
};
use owo_colors::OwoColorize;

use crate::ui::visible;

/// Lines of text; writing to a string does not fail.
#[derive(Debug, Default)]
pub(in crate::commands) struct Lines(String);

impl Lines {
    pub(in crate::commands) fn line(&mut self, words: std::fmt::Arguments<'_>) {
        writeln!(self.0, "{words}").ok();
    }

    pub(in crate::commands) fn text(self) -> String {
        self.0
    }
}

pub(super) fn created(entry: &CreatedEntry) -> String {
    let mut lines = Lines::default();
    lines.line(format_args!("{}", entry.file));
    lines.line(format_args!("put beside the code: {}", entry.comment));
    for warning in &entry.warnings {
        lines.line(format_args!("{} {}", "warning:".yellow(), visible(warning)));
    }
    for flag in &entry.flags {
        lines.line(format_args!(
            "line {}: {} {}",
            flag.line,
            flag.kind.replace('_', " "),
            visible(&flag.detail)
        ));
    }
    lines.text()
}

pub(in crate::commands) fn entry(entry: &EntryView) -> String {
    let mut lines = Lines::default();
    lines.line(format_args!("{} {} [{}]", entry.reference.bold(), visible(&entry.title), state(entry.state)));
    for notice in &entry.notices {
        lines.line(format_args!("{} {}", "notice:".yellow(), visible(notice)));
    }
    let facts = [
        ("author", entry.author.clone()),
        ("created", entry.created.clone()),
        ("commit", entry.commit.as_ref().map(commit)),
        ("task", entry.task.clone()),
        ("supersedes", joined(&entry.supersedes)),
        ("relates", joined(&entry.relates)),
        (
            "verified",
            entry.verified.as_ref().map(|one| match (&one.author, &one.note) {
                (Some(author), Some(note)) => format!("{} by {author}: {note}", one.at),
                (Some(author), None) => format!("{} by {author}", one.at),
                (None, Some(note)) => format!("{}: {note}", one.at),
                (None, None) => one.at.clone(),
            }),
        ),
    ];
    for (name, value) in facts {
        if let Some(value) = value {
            lines.line(format_args!("{name:<10} {}", visible(&value)));
        }
    }
    for anchor in &entry.anchors {
        let now = anchor.now.as_deref().map(|now| format!(", now {now}")).unwrap_or_default();
        let by = anchor.by.as_ref().map(|by| format!(", by {}", commit(by))).unwrap_or_default();
        lines.line(format_args!(
            "cites      {} [{}{now}{}]",
            visible(&anchor.anchor),
            state(anchor.state),
            visible(&by)
        ));
    }
    for one in &entry.references {
        let by = one.by.as_ref().map(|by| format!(", by {}", commit(by))).unwrap_or_default();
        lines.line(format_args!(
            "code       {}:{} [{}{}]",
            visible(&one.file),
            one.line,
            state(one.state),
            visible(&by)
        ));
    }
    lines.line(format_args!("\n{}", visible(entry.markdown.trim_end())));
    lines.text()
}

pub(super) fn list(listed: &Listed) -> String {
    let mut lines = Lines::default();
    for row in &listed.entries {
        let successor =
            row.superseded_by.as_deref().map(|by| format!(" (superseded by {by})")).unwrap_or_default();
        lines.line(format_args!(
            "{} {:<10} {}{successor}",
            row.reference,
            state(row.state),
            visible(&row.title)
        ));
    }
    for one in &listed.unreadable {
        lines.line(format_args!("{} {}", "unreadable:".red(), visible(&one.reason)));
    }
    if listed.entries.is_empty() && listed.unreadable.is_empty() {
        lines.line(format_args!("No entries."));
    }
    more(&mut lines, listed.next_cursor.as_deref());
    lines.text()
}

pub(super) fn results(found: &SearchResults) -> String {
    let mut lines = Lines::default();
    for row in &found.results {
        let successor =
            row.superseded_by.as_deref().map(|by| format!(" (superseded by {by})")).unwrap_or_default();
        lines.line(format_args!(
            "{} {:<10} {}{successor}",
            row.reference,
            state(row.state),
            visible(&row.title)
        ));
        if row.snippet != row.title {
            lines.line(format_args!("    {}", visible(&row.snippet)));
        }
    }
    if found.results.is_empty() {
        lines.line(format_args!("Nothing found."));
    }
    for warning in &found.warnings {
        lines.line(format_args!("{} {}", "warning:".yellow(), visible(warning)));
    }
    more(&mut lines, found.next_cursor.as_deref());
    lines.text()
}

fn more(lines: &mut Lines, cursor: Option<&str>) {
    if let Some(cursor) = cursor {
        lines.line(format_args!("more: --cursor {cursor}"));
    }
}

pub(super) fn refs(answer: &RefsAnswer) -> String {
    let mut lines = Lines::default();
    for one in &answer.explanations {
        explanation(&mut lines, one);
    }
    for one in &answer.references {
        let declaration = one.declaration.as_deref().map(|name| format!(" in {name}")).unwrap_or_default();
        lines.line(format_args!(
            "{}:{}{} [{}]",
            visible(&one.file),
            one.line,
            visible(&declaration),
            state(one.state)
        ));
    }
    for one in &answer.anchors {
        lines.line(format_args!("cites {} [{}]", visible(&one.anchor), state(one.state)));
    }
    for one in &answer.dangling {
        lines.line(format_args!(
            "{} {}:{} refers to {}",
            "dangling:".red(),
            visible(&one.file),
            one.line,
            one.reference
        ));
    }
    for row in &answer.orphans {
        lines.line(format_args!("{} {} {}", "orphan:".yellow(), row.reference, visible(&row.title)));
    }
    if let Some(cut) = &answer.cut {
        lines.line(format_args!("{cut}"));
    }
    let text = lines.text();
    if text.is_empty() { "Nothing.".to_owned() } else { text }
}

pub(in crate::commands) fn explanation(lines: &mut Lines, one: &Explanation) {
    let declaration = one.declaration.as_deref().map(|name| format!(" ({name})")).unwrap_or_default();
    lines.line(format_args!(
        "{} {} [{}]: {}{}",
        one.reference.bold(),
        visible(&one.title),
        state(one.state),
        visible(&one.place),
        visible(&declaration)
    ));
    if let Some(since) = &one.since {
        lines.line(format_args!("    written by {}", visible(&commit(since))));
    }
    if let Some(by) = &one.by {
        lines.line(format_args!("    changed by {}", visible(&commit(by))));
    }
    if let Some(successor) = &one.superseded_by {
        lines.line(format_args!("    superseded by {successor}"));
    }
}

pub(super) fn findings(report: &CheckReport) -> String {
    let mut lines = Lines::default();
    for one in &report.findings {
        let place = one.line.map_or_else(|| one.file.clone(), |line| format!("{}:{line}", one.file));
        lines.line(format_args!(
            "{}: {}: {} [{}]",
            visible(&place),
            one.level.as_str(),
            visible(&one.message),
            one.code
        ));
    }
    for notice in &report.notices {
        lines.line(format_args!("{notice}"));
    }
    lines.line(format_args!(
        "entries checked: {}; errors: {}, warnings: {}, notes: {}",
        report.entries, report.errors, report.warnings, report.notes
    ));
    lines.text()
}

pub(super) fn renumbered(report: &RenumberReport) -> String {
    let mut lines = Lines::default();
    match (&report.to, &report.new_file) {
        (Some(to), Some(file)) => {
            lines.line(format_args!("{} is now {to} ({} is {file})", report.from, report.file));
        }
        _ => lines.line(format_args!("{} would move to a free number", report.file)),
    }
    for one in &report.rewritten {
        let verb = if report.dry_run { "would be rewritten" } else { "rewritten" };
        lines.line(format_args!("{verb}: {}:{} ({})", visible(&one.file), one.line, one.reason));
    }
    for one in &report.left {
        lines.line(format_args!("{} {}:{} ({})", "left:".yellow(), visible(&one.file), one.line, one.reason));
    }
    for notice in &report.notices {
        lines.line(format_args!("{}", visible(notice)));
    }
    lines.text()
}

pub(in crate::commands) fn commit(view: &CommitView) -> String {
    format!(
        "{} {} ({}, {})",
        view.commit.get(..10).unwrap_or(&view.commit),
        view.subject,
        view.author,
        view.at
    )
}

fn joined(references: &[String]) -> Option<String> {
    (!references.is_empty()).then(|| references.join(", "))
}

fn state(state: Freshness) -> &'static str {
    state.as_str()
}
