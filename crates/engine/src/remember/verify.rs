//! Saying that an entry still holds: a new event with what the code looks like now; the entry itself stays as it is.

use becket_memory::{
    anchor::Anchor,
    log::{Baseline, Event, Verified},
    screen::secrets,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{desk::Desk, place::Scope, view::Freshness};
use crate::{Engine, Error};

#[derive(Debug, Clone, Default)]
pub struct VerifyRequest {
    pub reference: String,
    /// What was looked at, or why it still holds.
    pub note: Option<String>,
    pub author: Option<String>,
    pub worktree: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VerifiedEntry {
    #[serde(rename = "ref")]
    pub reference: String,
    pub file: String,
    pub title: String,
    /// The state before it was verified.
    pub before: Freshness,
    pub state: Freshness,
    /// RFC 3339.
    pub at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    pub scope: Scope,
}

const LONGEST_NOTE: usize = 1_000;

impl Engine {
    /// Records that somebody checked an entry against the code as it is now.
    pub fn context_verify(&self, request: &VerifyRequest) -> Result<VerifiedEntry, Error> {
        if let Some(note) = &request.note {
            if note.chars().count() > LONGEST_NOTE {
                return Err(Error::invalid(
                    "invalid_arguments",
                    format!("A note has at most {LONGEST_NOTE} characters."),
                )
                .with_hint("Say what was checked in a sentence; more belongs in an entry of its own."));
            }
            if let Some(secret) = secrets(note).first() {
                return Err(Error::denied(
                    "secret_found",
                    format!("Nothing was written: the note looks like {}.", secret.kind),
                )
                .with_hint("Say it without the secret: a note is committed with the repository."));
            }
        }
        self.at_desk(request.worktree.as_deref(), |desk| verify(desk, request))
    }
}

fn verify(desk: &mut Desk<'_>, request: &VerifyRequest) -> Result<VerifiedEntry, Error> {
    desk.read_entries()?;
    desk.read_references();
    let listed = desk.listing.find(&request.reference, &desk.config, desk.log())?.clone();
    desk.vault.read(&listed)?;
    let document = desk.document_of(&listed.file)?;
    let referrers = desk.referrers();
    let before = desk.judge(&document, &referrers);
    let anchors = before
        .anchors
        .iter()
        .map(|view| {
            let gone = Baseline { anchor: view.anchor.clone(), hash: None, lines: None, size: None };
            let now = view.now.as_deref().unwrap_or(&view.anchor);
            // What moved is compared where it is now, under the name that the entry cites.
            let found = Anchor::parse(now, |path| desk.read_file(path).is_some())
                .and_then(|anchor| anchor.baseline(desk.read_file(&anchor.path).as_deref()));
            found.map_or(gone, |baseline| Baseline { anchor: view.anchor.clone(), ..baseline })
        })
        .collect();
    let regions =
        referrers.get(&document.number).into_iter().flatten().map(|(_, one)| one.region.clone()).collect();
    let at = desk.engine.this_second();
    let author = request.author.clone().or_else(|| desk.author());
    let event = Event::Verified(Verified {
        number: document.number,
        hash: document.hash.clone(),
        at,
        author: author.clone(),
        note: request.note.clone(),
        head: desk.place.head.clone(),
        anchors,
        regions,
    });
    desk.vault.append(&event)?;
    desk.vault.refresh_log(&mut desk.view.log)?;
    let after = desk.judge(&document, &referrers);
    desk.store_origins();
    Ok(VerifiedEntry {
        reference: document.reference.clone(),
        file: document.file.clone(),
        title: document.title.clone(),
        before: before.state(),
        state: after.state(),
        at: at.to_string(),
        author,
        scope: desk.place.scope(),
    })
}
