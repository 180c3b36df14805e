//! The table that an evaluation prints.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::time::{Duration, Instant};

use becket_commits::{Grouping, HunkId, group};

use super::dataset::{Case, changed_lines, visit};
use super::metrics::{Scores, bootstrap, real, score};
use super::tangle::Regime;
use super::{EvalError, Sampling};

/// What one method did with one tangle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Result {
    pub(super) regime: Regime,
    pub(super) intents: usize,
    pub(super) scores: Scores,
}

/// Results by method, in the order of first use.
#[derive(Debug, Default)]
pub(super) struct Table {
    methods: Vec<(String, Vec<Result>)>,
}

impl Table {
    pub(super) fn add(&mut self, method: &str, case: &Case<'_>, answer: &[usize]) {
        let scores = score(&case.tangle.labels, answer, &case.lines);
        self.push(method, Result { regime: case.tangle.regime, intents: case.tangle.intents, scores });
    }

    pub(super) fn push(&mut self, method: &str, result: Result) {
        match self.methods.iter_mut().find(|(name, _)| name == method) {
            Some((_, results)) => results.push(result),
            None => self.methods.push((method.to_owned(), vec![result])),
        }
    }

    /// One-per-file, one-per-directory and all-in-one.
    pub(super) fn add_baselines(&mut self, case: &Case<'_>) {
        let path = |unit: &becket_commits::Unit| case.changes[unit.change].path().as_bytes().to_vec();
        let folder = |unit: &becket_commits::Unit| {
            let path = path(unit);
            let end = path.iter().rposition(|byte| *byte == b'/').unwrap_or_default();
            path[..end].to_vec()
        };
        self.add("all-in-one", case, &vec![0; case.units.len()]);
        self.add("one-per-file", case, &numbered(case.units.iter().map(path)));
        self.add("one-per-directory", case, &numbered(case.units.iter().map(folder)));
    }

    pub(super) fn print(&self, title: &str, seed: u64) {
        for regime in Regime::ALL {
            let count = |intents: &dyn Fn(usize) -> bool| {
                let first = self.methods.first().map(|(_, results)| results.as_slice()).unwrap_or_default();
                first.iter().filter(|result| result.regime == regime && intents(result.intents)).count()
            };
            let (tangled, single) = (count(&|intents| intents > 1), count(&|intents| intents == 1));
            println!(
                "\n{title}, regime {}: {tangled} tangles of 2 to 4 intents, {single} of one",
                regime.name()
            );
            println!(
                "| method | ARI [95 %] | pair F1 | Acc-c | perfect % | k=2/3/4 ARI | groups | k=1 whole % [95 %] |"
            );
            println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
            for (method, results) in &self.methods {
                let results: Vec<&Result> = results.iter().filter(|result| result.regime == regime).collect();
                println!("{}", row(method, &results, seed));
            }
        }
    }

    /// Mean ARI over tangles and share of single intents left whole, both regimes together.
    pub(super) fn summary(&self, method: &str) -> Option<(f64, f64)> {
        let (_, results) = self.methods.iter().find(|(name, _)| name == method)?;
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / real(values.len().max(1));
        Some((
            mean(results.iter().filter(|it| it.intents > 1).map(|it| it.scores.ari).collect()),
            mean(results.iter().filter(|it| it.intents == 1).map(|it| it.scores.perfect).collect()),
        ))
    }
}

fn row(method: &str, results: &[&Result], seed: u64) -> String {
    let tangled = |value: fn(&Scores) -> f64| -> Vec<f64> {
        results.iter().filter(|result| result.intents > 1).map(|result| value(&result.scores)).collect()
    };
    let whole: Vec<f64> = results
        .iter()
        .filter(|result| result.intents == 1)
        .map(|result| result.scores.perfect * 100.0)
        .collect();
    let ari = bootstrap(&tangled(|scores| scores.ari), seed);
    let interval = |value: fn(&Scores) -> f64| bootstrap(&tangled(value), seed);
    let of = |intents: usize| -> f64 {
        let values: Vec<f64> = results
            .iter()
            .filter(|result| result.intents == intents)
            .map(|result| result.scores.ari)
            .collect();
        values.iter().sum::<f64>() / real(values.len().max(1))
    };
    let (f1, accuracy) = (interval(|scores| scores.pair_f1), interval(|scores| scores.accuracy));
    let perfect = interval(|scores| scores.perfect * 100.0);
    let whole = bootstrap(&whole, seed);
    format!(
        "| {method} | {:.3} [{:.3}, {:.3}] | {:.3} [{:.3}, {:.3}] | {:.3} [{:.3}, {:.3}] | {:.1} [{:.1}, {:.1}] | {:.2}/{:.2}/{:.2} | {:.2} | {:.1} [{:.1}, {:.1}] |",
        ari.mean,
        ari.low,
        ari.high,
        f1.mean,
        f1.low,
        f1.high,
        accuracy.mean,
        accuracy.low,
        accuracy.high,
        perfect.mean,
        perfect.low,
        perfect.high,
        of(2),
        of(3),
        of(4),
        interval(|scores| scores.groups).mean,
        whole.mean,
        whole.low,
        whole.high,
    )
}

/// Groups of equal values, numbered in the order of their first.
fn numbered(values: impl Iterator<Item = Vec<u8>>) -> Vec<usize> {
    let mut known: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    values
        .map(|value| {
            let next = known.len();
            *known.entry(value).or_insert(next)
        })
        .collect()
}

/// Runs that could be parted, and how that went.
#[derive(Debug, Default)]
pub(super) struct Divisions {
    /// Runs of several pieces.
    divisible: usize,
    /// Those whose pieces come from several commits, as far as that is known.
    mixed: usize,
    parted: usize,
    /// Those of them that come from several commits.
    rightly: usize,
}

impl Divisions {
    pub(super) fn add(&mut self, other: &Self) {
        self.divisible += other.divisible;
        self.mixed += other.mixed;
        self.parted += other.parted;
        self.rightly += other.rightly;
    }
}

impl fmt::Display for Divisions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { divisible, mixed, parted, rightly } = self;
        write!(
            formatter,
            "{divisible} could be parted, {mixed} of them of several commits; {parted} were, {rightly} rightly"
        )
    }
}

/// The group of each run, which is that of most of its lines, and how many runs were parted.
pub(super) fn by_run(case: &Case<'_>, grouping: &Grouping) -> (Vec<usize>, Divisions) {
    let mut places: HashMap<&HunkId, usize> = HashMap::new();
    for (number, group) in grouping.groups.iter().enumerate() {
        places.extend(group.hunks.iter().map(|hunk| (hunk, number)));
    }
    let mut votes: Vec<BTreeMap<usize, usize>> = vec![BTreeMap::new(); case.units.len()];
    let mut truth: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); case.units.len()];
    let mut pieces = vec![0_usize; case.units.len()];
    for (number, (piece, run)) in case.pieces.iter().zip(case.run_of).enumerate() {
        let group = places.get(&piece.id).copied().unwrap_or_default();
        *votes[*run].entry(group).or_default() += changed_lines(case.changes, piece);
        truth[*run].extend(case.tangle.pieces.get(number).copied().flatten());
        pieces[*run] += 1;
    }
    let mut parted = Divisions::default();
    for ((votes, truth), pieces) in votes.iter().zip(&truth).zip(pieces) {
        parted.divisible += usize::from(pieces > 1);
        parted.mixed += usize::from(truth.len() > 1);
        parted.parted += usize::from(votes.len() > 1);
        parted.rightly += usize::from(votes.len() > 1 && truth.len() > 1);
    }
    let most = |votes: &BTreeMap<usize, usize>| {
        votes
            .iter()
            .max_by_key(|(group, lines)| (**lines, std::cmp::Reverse(**group)))
            .map(|(group, _)| *group)
    };
    (votes.iter().map(|votes| most(votes).unwrap_or_default()).collect(), parted)
}

/// Groups every tangle by the same function that answers `group_changes`.
pub(super) fn untangle(sampling: &Sampling) -> std::result::Result<(), EvalError> {
    for path in &sampling.repo {
        let mut table = Table::default();
        let (mut units, mut mixed, mut spent) = (0, 0, Duration::ZERO);
        let (mut not_replayed, mut parted) = (0, Divisions::default());
        let name = visit(path, sampling, |case, evidence| {
            let begun = Instant::now();
            let grouping = group(case.changes, case.pieces, evidence);
            spent += begun.elapsed();
            let (answer, own) = by_run(case, &grouping);
            parted.add(&own);
            let answered: usize = grouping.groups.iter().map(|group| group.hunks.len()).sum();
            not_replayed += usize::from(answered != case.pieces.len());
            table.add_baselines(case);
            table.add("becket", case, &answer);
            units += case.units.len();
            mixed += case.tangle.mixed;
        })?;
        table.print(&name, sampling.seed);
        println!(
            "\n{units} units, {mixed} of them mixed ({:.1} %); {parted}; grouping took {:.1} ms in all; {not_replayed} answers left a unit out",
            100.0 * real(mixed) / real(units.max(1)),
            spent.as_secs_f64() * 1e3
        );
    }
    Ok(())
}
