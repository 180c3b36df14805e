//! Filling a host's form: its headings stay, and under each goes what it asks for. What no heading asks for follows at
//! the end, so that nothing is left unsaid.

use std::fmt::Write as _;

use super::Section;

/// Words of a heading and the section that answers it, the more particular first.
const ASKED: &[(&str, &[&str])] = &[
    ("checks", &["test", "verif", "qa", "how to try"]),
    ("contracts", &["breaking", "api", "contract", "compatib", "migration"]),
    ("tasks", &["issue", "ticket", "task", "related", "closes", "fixes", "reference", "link"]),
    ("notes", &["note", "context", "decision", "background"]),
    ("commits", &["commit", "change log", "changelog", "detail"]),
    (
        "summary",
        &["summary", "description", "what", "why", "overview", "change", "purpose", "motivation", "proposed"],
    ),
];

pub(super) fn fill(form: &str, sections: &[Section]) -> String {
    let mut text = String::new();
    let mut used: Vec<&str> = Vec::new();
    let mut fence = false;
    let mut comment = false;
    for line in form.lines() {
        text.push_str(line);
        text.push('\n');
        if line.trim_start().starts_with("```") {
            fence = !fence;
        }
        // A heading inside a comment is for the person who reads the form.
        let began_in_comment = comment;
        comment = comment_goes_on(line, comment);
        let Some(heading) = heading(line).filter(|_| !fence && !began_in_comment) else { continue };
        let asked = |(key, words): &&(&'static str, &[&str])| {
            !used.contains(key) && words.iter().any(|word| heading.contains(word))
        };
        let Some((key, _)) = ASKED.iter().find(asked) else { continue };
        if let Some(section) = sections.iter().find(|section| section.key == *key) {
            let _ = write!(text, "\n{}\n\n", section.text);
            used.push(key);
        }
    }
    for section in sections.iter().filter(|section| !used.contains(&section.key)) {
        let _ = write!(text, "\n## {}\n\n{}\n", section.heading, section.text);
    }
    text
}

/// In lower case. A line that is all bold is taken for one too.
fn heading(line: &str) -> Option<String> {
    let line = line.trim();
    let hashes = line.trim_start_matches('#');
    let level = line.len() - hashes.len();
    if (1..=6).contains(&level) && hashes.starts_with(' ') {
        return Some(hashes.trim().to_lowercase());
    }
    let bold = line.strip_prefix("**")?.trim_end_matches(':').strip_suffix("**")?;
    Some(bold.trim_end_matches(':').to_lowercase())
}

fn comment_goes_on(line: &str, before: bool) -> bool {
    match (line.rfind("<!--"), line.rfind("-->")) {
        (Some(begin), Some(end)) => begin > end,
        (Some(_), None) => true,
        (None, Some(_)) => false,
        (None, None) => before,
    }
}
