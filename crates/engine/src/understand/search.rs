//! Which file or declaration is meant: by name, signature, doc and path, best first, each with the reason.

use becket_contracts::model::Contract;
use schemars::JsonSchema;
use serde::Serialize;

use super::options::ContextChoice;
use crate::{Engine, Error};

#[derive(Debug, Clone, Default)]
pub struct SearchComponentsRequest {
    pub project_path: Option<String>,
    pub query: String,
    /// Only files at or below this folder.
    pub folder_prefix: Option<String>,
    /// Only this kind of file or declaration: `react:component`, `hook`, `function` …
    pub kind: Option<String>,
    pub limit: Option<usize>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchComponents {
    pub project_path: String,
    pub query: String,
    /// How many match in all.
    pub total: usize,
    pub results: Vec<ComponentMatch>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComponentMatch {
    pub entry_id: String,
    /// The declaration; absent where the file as a whole matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    pub score: u32,
    /// Why it is here.
    pub why: String,
}

impl Engine {
    pub fn search_components(&self, request: &SearchComponentsRequest) -> Result<SearchComponents, Error> {
        let words = words_of(&request.query);
        if words.is_empty() {
            return Err(Error::invalid("invalid_arguments", "The query has no word to look for.")
                .with_hint("Give a name, a part of one, or words that describe it."));
        }
        let limit = request.limit.unwrap_or(20).clamp(1, 200);
        let options = self
            .context_options(&ContextChoice { mode: Some("none".to_owned()), ..ContextChoice::default() })?;
        let site = self.site(request.project_path.as_deref())?;
        let index = self.live(&site, options.tests)?;
        let prefix =
            request.folder_prefix.as_deref().unwrap_or_default().trim_matches('/').trim_start_matches("./");
        let below = |path: &str| {
            prefix.is_empty() || path.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('/'))
        };
        let mut results: Vec<ComponentMatch> = index
            .files()
            .iter()
            .filter(|file| site.holds(&file.path) && below(&file.path))
            .flat_map(|file| matches_in(file.contract(), &request.query, &words, request.kind.as_deref()))
            .collect();
        results.sort_by(|left, right| {
            (right.score, &left.entry_id, left.line).cmp(&(left.score, &right.entry_id, right.line))
        });
        let total = results.len();
        results.truncate(limit);
        Ok(SearchComponents { project_path: site.shown(), query: request.query.clone(), total, results })
    }
}

fn matches_in(contract: &Contract, query: &str, words: &[String], kind: Option<&str>) -> Vec<ComponentMatch> {
    let mut found = Vec::new();
    for declaration in &contract.declarations {
        let known = declaration.kind.as_str();
        if kind.is_some_and(|kind| kind != known && kind != contract.kind.as_str()) {
            continue;
        }
        let signature = declaration.signatures.first();
        let (mut score, why) = score(
            &[
                (6, "name", &declaration.name),
                (2, "signature", signature.map_or("", String::as_str)),
                (3, "doc", declaration.doc.as_deref().unwrap_or_default()),
            ],
            query,
            words,
        );
        if score == 0 {
            continue;
        }
        if declaration.exported {
            score += 5;
        }
        found.push(ComponentMatch {
            entry_id: contract.entry_id.clone(),
            name: Some(declaration.name.clone()),
            kind: known.to_owned(),
            signature: signature.cloned(),
            doc: declaration.doc.clone(),
            line: Some(declaration.lines.first),
            score,
            why,
        });
    }
    if kind.is_none_or(|kind| kind == contract.kind.as_str()) {
        let (score, why) = score(
            &[(4, "path", &contract.entry_id), (2, "description", &contract.description)],
            query,
            words,
        );
        if score > 0 {
            found.push(ComponentMatch {
                entry_id: contract.entry_id.clone(),
                name: None,
                kind: contract.kind.as_str().to_owned(),
                signature: None,
                doc: Some(contract.description.clone()).filter(|text| !text.is_empty()),
                line: None,
                score,
                why,
            });
        }
    }
    found
}

/// A weight per field; a whole match counts most, then words, then parts of words.
fn score(fields: &[(u32, &str, &str)], query: &str, words: &[String]) -> (u32, String) {
    let query = query.trim().to_lowercase();
    let (mut total, mut reasons) = (0, Vec::new());
    for (weight, name, text) in fields {
        let lower = text.to_lowercase();
        let own = words_of(text);
        let (points, reason) = if lower == query {
            (20, "is the query")
        } else if lower.starts_with(&query) {
            (12, "begins with the query")
        } else if lower.contains(&query) {
            (8, "contains the query")
        } else if words.iter().all(|word| own.contains(word)) {
            (6, "has every word")
        } else {
            let some =
                words.iter().filter(|word| own.iter().any(|known| known.starts_with(word.as_str()))).count();
            (
                u32::try_from(some).unwrap_or(0) * 2 / u32::try_from(words.len()).unwrap_or(1).max(1),
                "has some of the words",
            )
        };
        if points > 0 {
            total += points * weight;
            reasons.push(format!("{name} {reason}"));
        }
    }
    (total, reasons.join("; "))
}

/// Words, also those inside identifiers: `useToggleState` has three.
fn words_of(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut previous_lower = false;
    for letter in text.chars() {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && previous_lower) {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        previous_lower = letter.is_lowercase() || letter.is_numeric();
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}
