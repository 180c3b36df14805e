//! Which file or declaration is meant: by name, signature, doc and path, best first, each with the reason.

use std::cmp::Reverse;

use becket_contracts::model::Contract;
use schemars::JsonSchema;
use serde::Serialize;

use super::options::{ContextChoice, counted};
use super::part::part_of;
use super::site::{lies_in, spelled};
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
    /// Goes on where the answer before ended.
    pub cursor: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchComponents {
    pub project_path: String,
    pub query: String,
    /// How many match in all.
    pub total: usize,
    pub results: Vec<ComponentMatch>,
    /// Asks for the next part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Set when not all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
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
        let words = asked(&request.query);
        if words.is_empty() {
            return Err(Error::invalid("invalid_arguments", "The query has no word to look for.")
                .with_hint("Give a name, a part of one, or words that describe it."));
        }
        let kind = request.kind.as_deref().map(known_kind).transpose()?;
        let limit = counted("limit", request.limit, 20, 200)?;
        let options = self
            .context_options(&ContextChoice { mode: Some("none".to_owned()), ..ContextChoice::default() })?;
        let site = self.site(request.project_path.as_deref())?;
        let index = self.live(&site, options.tests)?;
        let prefix = spelled(request.folder_prefix.as_deref().unwrap_or_default());
        let mut results: Vec<ComponentMatch> = index
            .files()
            .iter()
            .filter(|file| site.holds(&file.path) && lies_in(&file.path, &prefix))
            .flat_map(|file| matches_in(file.contract(), &request.query, &words, kind.as_deref()))
            .collect();
        results.sort_by_cached_key(|one| {
            // Of names that fit as well the shorter one has less that nobody asked for.
            let length = one.name.as_ref().map_or(usize::MAX, String::len);
            (Reverse(one.score), length, one.entry_id.clone(), one.line)
        });
        let total = results.len();
        let room = self.max_output_bytes().saturating_sub(request.query.len());
        let part = part_of(results, request.cursor.as_deref(), limit, room)?;
        Ok(SearchComponents {
            project_path: site.shown(),
            query: request.query.clone(),
            total,
            results: part.items,
            next_cursor: part.next_cursor,
            notice: part.notice,
        })
    }
}

/// Kinds of files and of declarations.
const KINDS: &[&str] = &[
    "component",
    "hook",
    "function",
    "class",
    "interface",
    "type",
    "enum",
    "constant",
    "variable",
    "namespace",
    "react:component",
    "react:hook",
    "vue:component",
    "vue:composable",
    "node:api",
    "node:cli",
    "ts:module",
];

fn known_kind(kind: &str) -> Result<String, Error> {
    let wanted = kind.trim().to_lowercase();
    if KINDS.contains(&wanted.as_str()) {
        return Ok(wanted);
    }
    let shown = becket_base::clip(kind, 60);
    Err(Error::invalid("invalid_arguments", format!("`{shown}` is no kind of file or declaration."))
        .with_hint(format!("Leave it out, or give one of {}.", KINDS.join(", "))))
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
                Field { weight: 6, name: "name", text: &declaration.name },
                Field { weight: 2, name: "signature", text: signature.map_or("", String::as_str) },
                Field { weight: 3, name: "doc", text: declaration.doc.as_deref().unwrap_or_default() },
                Field { weight: 3, name: KIND, text: known },
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
            &[
                Field { weight: 4, name: "path", text: &contract.entry_id },
                Field { weight: 2, name: "description", text: &contract.description },
            ],
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

/// A weight per field. Where the whole query is in one, that counts most; beside that each word counts where it fits best,
/// and all of them the less the fewer of them are there.
fn score(fields: &[Field<'_>], query: &str, words: &[String]) -> (u32, String) {
    // However they are written: `color picker` is `ColorPicker`, and `color-picker` is too.
    let spoken_query = words_of(query).join(" ");
    let query = query.trim().to_lowercase();
    let mut reasons = Vec::new();
    let mut best = vec![0; words.len()];
    let mut total = 0;
    for Field { weight, name, text } in fields {
        let lower = text.to_lowercase();
        let own = words_of(text);
        let spoken = own.join(" ");
        // That something is a hook is a word more for it, and not what somebody is after who writes nothing else.
        let either = |holds: fn(&str, &str) -> bool| {
            *name != KIND && (holds(&lower, &query) || holds(&spoken, &spoken_query))
        };
        let whole = if either(|text, query| text == query) {
            Some((200, "is the query"))
        } else if either(|text, query| text.starts_with(query)) {
            Some((120, "begins with the query"))
        } else if either(|text, query| text.contains(query)) {
            Some((80, "contains the query"))
        } else {
            None
        };
        let mut found = Vec::new();
        for (word, best) in words.iter().zip(&mut best) {
            let fits = own.iter().map(|own| (fit(word, own), Reverse(own)));
            let Some((fit, Reverse(own))) = fits.max().filter(|(fit, _)| *fit > 0) else { continue };
            found.push(if own.contains(word) { word.clone() } else { format!("{own} for {word}") });
            *best = (fit * weight).max(*best);
        }
        match whole {
            Some((points, reason)) => {
                total += points * weight;
                reasons.push(format!("{name} {reason}"));
            }
            None if found == words => reasons.push(format!("{name} has every word")),
            None if !found.is_empty() => reasons.push(format!("{name} has {}", found.join(", "))),
            None => {}
        }
    }
    let count = |words: usize| u32::try_from(words).unwrap_or(u32::MAX);
    let there = best.iter().filter(|best| **best > 0).count();
    // Whoever asks with many words knows that some are not there; a single one of many says little.
    let enough = total > 0 || there * 3 >= words.len();
    let of_words = best.iter().sum::<u32>() * count(there) / count(words.len()).max(1);
    (if enough { total + of_words } else { 0 }, reasons.join("; "))
}

/// The name of the field that says what a declaration is.
const KIND: &str = "kind";

/// A text that is looked at, and how much a word in it counts.
struct Field<'a> {
    weight: u32,
    name: &'static str,
    text: &'a str,
}

/// How well a word of the query is met by one of a text: itself, as a beginning, in another form, inside, or but for a slip.
fn fit(word: &str, own: &str) -> u32 {
    if word == own {
        10
    } else if own.starts_with(word) {
        6
    } else if own.len() >= 4 && word.starts_with(own) || stem(word) == stem(own) {
        5
    } else if word.len() >= 3 && own.contains(word) {
        3
    } else if is_slip(word, own) {
        2
    } else {
        0
    }
}

/// Whether one letter more, less, other, or changed with its neighbour makes a word the other; short ones are too alike.
fn is_slip(word: &str, own: &str) -> bool {
    let is_near = word.len() >= 5 && own.len() >= 4 && word.len().abs_diff(own.len()) <= 1;
    is_near && word.chars().next() == own.chars().next() && strsim::osa_distance(word, own) == 1
}

/// The beginning that forms of a word share: `validate`, `validates`, `validation`.
fn stem(word: &str) -> &str {
    const ENDINGS: &[&str] = &[
        "ations", "ation", "ators", "ating", "ator", "ates", "ated", "ate", "ings", "ing", "ers", "ies",
        "es", "ed", "er", "s", "e", "y",
    ];
    let shorter = ENDINGS.iter().find_map(|ending| word.strip_suffix(ending).filter(|rest| rest.len() >= 4));
    shorter.unwrap_or(word)
}

/// The words of a query; those that stand in every sentence only where there are no others.
fn asked(query: &str) -> Vec<String> {
    const EVERYWHERE: &[&str] =
        &["a", "an", "and", "as", "by", "for", "in", "is", "of", "on", "or", "that", "the", "to", "with"];
    let words = words_of(query);
    let telling: Vec<String> =
        words.iter().filter(|word| !EVERYWHERE.contains(&word.as_str())).cloned().collect();
    if telling.is_empty() { words } else { telling }
}

/// Words, also those inside identifiers: `useToggleState` has three, `HTMLElement` two.
fn words_of(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut previous_lower = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let ends_acronym = letter.is_uppercase() && letters.peek().is_some_and(|next| next.is_lowercase());
        if !letter.is_alphanumeric() || (letter.is_uppercase() && (previous_lower || ends_acronym)) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(name: &str, doc: &str, query: &str) -> u32 {
        let fields =
            [Field { weight: 6, name: "name", text: name }, Field { weight: 3, name: "doc", text: doc }];
        score(&fields, query, &asked(query)).0
    }

    #[test]
    fn identifiers_come_apart_into_words() {
        assert_eq!(words_of("useToggleState"), ["use", "toggle", "state"]);
        assert_eq!(asked("the state of a sheet"), ["state", "sheet"]);
        assert_eq!(asked("to"), ["to"]);
        assert_eq!(words_of("HTMLElement2 parseURL"), ["html", "element2", "parse", "url"]);
    }

    #[test]
    fn more_words_and_better_ones_count_more() {
        let query = "validate login form errors";
        let all = scored("validateLoginForm", "Collects the errors.", query);
        let three = scored("validateLoginForm", "", query);
        let two = scored("loginForm", "", query);
        let other_forms = scored("loginValidation", "", query);
        let one_of_four = scored("loginPage", "", query);
        assert!(
            all > three && three > two && two > other_forms && other_forms > 0,
            "{all} {three} {two} {other_forms}"
        );
        assert_eq!(one_of_four, 0, "one word of many says little");
    }

    #[test]
    fn words_that_make_a_name_are_that_name() {
        for (query, meant, other) in [
            ("app state", "AppState", "AppDrawShape"),
            ("color picker", "ColorPicker", "ColorPickerColor"),
            ("export to svg", "exportToSvg", "MAX_DECIMALS_FOR_SVG_EXPORT"),
            ("is arrow element", "isArrowElement", "newArrowElement"),
            ("color-picker", "ColorPicker", "ColorPickerColor"),
        ] {
            assert!(scored(meant, "", query) > scored(other, "", query), "{query}");
        }
        let in_doc =
            scored("updateFrames", "To be called before you mutate element by element.", "mutate element");
        assert!(scored("mutateElement", "", "mutate element") > in_doc);
    }

    #[test]
    fn a_slip_finds_less_than_the_word_and_says_what_it_found() {
        let found =
            |text, query: &str| score(&[Field { weight: 6, name: "name", text }], query, &asked(query));
        assert_eq!(found("Button", "Buton"), (12, "name has button for buton".to_owned()));
        assert_eq!(found("ExceptionFilter", "exceptoin").1, "name has exception for exceptoin");
        assert!(found("Button", "Button").0 > found("Button", "Buton").0);
        assert_eq!(found("Matter", "Button").0, 0);
        assert_eq!(found("cart", "card").0, 0, "short words are all alike");
    }

    #[test]
    fn the_whole_query_in_a_name_counts_most() {
        let exact = scored("Button", "", "button");
        assert!(exact > scored("ButtonGroup", "", "button"));
        assert!(scored("ButtonGroup", "", "button") > scored("IconButton", "", "button"));
        assert!(scored("IconButton", "", "button") > scored("Link", "Looks like a button.", "button"));
    }
}
