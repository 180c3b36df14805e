//! A plan as text for people: a line per file, and under it what changes. Knows no terminal.

use super::place::Scope;
use super::plan::{PlannedFile, SetupPlan, Step};

/// Unchanged lines shown around a change.
const CONTEXT: usize = 2;

pub(super) fn listing(plan: &SetupPlan) -> String {
    let mut lines = Vec::new();
    for file in &plan.files {
        lines.push(summary(file));
        lines.extend(file.diff.lines().map(|line| format!("    {line}")));
    }
    lines.extend(plan.notes.iter().map(|note| format!("note: {note}")));
    lines.iter().map(|line| line.to_owned() + "\n").collect()
}

fn summary(file: &PlannedFile) -> String {
    let (verb, more) = match &file.step {
        Step::Create => ("create", String::new()),
        Step::Insert => ("insert", String::new()),
        Step::Update => ("update", String::new()),
        Step::AlreadyThere => ("already there", String::new()),
        Step::Differs { ours, .. } => ("differs", format!(": kept as it is; becket would write {ours}")),
        Step::SameFile { owner } => ("same file", format!(": a link leads to the file of {owner}")),
        Step::Delete => ("delete", String::new()),
        Step::Restore => ("restore", String::new()),
        Step::TakeOut => ("take out", String::new()),
        Step::NothingThere => ("nothing there", String::new()),
        Step::Left { reason } => ("left", format!(": {reason}")),
    };
    let owner = (!file.shown.eq_ignore_ascii_case(&file.owner)).then(|| file.owner.clone());
    let scope = (file.scope == Scope::User).then(|| "user file".to_owned());
    let toolsets =
        file.toolsets.as_ref().map(|names| format!("toolsets within its limit: {}", names.join(",")));
    let about: Vec<String> = [owner, scope, toolsets].into_iter().flatten().collect();
    let about = if about.is_empty() { String::new() } else { format!(" ({})", about.join(", ")) };
    format!("{verb} {}{about}{more}", file.shown)
}

/// The lines that differ. Our edits are one stretch of lines, so what is common at both ends is all that is common.
pub(super) fn diff(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    if old.len() == head + tail && new.len() == head + tail {
        return String::new();
    }
    let mut out = String::new();
    let mut push = |sign: char, lines: &[&str]| {
        for line in lines {
            out.push(sign);
            out.push_str(line);
            out.push('\n');
        }
    };
    push(' ', &old[head.saturating_sub(CONTEXT)..head]);
    push('-', &old[head..old.len() - tail]);
    push('+', &new[head..new.len() - tail]);
    push(' ', &old[old.len() - tail..old.len().min(old.len() - tail + CONTEXT)]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_shows_the_change_and_a_little_around_it() {
        let diff = diff("1\n2\n3\n4\n5\n6\n", "1\n2\n3\nx\n5\n6\n");
        insta::assert_snapshot!(diff, @r"
         2
         3
        -4
        +x
         5
         6
        ");
        assert_eq!(super::diff("a\n", "a\n"), "");
    }
}
