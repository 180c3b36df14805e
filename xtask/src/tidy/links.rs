//! Holds the pages together: every relative link in a Markdown file names a file and, behind `#`, a heading.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::Finding;
use crate::tree::{Tree, has_extension};

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.markdown().flat_map(|page| check_page(tree, &page.path, &page.text)).collect()
}

fn check_page(tree: &Tree, path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, link) in links(text) {
        if link.contains("://") || link.starts_with("mailto:") {
            continue;
        }
        let (file, heading) =
            link.split_once('#').map_or((link.as_str(), None), |(file, heading)| (file, Some(heading)));
        let Some(target) = (if file.is_empty() { Some(path.to_owned()) } else { resolve(path, file) }) else {
            findings.push(Finding::at(path, line, format!("`{link}` leads out of the tree")));
            continue;
        };
        if !tree.contains(&target) {
            findings.push(Finding::at(path, line, format!("`{link}`: there is no {target}")));
            continue;
        }
        let (Some(heading), Some(page)) = (heading, tree.text(&target)) else { continue };
        if has_extension(&target, "md") && !anchors(page).iter().any(|anchor| anchor == heading) {
            findings.push(Finding::at(path, line, format!("`{link}`: {target} has no such heading")));
        }
    }
    findings
}

fn links(text: &str) -> Vec<(usize, String)> {
    let parser = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
    let line = |offset: usize| text[..offset].matches('\n').count() + 1;
    parser
        .filter_map(|(event, range)| match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                Some((line(range.start), dest_url.to_string()))
            }
            _ => None,
        })
        .collect()
}

/// The path that `link` names from the page `from`, unless it leaves the tree.
fn resolve(from: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = if link.starts_with('/') { Vec::new() } else { from.split('/').collect() };
    parts.pop();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The anchors of a page's headings, as GitHub makes them.
fn anchors(text: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    let mut heading: Option<String> = None;
    for event in Parser::new(text) {
        match (event, &mut heading) {
            (Event::Start(Tag::Heading { .. }), _) => heading = Some(String::new()),
            (Event::Text(words) | Event::Code(words), Some(title)) => title.push_str(&words),
            (Event::End(TagEnd::Heading(_)), Some(title)) => {
                let anchor = anchor(title);
                let repeats = anchors.iter().filter(|known| strip_number(known) == anchor).count();
                anchors.push(if repeats == 0 { anchor } else { format!("{anchor}-{repeats}") });
                heading = None;
            }
            _ => {}
        }
    }
    anchors
}

fn anchor(title: &str) -> String {
    title
        .chars()
        .filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'))
        .map(|letter| if letter == ' ' { '-' } else { letter })
        .flat_map(char::to_lowercase)
        .collect()
}

fn strip_number(anchor: &str) -> &str {
    match anchor.rsplit_once('-') {
        Some((stem, number)) if number.parse::<usize>().is_ok() => stem,
        _ => anchor,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    #[test]
    fn dead_links_fail() {
        let page = "# Page\n\n[gone](gone.md), [up](../../up.md) and [no](b.md#nowhere)\n\n![picture](../img/no.png)\n\n[r]\n\n[r]: #lost\n";
        let files = [("docs/a.md", page), ("docs/b.md", "# Else\n")];
        assert_eq!(
            found(check, &files),
            [
                "docs/a.md:3: `gone.md`: there is no docs/gone.md",
                "docs/a.md:3: `../../up.md` leads out of the tree",
                "docs/a.md:3: `b.md#nowhere`: docs/b.md has no such heading",
                "docs/a.md:5: `../img/no.png`: there is no img/no.png",
                "docs/a.md:7: `#lost`: docs/a.md has no such heading",
            ]
        );
    }

    #[test]
    fn live_links_pass() {
        let page = "# The `--http` flag, twice\n\n[self](#the---http-flag-twice) [b](../docs/b.md#two-1) [folder](../docs)
[code](/crates/a.rs#L3) [out](https://example.org/x.md)\n\n```\n[not](a-link.md)\n```\n`[nor](this.md)`\n";
        let files = [("docs/a.md", page), ("docs/b.md", "## Two\n\n## Two\n"), ("crates/a.rs", "")];
        assert_eq!(found(check, &files), Vec::<String>::new());
    }
}
