//! Learning the model, and seeing how well it does on a repository that it has not seen.

use std::path::Path;

use becket_commits::cluster::{Chance, JOIN_FEATURES, cluster, trajectory};
use becket_commits::learning::{Example, example, feature_names, group_by};
use becket_commits::model::Model;

use super::dataset::{Case, visit};
use super::grow::{Growth, Rows, grow};
use super::metrics::{real, score};
use super::random::Random;
use super::report::{Divisions, Table, by_run};
use super::{EvalError, Sampling};

/// One tangle as the model sees it, with the truth.
#[derive(Debug)]
struct Sample {
    example: Example,
    labels: Vec<usize>,
    lines: Vec<usize>,
    intents: usize,
}

/// Of one tangle, at most this many pairs are learned from, so that a few large ones do not count for all.
const MOST_PAIRS: usize = 120;
const PAIR_GROWTH: Growth = Growth { trees: 140, depth: 5, rate: 0.12, restraint: 6.0 };
const JOIN_GROWTH: Growth = Growth { trees: 90, depth: 4, rate: 0.12, restraint: 6.0 };
/// Of two units that are not compared because nothing connects them; most such pairs are of two intents.
const BACKGROUND: f32 = 0.12;
/// Single intents that must be left whole, where the threshold can still choose.
const WHOLE_GOAL: f64 = 0.77;

pub(super) fn learn(sampling: &Sampling, output: Option<&Path>) -> Result<(), EvalError> {
    if sampling.repo.len() < 2 {
        return Err(EvalError::TooFew);
    }
    let mut table = Table::default();
    let mut names = Vec::new();
    let mut samples: Vec<Vec<Sample>> = Vec::new();
    for path in &sampling.repo {
        let mut own = Vec::new();
        let name = visit(path, sampling, |case: &Case<'_>, evidence| {
            table.add_baselines(case);
            own.push(Sample {
                example: example(case.changes, case.units, evidence),
                labels: case.tangle.labels.clone(),
                lines: case.lines.clone(),
                intents: case.tangle.intents,
            });
        })?;
        eprintln!(
            "{name}: {} tangles, {} pairs",
            own.len(),
            own.iter().map(|one| one.example.pairs.pairs.len()).sum::<usize>()
        );
        names.push(name);
        samples.push(own);
    }
    let mut divisions = Divisions::default();
    for (out, path) in sampling.repo.iter().enumerate() {
        let models = left_out(&samples, out);
        eprintln!(
            "{} left out: stop {:.2} for averages, {:.2} for joins",
            names[out], models.plain.stop, models.learned.stop
        );
        let mut own = Table::default();
        let mut parted = Divisions::default();
        visit(path, sampling, |case, evidence| {
            for (method, model) in [("average linkage", &models.plain), ("becket", &models.learned)] {
                let grouping = group_by(model, case.changes, case.pieces, evidence);
                let (answer, divisions) = by_run(case, &grouping);
                table.add(method, case, &answer);
                own.add(method, case, &answer);
                if method == "becket" {
                    parted.add(&divisions);
                }
            }
        })?;
        for method in ["average linkage", "becket"] {
            if let Some((ari, whole)) = own.summary(method) {
                println!(
                    "{}, left out, {method}: ARI {ari:.3}, single intents left whole {:.1} %",
                    names[out],
                    whole * 100.0
                );
            }
        }
        println!("{}, left out: {parted}", names[out]);
        divisions.add(&parted);
    }
    println!("all: {divisions}");
    table.print("each repository left out once", sampling.seed);
    if let Some(output) = output {
        let everything: Vec<usize> = (0..samples.len()).collect();
        let mut model = fit(&samples, &everything, None);
        model.made_by = format!(
            "cargo xtask eval learn --seed {} --each {} on {}",
            sampling.seed,
            sampling.each,
            names.join(", ")
        );
        let text = serde_json::to_string(&model).map_err(|source| EvalError::Json { source })?;
        #[allow(clippy::disallowed_methods, reason = "the model is what this command writes")]
        std::fs::write(output, text + "\n")
            .map_err(|source| EvalError::Write { path: output.to_path_buf(), source })?;
    }
    Ok(())
}

/// What was learned without one repository: the pairs alone, grouped by average linkage, and all of it.
struct Models {
    plain: Model,
    learned: Model,
}

fn left_out(samples: &[Vec<Sample>], out: usize) -> Models {
    let rest: Vec<usize> = (0..samples.len()).filter(|place| *place != out).collect();
    let mut plain = Model::default();
    let learned = fit(samples, &rest, Some(&mut plain));
    Models { plain, learned }
}

/// Learns from some of the repositories. The joining is learned from chances that a model without the repository gave,
/// because those of a model that knows the answers are too sure. `plain` becomes the same model with average linkage.
fn fit(samples: &[Vec<Sample>], from: &[usize], plain: Option<&mut Model>) -> Model {
    let width = feature_names().len();
    let (pair, weights) = fit_pairs(samples, from);
    let mut model = Model { features: feature_names(), weights, pair, ..Model::default() };
    model.weights.resize(width, 0.0);
    model.background = BACKGROUND;
    let mut unseen: Vec<(&Sample, Vec<Chance>)> = Vec::new();
    let folds = from.len().min(2);
    for fold in 0..folds {
        let inside: Vec<usize> = from
            .iter()
            .enumerate()
            .filter(|(rank, _)| rank % folds == fold)
            .map(|(_, place)| *place)
            .collect();
        let outside: Vec<usize> = from.iter().copied().filter(|place| !inside.contains(place)).collect();
        let (pair, _) = fit_pairs(samples, &outside);
        let fold_model = Model { pair, ..Model::default() };
        unseen.extend(
            inside
                .iter()
                .flat_map(|place| &samples[*place])
                .map(|sample| (sample, chances(sample, &fold_model))),
        );
    }
    if let Some(plain) = plain {
        *plain = model.clone();
        plain.stop = best_stop(&unseen, plain);
    }
    model.join = fit_joins(&unseen, model.background);
    model.stop = best_stop(&unseen, &model);
    model
}

fn fit_pairs(samples: &[Vec<Sample>], from: &[usize]) -> (becket_commits::forest::Forest, Vec<f32>) {
    let mut random = Random::new(1);
    let (mut rows, mut labels, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for sample in from.iter().flat_map(|place| &samples[*place]) {
        let pairs = &sample.example.pairs;
        let mut chosen: Vec<usize> = (0..pairs.pairs.len()).collect();
        random.shuffle(&mut chosen);
        chosen.truncate(MOST_PAIRS);
        for number in &chosen {
            let (one, other) = pairs.pairs[*number];
            rows.push(pairs.row(*number));
            labels.push(f32::from(u8::from(sample.labels[one as usize] == sample.labels[other as usize])));
            weights.push(weight(chosen.len()));
        }
    }
    let rows = Rows::new(feature_names().len(), &rows, labels, weights);
    grow(&rows, PAIR_GROWTH)
}

/// Small tangles count almost as much as large ones.
#[allow(clippy::cast_precision_loss, reason = "hundreds")]
fn weight(pairs: usize) -> f32 {
    3.0 / (pairs as f32).powf(0.7).max(1.0)
}

fn fit_joins(unseen: &[(&Sample, Vec<Chance>)], background: f32) -> becket_commits::forest::Forest {
    let (mut numbers, mut labels, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for (sample, chances) in unseen {
        let steps = trajectory(&sample.example.files, chances, background);
        for step in &steps {
            let same = step.one.iter().map(|one| {
                step.other
                    .iter()
                    .filter(|other| sample.labels[*one as usize] == sample.labels[**other as usize])
                    .count()
            });
            let share = real(same.sum()) / real(step.one.len() * step.other.len());
            numbers.push(step.numbers);
            labels.push(f32::from(u8::from(share > 0.5)));
            #[allow(clippy::cast_possible_truncation, reason = "a weight near one")]
            weights.push((((share - 0.5).abs() * 2.0).max(0.1) * 3.0 / real(steps.len()).sqrt()) as f32);
        }
    }
    let rows: Vec<&[f32]> = numbers.iter().map(<[f32; JOIN_FEATURES.len()]>::as_slice).collect();
    grow(&Rows::new(JOIN_FEATURES.len(), &rows, labels, weights), JOIN_GROWTH).0
}

/// The threshold with the best mean ARI among those that leave enough single intents whole; where none does, the one
/// that leaves most.
fn best_stop(unseen: &[(&Sample, Vec<Chance>)], model: &Model) -> f32 {
    let mut best: Option<(f64, f32)> = None;
    for step in 4_u8..=18 {
        let stop = f32::from(step) * 0.04;
        let trial = Model { stop, ..model.clone() };
        let (mut ari, mut tangled, mut whole, mut single) = (0.0, 0, 0.0, 0);
        for (sample, chances) in unseen.iter().step_by(2) {
            let answer = numbered(&cluster(&sample.example.files, chances, &trial), sample.labels.len());
            let scores = score(&sample.labels, &answer, &sample.lines);
            if sample.intents == 1 {
                whole += scores.perfect;
                single += 1;
            } else {
                ari += scores.ari;
                tangled += 1;
            }
        }
        let whole = whole / real(single.max(1));
        let value = ari / real(tangled.max(1)) - 2.0 * (WHOLE_GOAL - whole).max(0.0);
        if best.is_none_or(|best| value > best.0) {
            best = Some((value, stop));
        }
    }
    best.map_or(0.5, |best| best.1)
}

fn chances(sample: &Sample, model: &Model) -> Vec<Chance> {
    let pairs = &sample.example.pairs;
    let chance =
        |(number, (one, other)): (usize, &(u32, u32))| (*one, *other, model.pair.chance(pairs.row(number)));
    pairs.pairs.iter().enumerate().map(chance).collect()
}

fn numbered(clusters: &[Vec<u32>], units: usize) -> Vec<usize> {
    let mut answer = vec![0; units];
    for (number, cluster) in clusters.iter().enumerate() {
        for unit in cluster {
            answer[*unit as usize] = number;
        }
    }
    answer
}
