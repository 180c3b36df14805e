//! One file as it is handed out: what it measures is known at once, its text when somebody asks.

use std::sync::{Arc, OnceLock};

use becket_base::codec::{Decoder, Encoder};
use becket_base::tokens;
use becket_contracts::bundle::{self, Missing};
use becket_contracts::fingerprint;
use becket_contracts::model::{Contract, Severity};
use becket_contracts::render::{self, CodeMode, NodeSource, NodeText, Thrift};
use becket_contracts::secrets;
use becket_contracts::style::{self, Sheets};
use becket_contracts::target::{Reason, Target};
use becket_project::index::{FileRecord, IndexedFile};
use serde::{Deserialize, Serialize, Serializer};

use super::lacking::Lacking;
use super::options::ContextOptions;
use super::rows::Row;
use super::site::Site;

/// What is the same for all entries of a material.
#[derive(Debug)]
pub(super) struct Recipe {
    pub(super) options: ContextOptions,
    pub(super) site: Site,
    pub(super) thrift: Thrift,
}

/// The text of a file of the project.
pub(super) type SourceOf<'a> = dyn Fn(&str) -> Option<String> + Sync + 'a;

#[derive(Debug)]
pub(super) struct Entry {
    origin: Origin,
    pub(super) measures: Measures,
    bundled: OnceLock<Box<str>>,
}

/// What is counted of an entry, and what it lacks.
#[derive(Debug)]
pub(super) struct Measures {
    /// Of the node.
    pub(super) tokens: usize,
    /// Of the contract and the code beside it, without the name of the file that every node begins with.
    pub(super) contract_tokens: usize,
    /// Of the source.
    pub(super) source_tokens: usize,
    /// Syntax errors.
    pub(super) errors: usize,
    /// What it promises, as [`fingerprint::digits`] has it.
    promise: [u8; 12],
    pub(super) missing: Lacking,
}

#[derive(Debug)]
enum Origin {
    Indexed {
        file: Arc<IndexedFile>,
        recipe: Arc<Recipe>,
        /// Few are ever made of those that an earlier process measured.
        text: OnceLock<Box<Text>>,
    },
    /// A snapshot, where nothing is left but what was stored.
    Stored(Box<(Contract, String)>),
}

#[derive(Debug)]
struct Text {
    /// Where it says more than that of the index.
    contract: Option<Box<Contract>>,
    /// As it stands in every bundle.
    node: String,
    /// Where the contract begins in it.
    start: usize,
}

impl Entry {
    /// `source` gives the text of a file: of this one, which `full` writes, and of style sheets.
    pub(super) fn of(file: &Arc<IndexedFile>, recipe: &Arc<Recipe>, source: &SourceOf<'_>) -> Self {
        let text = Text::of(file, recipe, source);
        let (named, told) = text.node.split_at(text.start);
        let contract_tokens = tokens::count(told);
        let measures = Measures {
            tokens: tokens::count(named) + contract_tokens,
            contract_tokens,
            source_tokens: file.tokens,
            errors: errors(file.contract()),
            promise: fingerprint::digits(&file.contract().semantic_hash),
            missing: missing(file, &recipe.site).into(),
        };
        let origin = Origin::Indexed {
            file: Arc::clone(file),
            recipe: Arc::clone(recipe),
            text: OnceLock::from(Box::new(text)),
        };
        Self { origin, measures, bundled: OnceLock::new() }
    }

    /// One that was measured before; its text is made when somebody asks. Not for what needs more than the index knows:
    /// `full`, and style.
    pub(super) fn measured(file: &Arc<IndexedFile>, recipe: &Arc<Recipe>, measures: Measures) -> Self {
        let (file, recipe) = (Arc::clone(file), Arc::clone(recipe));
        let origin = Origin::Indexed { file, recipe, text: OnceLock::new() };
        Self { origin, measures, bundled: OnceLock::new() }
    }

    pub(super) fn path(&self) -> &str {
        match &self.origin {
            Origin::Indexed { file, .. } => &file.path,
            Origin::Stored(stored) => &stored.0.entry_id,
        }
    }

    pub(super) fn has_path_of(&self, other: &IndexedFile) -> bool {
        match &self.origin {
            Origin::Indexed { file, .. } if Arc::ptr_eq(&file.path, &other.path) => true,
            _ => *self.path() == *other.path,
        }
    }

    /// Whether it was made of this very file, or of one that says and promises the same.
    pub(super) fn is_of(&self, other: &Arc<IndexedFile>) -> bool {
        match &self.origin {
            Origin::Indexed { file, .. } => {
                Arc::ptr_eq(file, other) || (file.path == other.path && file.id() == other.id())
            }
            Origin::Stored(_) => false,
        }
    }

    pub(super) fn record(&self) -> Option<FileRecord> {
        match &self.origin {
            Origin::Indexed { file, .. } => Some(file.record()),
            Origin::Stored(_) => None,
        }
    }

    pub(super) fn contract(&self) -> &Contract {
        match &self.origin {
            Origin::Indexed { file, recipe, .. } => {
                let more = recipe.options.style.is_some() || recipe.options.predict;
                let text = if more { self.text() } else { None };
                text.and_then(|text| text.contract.as_deref()).unwrap_or_else(|| file.contract())
            }
            Origin::Stored(stored) => &stored.0,
        }
    }

    /// As [`fingerprint::bundled`] has it.
    pub(super) fn bundled(&self) -> &str {
        self.bundled.get_or_init(|| fingerprint::bundled(self.path(), self.measures.promise))
    }

    /// Its node, if nobody has to make it first.
    pub(super) fn made_node(&self) -> Option<&str> {
        match &self.origin {
            Origin::Indexed { text, .. } => text.get().map(|text| text.node.as_str()),
            Origin::Stored(stored) => Some(&stored.1),
        }
    }

    pub(super) fn node(&self) -> &str {
        match &self.origin {
            Origin::Indexed { .. } => self.text().map_or("", |text| &text.node),
            Origin::Stored(stored) => &stored.1,
        }
    }

    fn text(&self) -> Option<&Text> {
        match &self.origin {
            Origin::Indexed { file, recipe, text } => {
                Some(text.get_or_init(|| Box::new(Text::of(file, recipe, &|_| None))))
            }
            Origin::Stored(_) => None,
        }
    }
}

impl Text {
    fn of(file: &IndexedFile, recipe: &Recipe, source: &SourceOf<'_>) -> Self {
        let Recipe { options, thrift, .. } = recipe;
        let facts = &file.local().facts;
        let sheet = |specifier: &str| match file.targets().get(specifier) {
            Some(Target::Asset(path)) => source(path),
            _ => None,
        };
        let style = options.style.zip(facts.style.as_ref());
        let style = style.map(|(mode, found)| style::view(found, &Sheets::of(found, &sheet), mode));
        let prediction = if options.predict { predictions(file.contract()) } else { Vec::new() };
        let contract = (style.is_some() || !prediction.is_empty()).then(|| {
            let plain = file.contract().clone();
            Box::new(Contract { style, prediction, ..plain })
        });
        let code = (options.mode == CodeMode::Full).then(|| source(&file.path)).flatten();
        let code = code.as_deref().map(secrets::redact);
        let parts = NodeSource {
            contract: contract.as_deref().unwrap_or_else(|| file.contract()),
            facts,
            tokens: file.tokens,
            thrift: *thrift,
            code: code.as_deref(),
        };
        let NodeText { text: node, contract: start } = render::node(&parts, options.schema, options.mode);
        Self { contract, node, start }
    }
}

impl Measures {
    /// Of something that has no more than this.
    #[cfg(test)]
    pub(super) fn lacking(missing: Vec<Missing>) -> Self {
        let (tokens, contract_tokens, source_tokens, errors) = (0, 0, 0, 0);
        Self { tokens, contract_tokens, source_tokens, errors, promise: [0; 12], missing: missing.into() }
    }

    pub(super) fn encode(&self, encoder: &mut Encoder) {
        for number in [self.tokens, self.contract_tokens, self.source_tokens, self.errors] {
            encoder.small(number);
        }
        encoder.bytes.extend(self.promise);
        self.missing.encode(encoder);
    }

    /// Those of a row, up to where it says what is missing.
    pub(super) fn decode(decoder: &mut Decoder<'_>, row: Row) -> Option<Self> {
        let (tokens, contract_tokens) = (decoder.small()?, decoder.small()?);
        let (source_tokens, errors) = (decoder.small()?, decoder.small()?);
        let promise = decoder.array()?;
        let missing = Lacking::in_row(row, decoder.byte()? == 1);
        Some(Self { tokens, contract_tokens, source_tokens, errors, promise, missing })
    }
}

/// As a snapshot keeps it.
#[derive(Serialize)]
struct StoredRef<'a> {
    contract: &'a Contract,
    node: &'a str,
    tokens: usize,
    contract_tokens: usize,
    source_tokens: usize,
    missing: &'a [Missing],
}

#[derive(Deserialize)]
pub(super) struct Stored {
    contract: Contract,
    node: String,
    tokens: usize,
    contract_tokens: usize,
    source_tokens: usize,
    missing: Vec<Missing>,
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Measures { tokens, contract_tokens, source_tokens, missing, .. } = &self.measures;
        let (tokens, contract_tokens, source_tokens) = (*tokens, *contract_tokens, *source_tokens);
        let (contract, node, missing) = (self.contract(), self.node(), missing.all());
        StoredRef { contract, node, tokens, contract_tokens, source_tokens, missing }.serialize(serializer)
    }
}

impl From<Stored> for Entry {
    fn from(stored: Stored) -> Self {
        let Stored { contract, node, tokens, contract_tokens, source_tokens, missing } = stored;
        let (errors, missing) = (errors(&contract), missing.into());
        let promise = fingerprint::digits(&contract.semantic_hash);
        Self {
            origin: Origin::Stored(Box::new((contract, node))),
            measures: Measures { tokens, contract_tokens, source_tokens, errors, promise, missing },
            bundled: OnceLock::new(),
        }
    }
}

fn errors(contract: &Contract) -> usize {
    contract.diagnostics.iter().filter(|one| one.severity == Severity::Error).count()
}

fn missing(file: &IndexedFile, site: &Site) -> Vec<Missing> {
    let mut missing = bundle::missing(&file.path, file.targets().iter());
    // Of the repository, and not of the folder that was asked for.
    let elsewhere = |target: &Target| target.file().is_some_and(|path| !site.holds(path));
    let outside = file.targets().iter().filter(|(_, target)| elsewhere(target));
    missing.extend(outside.map(|(specifier, _)| Missing {
        name: specifier.clone(),
        reason: Reason::OutsideScanPath.as_str().to_owned(),
        referenced_by: file.path.to_string(),
        package_name: None,
        package_version: None,
    }));
    missing
}

/// What can be said of a file's behaviour from its contract alone, in sentences.
fn predictions(contract: &Contract) -> Vec<String> {
    let mut said = Vec::new();
    let signature = &contract.logic_signature;
    let names = |names: Vec<&String>| names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
    if !signature.state.is_empty() {
        said.push(format!("Keeps state of its own: {}.", names(signature.state.keys().collect())));
    }
    if !signature.emits.is_empty() {
        said.push(format!("Calls back through {}.", names(signature.emits.keys().collect())));
    }
    if !contract.version.hooks.is_empty() {
        said.push(format!("Uses the hooks {}.", names(contract.version.hooks.iter().collect())));
    }
    if !contract.routes.is_empty() {
        let routes: Vec<String> =
            contract.routes.iter().map(|route| format!("{} {}", route.method, route.path)).collect();
        said.push(format!("Answers {}.", routes.join(", ")));
    }
    said
}
