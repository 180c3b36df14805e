//! Tangles: several commits made one change of the tree, of which we know the parts. Rules 2 and 3 of the protocol.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use becket_commits::{Change, Stage};
use serde_json::{Value, json};

use super::EvalError;
use super::dataset::whole_runs;
use super::eligible::is_eligible;
use super::random::Random;
use super::repository::{Commit, Repository, files};
use super::trace::Trace;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Regime {
    /// Commits of one author within two weeks, picked onto one another.
    SameAuthor,
    /// Commits that really followed one another.
    Natural,
}

impl Regime {
    pub(super) const ALL: [Self; 2] = [Self::SameAuthor, Self::Natural];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::SameAuthor => "S",
            Self::Natural => "N",
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Tangle {
    pub(super) regime: Regime,
    /// How many commits it is made of.
    pub(super) intents: usize,
    /// Only commits before this one may be known.
    pub(super) before: usize,
    pub(super) patch: Vec<u8>,
    /// The commit that each unit is from.
    pub(super) labels: Vec<usize>,
    pub(super) mixed: usize,
    /// The commit that each piece of a unit is from, where that is known.
    pub(super) pieces: Vec<Option<usize>>,
}

const TWO_WEEKS: i64 = 14 * 24 * 3600;
const MOST_USES: usize = 2;
const CONTEXT: u32 = 3;

/// Up to `each` tangles for every number of intents from 1 to 4 and every regime, in the order of `before`.
pub(super) fn make(
    repository: &Repository,
    commits: &[Commit],
    seed: u64,
    each: usize,
    cache: Option<&Path>,
) -> Result<Vec<Tangle>, EvalError> {
    let kept = cache.map(|folder| folder.join(format!("{}-{seed}-{each}.tangles", repository.name())));
    if let Some(tangles) = kept.as_ref().and_then(|file| read(file)) {
        return Ok(tangles);
    }
    let eligible: Vec<usize> = (0..commits.len()).filter(|place| is_eligible(&commits[*place])).collect();
    let mut tangles = Vec::new();
    for regime in Regime::ALL {
        let mut random = Random::new(seed ^ (regime as u64 + 1).wrapping_mul(0x5851_f42d_4c95_7f2d));
        let mut maker = Maker { repository, commits, chains: BTreeMap::new(), uses: HashMap::new() };
        maker.chains = chains(repository, commits, &eligible, regime)?;
        for intents in [4, 3, 2, 1] {
            let mut seeds = eligible.clone();
            random.shuffle(&mut seeds);
            let mut found = 0;
            for seed in seeds {
                if found == each {
                    break;
                }
                if let Some(tangle) = maker.tangle(regime, intents, seed)? {
                    tangles.push(tangle);
                    found += 1;
                }
            }
        }
    }
    tangles.sort_by_key(|tangle| (tangle.before, tangle.regime, tangle.intents));
    if let Some(file) = kept {
        write(&file, &tangles)?;
    }
    Ok(tangles)
}

/// What is known of the parts of a tangle.
struct Labelled {
    patch: Vec<u8>,
    labels: Vec<usize>,
    mixed: usize,
    pieces: Vec<Option<usize>>,
}

struct Maker<'a> {
    repository: &'a Repository,
    commits: &'a [Commit],
    /// For every eligible commit, those that may follow it, in order.
    chains: BTreeMap<usize, Vec<usize>>,
    uses: HashMap<usize, usize>,
}

impl Maker<'_> {
    fn tangle(&mut self, regime: Regime, intents: usize, seed: usize) -> Result<Option<Tangle>, EvalError> {
        let free =
            |maker: &Self, commit: usize| maker.uses.get(&commit).copied().unwrap_or_default() < MOST_USES;
        let first = &self.commits[seed];
        if !free(self, seed) {
            return Ok(None);
        }
        let Some(parent) = &first.parent else { return Ok(None) };
        let (Some(base), Some(tree)) = (self.repository.tree(parent)?, self.repository.tree(&first.id)?)
        else {
            return Ok(None);
        };
        let mut trees = vec![base, tree];
        let mut used = vec![seed];
        for next in self.chains.get(&seed).into_iter().flatten().copied() {
            if used.len() == intents {
                break;
            }
            let last = trees[trees.len() - 1].clone();
            let tree = match regime {
                _ if !free(self, next) => None,
                Regime::SameAuthor => self.repository.pick(&last, &self.commits[next])?,
                Regime::Natural => self.repository.tree(&self.commits[next].id)?,
            };
            match tree {
                Some(tree) if tree != last => {
                    trees.push(tree);
                    used.push(next);
                }
                _ if regime == Regime::Natural => return Ok(None),
                _ => {}
            }
        }
        if used.len() < intents {
            return Ok(None);
        }
        let Some(Labelled { patch, labels, mixed, pieces }) = self.label(&trees)? else { return Ok(None) };
        for commit in &used {
            *self.uses.entry(*commit).or_default() += 1;
        }
        Ok(Some(Tangle { regime, intents, before: seed, patch, labels, mixed, pieces }))
    }

    /// The whole patch, the step that each of its units is from, and how many are of several steps.
    fn label(&self, trees: &[String]) -> Result<Option<Labelled>, EvalError> {
        let mut trace = Trace::default();
        for (step, pair) in trees.windows(2).enumerate() {
            let Some(patch) = self.repository.diff(&pair[0], &pair[1], 0)? else { return Ok(None) };
            let Some(changes) = files(&patch) else { return Ok(None) };
            trace.step(step, &changes);
        }
        let Some(patch) = self.repository.diff(&trees[0], &trees[trees.len() - 1], CONTEXT)? else {
            return Ok(None);
        };
        let Some(changed) = files(&patch) else { return Ok(None) };
        let changes = as_changes(&changed);
        let (units, pieces, _) = whole_runs(&changes);
        let labels: Option<Vec<_>> = units.iter().map(|unit| trace.label(&changes, unit)).collect();
        let Some(labels) = labels else { return Ok(None) };
        let steps: BTreeSet<usize> = labels.iter().map(|label| label.step).collect();
        if steps.len() + 1 != trees.len() || !(2..=60).contains(&labels.len()) {
            return Ok(None);
        }
        let mixed = labels.iter().filter(|label| label.mixed).count();
        let pieces =
            pieces.iter().map(|piece| trace.label(&changes, piece).map(|label| label.step)).collect();
        let labels = labels.iter().map(|label| label.step).collect();
        Ok(Some(Labelled { patch, labels, mixed, pieces }))
    }
}

/// The files of a patch as changes that are not staged.
pub(super) fn as_changes(files: &[becket_diff::FileChange]) -> Vec<Change<'_>> {
    files.iter().map(|file| Change { id: "", stage: Stage::Unstaged, file }).collect()
}

fn chains(
    repository: &Repository,
    commits: &[Commit],
    eligible: &[usize],
    regime: Regime,
) -> Result<BTreeMap<usize, Vec<usize>>, EvalError> {
    let mut chains = BTreeMap::new();
    match regime {
        Regime::SameAuthor => {
            let mut by_author: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
            for place in eligible {
                by_author.entry(&commits[*place].author).or_default().push(*place);
            }
            for places in by_author.values() {
                for (rank, place) in places.iter().enumerate() {
                    let near = |later: &&usize| {
                        (0..=TWO_WEEKS).contains(&(commits[**later].time - commits[*place].time))
                    };
                    chains.insert(*place, places[rank + 1..].iter().filter(near).take(12).copied().collect());
                }
            }
        }
        Regime::Natural => {
            let places: HashMap<&str, usize> =
                commits.iter().enumerate().map(|(place, commit)| (commit.id.as_str(), place)).collect();
            let line = repository.first_parents()?;
            let good: BTreeSet<usize> = eligible.iter().copied().collect();
            let line: Vec<Option<usize>> = line
                .iter()
                .rev()
                .map(|id| places.get(id.as_str()).copied().filter(|place| good.contains(place)))
                .collect();
            for (rank, place) in line.iter().enumerate() {
                if let Some(place) = place {
                    chains.insert(*place, line[rank + 1..].iter().map_while(|next| *next).take(3).collect());
                }
            }
        }
    }
    Ok(chains)
}

/// One JSON value; bytes are written as the characters of the same numbers.
#[allow(clippy::disallowed_methods, reason = "the folder is the caller's, for this")]
fn write(file: &Path, tangles: &[Tangle]) -> Result<(), EvalError> {
    let values: Vec<Value> = tangles
        .iter()
        .map(|tangle| {
            let patch: String = tangle.patch.iter().copied().map(char::from).collect();
            let Tangle { regime, intents, before, labels, mixed, pieces, .. } = tangle;
            json!([*regime as u8, intents, before, patch, labels, mixed, pieces])
        })
        .collect();
    std::fs::write(file, Value::Array(values).to_string())
        .map_err(|source| EvalError::Start { command: "write".to_owned(), source })
}

/// A tangle as it is kept.
type Kept = (u8, usize, usize, String, Vec<usize>, usize, Vec<Option<usize>>);

#[allow(clippy::disallowed_methods, reason = "the folder is the caller's, for this")]
fn read(file: &Path) -> Option<Vec<Tangle>> {
    let values: Vec<Kept> = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    let tangle = |(regime, intents, before, patch, labels, mixed, pieces): Kept| Tangle {
        regime: Regime::ALL[usize::from(regime).min(1)],
        intents,
        before,
        patch: patch.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap_or_default()).collect(),
        labels,
        mixed,
        pieces,
    };
    Some(values.into_iter().map(tangle).collect())
}
