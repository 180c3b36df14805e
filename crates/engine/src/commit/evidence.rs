//! What is known besides the changes themselves: the history, contracts where there are any, what notes cite, and vectors
//! where the user turned them on.

use std::sync::Arc;

use becket_commits::{Breaking, Companion, ContractFacts, Evidence, History, Unit, embedding_text};

use super::{citations::citations, contracts::contract_facts, cut::Cut, desk::Desk, statistics::statistics};
use crate::Engine;

#[derive(Debug)]
pub(super) struct Known<'a> {
    history: History,
    contracts: &'a [ContractFacts],
    /// By the numbers of units.
    companions: Vec<Companion>,
    /// For all units of the cut.
    vectors: Option<Vec<Arc<[f32]>>>,
    /// Why something is missing.
    pub(super) warnings: Vec<String>,
}

impl Engine {
    pub(super) fn known<'a>(&self, desk: &Desk, cut: &'a Cut) -> Known<'a> {
        let history = statistics(&desk.git, &desk.write, cut.snapshot.trees.commit.as_deref());
        let contracts = contract_facts(desk, cut);
        let companions = citations(desk, cut);
        let mut known = Known { history, contracts, companions, vectors: None, warnings: Vec::new() };
        let vectors = match self.embedder() {
            Ok(None) => return known,
            Ok(Some(embedder)) => {
                let changes = cut.changes();
                let texts: Vec<String> =
                    cut.units.iter().map(|unit| embedding_text(&changes, unit)).collect();
                embedder.embed(&texts.iter().map(String::as_str).collect::<Vec<_>>())
            }
            Err(error) => Err(error),
        };
        match vectors {
            Ok(vectors) => known.vectors = Some(vectors),
            Err(error) => known.warnings.push(format!("grouped without embeddings: {error}")),
        }
        known
    }
}

/// What is known of some of the units.
#[derive(Debug)]
pub(super) struct Selection {
    pub(super) units: Vec<Unit>,
    vectors: Option<Vec<Arc<[f32]>>>,
    together: Vec<Vec<usize>>,
    companions: Vec<Companion>,
    breaking: Vec<Breaking>,
}

impl<'a> Known<'a> {
    /// Only what commits are worded from.
    pub(super) fn for_wording(desk: &Desk, cut: &'a Cut) -> Self {
        Self {
            history: History::default(),
            contracts: contract_facts(desk, cut),
            companions: Vec::new(),
            vectors: None,
            warnings: Vec::new(),
        }
    }

    /// For these units, by their numbers.
    pub(super) fn select(&self, cut: &Cut, numbers: &[usize]) -> Selection {
        let places = |units: &[usize]| -> Vec<usize> {
            units.iter().filter_map(|unit| numbers.binary_search(unit).ok()).collect()
        };
        let sets = cut.together().into_iter().map(|set| places(&set));
        let companion = |known: &Companion| {
            let unit = numbers.binary_search(&known.unit).ok()?;
            Some(Companion { unit, with: places(&known.with), ..known.clone() })
        };
        Selection {
            units: numbers.iter().map(|number| cut.units[*number].clone()).collect(),
            vectors: self
                .vectors
                .as_ref()
                .map(|all| numbers.iter().filter_map(|number| all.get(*number).cloned()).collect()),
            together: sets.filter(|set| set.len() > 1).collect(),
            companions: self.companions.iter().filter_map(companion).collect(),
            breaking: Vec::new(),
        }
    }

    pub(super) fn evidence<'b>(&'b self, selection: &'b Selection) -> Evidence<'b> {
        Evidence {
            history: &self.history,
            embeddings: selection.vectors.as_deref(),
            contracts: self.contracts,
            together: &selection.together,
            companions: &selection.companions,
            breaking: &selection.breaking,
        }
    }
}

impl Selection {
    /// Takes in what these units break, which are told by their numbers.
    pub(super) fn break_promises(&mut self, numbers: &[usize], breaking: Vec<Breaking>) {
        let places =
            |units: Vec<usize>| units.iter().filter_map(|unit| numbers.binary_search(unit).ok()).collect();
        self.breaking = breaking
            .into_iter()
            .map(|broken| Breaking { units: places(broken.units), text: broken.text })
            .collect();
    }
}
