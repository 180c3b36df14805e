//! Writing down a reason: measured, screened, compared with what is there, then kept for good.

use std::collections::BTreeMap;

use becket_base::counted;
use becket_memory::{
    Entry, FrontMatter,
    anchor::Anchor,
    entry::count_lines,
    log::{Baseline, Link},
    screen::{Flag, flags, secrets},
    search::Document,
    vault::{Draft, Listed},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    desk::{Desk, FOLDER},
    meaning::{Among, Asked, Meaning},
    place::Scope,
};
use crate::{Engine, Error, repository::sentence};

/// A new entry.
#[derive(Debug, Clone, Default)]
pub struct CreateRequest {
    pub markdown: String,
    /// Entries that this one replaces.
    pub supersedes: Vec<String>,
    pub relates: Vec<String>,
    pub task: Option<String>,
    pub author: Option<String>,
    /// Places in the code that it explains: `file`, `file#declaration`, `file:10-20`.
    pub anchors: Vec<String>,
    pub worktree: Option<String>,
}

/// It is on disk.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreatedEntry {
    /// The file's name in `.context/`.
    pub file: String,
    /// How code refers to it.
    #[serde(rename = "ref")]
    pub reference: String,
    pub title: String,
    /// The comment to put beside the code.
    pub comment: String,
    /// The digest of its content, by which a later alteration is noticed.
    pub hash: String,
    /// What the writer should know; empty when all is well.
    pub warnings: Vec<String>,
    /// Entries that say nearly the same, likest first.
    pub similar: Vec<SimilarEntry>,
    /// What a reader of this entry will be told to beware of.
    pub flags: Vec<FlagView>,
    pub scope: Scope,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SimilarEntry {
    #[serde(rename = "ref")]
    pub reference: String,
    pub file: String,
    pub title: String,
    /// From 0 to 1: the share of their rarer words that both have, or how alike embeddings say they are, if that is more.
    pub likeness: f32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlagView {
    /// `control_character`, `bidirectional_character`, `invisible_character` or `order_to_agent`.
    pub kind: String,
    /// Line of the entry.
    pub line: usize,
    pub detail: String,
}

impl From<Flag> for FlagView {
    fn from(flag: Flag) -> Self {
        Self { kind: flag.kind.as_str().to_owned(), line: flag.line, detail: flag.detail }
    }
}

const LONGEST_WORD: usize = 200;
const MOST_LINKS: usize = 100;
const MOST_SIMILAR: usize = 5;
/// Texts that models put this close say the same in other words.
const NEAR_IN_MEANING: f32 = 0.9;
/// Longer ones are refused anyway, unless the user has raised the limit far.
const LONGEST_COMPARED: usize = 64 * 1024;

impl Engine {
    /// Writes a new entry. Nothing is kept unless everything about it is right.
    pub fn context_create(&self, request: &CreateRequest) -> Result<CreatedEntry, Error> {
        let body = Entry::parse(&request.markdown).body;
        // What is refused below must not leave the machine before.
        let asked = if secrets(&request.markdown).is_empty() && body.len() <= LONGEST_COMPARED {
            self.meaning(body, Among::Known, request.worktree.as_deref())
        } else {
            Asked::default()
        };
        self.at_desk(request.worktree.as_deref(), |desk| create(desk, request, asked))
    }
}

fn create(desk: &mut Desk<'_>, request: &CreateRequest, asked: Asked) -> Result<CreatedEntry, Error> {
    measure(desk, &request.markdown)?;
    let front = metadata(desk, request)?;
    let text =
        front.put_before(&request.markdown, |number| desk.config.format_ref(number)).map_err(|error| {
            Error::invalid("given_twice", sentence(&error.to_string())).with_hint("Leave one of the two out.")
        })?;
    measure_whole(desk, &text)?;
    screen(&request.markdown, &front)?;
    let whole = Entry::parse(&text);
    desk.read_entries_if_changed()?;
    let links = links(desk, &whole.front)?;
    let anchors = baselines(desk, &whole.front.anchors)?;
    let similar = similar(desk, &text, asked.meaning.as_ref());
    let title = whole.title();
    let author = whole.front.author.clone().or_else(|| desk.author());
    let draft = Draft {
        text: text.clone(),
        at: desk.engine.this_second(),
        author,
        head: desk.place.head.clone(),
        anchors,
        links,
    };
    let written = desk.vault.create(&desk.config, draft, || highest_ever(desk))?;
    desk.remember_written(&written.file, written.number, &written.reference, text.clone());
    let flags: Vec<FlagView> = flags(&text).into_iter().map(FlagView::from).collect();
    let mut warnings = asked.warnings;
    if let Some(first) = similar.first() {
        let percent = (first.likeness * 100.0).round();
        warnings.push(format!("{} says nearly the same ({percent} %): {}.", first.reference, first.title));
    }
    if !flags.is_empty() {
        warnings.push(
            "The text has passages that may deceive a reader; they are flagged whenever it is read."
                .to_owned(),
        );
    }
    Ok(CreatedEntry {
        comment: format!("refer to context {}{}", desk.config.file_prefix, written.reference),
        file: written.file,
        reference: written.reference,
        title,
        hash: written.hash.as_str().to_owned(),
        warnings,
        similar,
        flags,
        scope: desk.place.scope(),
    })
}

fn measure(desk: &Desk<'_>, markdown: &str) -> Result<(), Error> {
    let body = Entry::parse(markdown).body;
    if body.trim().is_empty() {
        return Err(Error::invalid("empty_markdown", "The entry says nothing.")
            .with_hint("Write in `markdown` why the code is as it is."));
    }
    let (lines, most) = (count_lines(body), desk.config.max_lines);
    if lines > most {
        return Err(Error::invalid(
            "too_many_lines",
            format!("The entry has {}; maxLines is {most}.", counted(lines, "line")),
        )
        .with_hint("Keep to one reason an entry; write a second entry and relate the two."));
    }
    Ok(())
}

fn measure_whole(desk: &Desk<'_>, text: &str) -> Result<(), Error> {
    let most = desk.config.max_bytes;
    if text.len() > most {
        return Err(Error::invalid(
            "too_large",
            format!("The entry has {}; the limit is {most}.", counted(text.len(), "byte")),
        )
        .with_hint(
            "Keep to the reason; link to what is long. `maxBytes` in `.context/config.json` sets the limit.",
        ));
    }
    Ok(())
}

fn metadata(desk: &mut Desk<'_>, request: &CreateRequest) -> Result<FrontMatter, Error> {
    if request.supersedes.len() + request.relates.len() + request.anchors.len() > MOST_LINKS {
        return Err(Error::invalid(
            "invalid_arguments",
            format!("An entry has at most {MOST_LINKS} links and anchors."),
        )
        .with_hint("Cite the few places that the decision is about."));
    }
    for (name, value) in [("task", &request.task), ("author", &request.author)] {
        let Some(value) = value else { continue };
        if value.trim().is_empty()
            || value.chars().count() > LONGEST_WORD
            || value.chars().any(char::is_control)
        {
            return Err(Error::invalid(
                "invalid_arguments",
                format!("`{name}` is one line of 1 to {LONGEST_WORD} characters."),
            )
            .with_hint(format!("Leave `{name}` out where there is nothing to say.")));
        }
    }
    let numbers = |references: &[String], desk: &mut Desk<'_>| -> Result<Vec<u64>, Error> {
        if references.is_empty() {
            return Ok(Vec::new());
        }
        desk.list()?;
        let found = |reference: &String| {
            desk.listing.find(reference, &desk.config, desk.log()).map(|entry| entry.number)
        };
        let mut numbers = references.iter().map(found).collect::<Result<Vec<u64>, _>>()?;
        numbers.dedup();
        Ok(numbers)
    };
    Ok(FrontMatter {
        supersedes: numbers(&request.supersedes, desk)?,
        relates: numbers(&request.relates, desk)?,
        task: request.task.as_deref().map(|task| task.trim().to_owned()),
        author: request.author.as_deref().map(|author| author.trim().to_owned()),
        anchors: request.anchors.iter().map(|anchor| anchor.trim().to_owned()).collect(),
    })
}

fn screen(markdown: &str, front: &FrontMatter) -> Result<(), Error> {
    let beside =
        [&front.task, &front.author].into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join("\n");
    let found = secrets(markdown);
    let place = match (found.first(), secrets(&beside).first()) {
        (Some(secret), _) => format!("line {} looks like {}", secret.line, secret.kind),
        (None, Some(secret)) => format!("`task` or `author` looks like {}", secret.kind),
        (None, None) => return Ok(()),
    };
    Err(Error::denied("secret_found", format!("Nothing was written: {place}."))
        .with_hint("Entries are committed and shared. Name where the secret is kept instead of the secret."))
}

/// Every entry that is named exists, and is remembered by its content too.
fn links(desk: &Desk<'_>, front: &FrontMatter) -> Result<Vec<Link>, Error> {
    let mut links = Vec::new();
    for number in front.supersedes.iter().chain(&front.relates) {
        let document = desk.document(*number).ok_or_else(|| {
            Error::not_found(
                "entry_not_found",
                format!("There is no entry {}.", desk.config.format_ref(*number)),
            )
            .with_hint("context_list shows all entries.")
        })?;
        links.push(Link { number: *number, hash: document.hash.clone() });
    }
    Ok(links)
}

pub(super) fn baselines(desk: &Desk<'_>, cited: &[String]) -> Result<Vec<Baseline>, Error> {
    let mut baselines = Vec::new();
    for text in cited {
        let anchor = Anchor::parse(text, |path| desk.read_file(path).is_some())?;
        let content = desk.read_file(&anchor.path);
        baselines.push(anchor.baseline(content.as_deref())?);
    }
    Ok(baselines)
}

/// The largest number that any branch ever had: asked once in the life of a clone.
pub(super) fn highest_ever(desk: &Desk<'_>) -> Option<u64> {
    let past = desk.place.past.as_ref()?;
    let paths = desk.or_default(Some(past.ever_added(FOLDER)));
    let naming = becket_memory::naming::Naming::new(&desk.config, desk.log());
    let number = |path: &String| {
        naming.known(path.strip_prefix(FOLDER)?.trim_start_matches('/')).map(|named| named.number)
    };
    paths.iter().filter_map(number).max()
}

/// Entries that say nearly the same, in the same words or, where that is known, in others; likest first.
fn similar(desk: &Desk<'_>, text: &str, meaning: Option<&Meaning>) -> Vec<SimilarEntry> {
    let mut found: BTreeMap<&str, (f32, &Document)> = BTreeMap::new();
    let by_words = desk.view.corpus.similar(text);
    for similar in &by_words {
        found.insert(similar.document.file.as_str(), (similar.likeness, &*similar.document));
    }
    for document in desk.documents().iter().filter(|_| meaning.is_some()) {
        let likeness = meaning.and_then(|meaning| meaning.likeness(document)).unwrap_or(0.0);
        if likeness >= NEAR_IN_MEANING {
            let slot = found.entry(document.file.as_str()).or_insert((likeness, &**document));
            slot.0 = slot.0.max(likeness);
        }
    }
    let mut found: Vec<(f32, &Document)> = found.into_values().collect();
    found.sort_by(|left, right| right.0.total_cmp(&left.0).then_with(|| left.1.number.cmp(&right.1.number)));
    found.truncate(MOST_SIMILAR);
    found
        .into_iter()
        .map(|(likeness, document)| SimilarEntry {
            reference: document.reference.clone(),
            file: document.file.clone(),
            title: document.title.clone(),
            likeness: (likeness * 100.0).round() / 100.0,
        })
        .collect()
}

impl Desk<'_> {
    /// What was read is good enough to compare with while nothing came to the folder or left it.
    fn read_entries_if_changed(&mut self) -> Result<(), Error> {
        let stamp = self.vault.stamp();
        if stamp.is_none() || stamp != self.view.folder {
            self.list()?;
            self.view.corpus.refresh_new(&self.vault, &self.listing);
            self.view.folder = stamp;
        }
        Ok(())
    }

    fn remember_written(&mut self, file: &str, number: u64, reference: &str, text: String) {
        let listed = Listed { number, reference: reference.to_owned(), file: file.to_owned(), problem: None };
        self.view.corpus.add(&self.vault, &listed, text);
        self.view.folder = self.vault.stamp();
    }
}
