//! Chances of pairs → clusters of units: the two most likely clusters are joined until no join is likely enough. Ties
//! are broken by the order of units, so that the same input always gives the same clusters.

use std::collections::{BTreeMap, BinaryHeap};

use crate::model::Model;
use crate::profile::{logarithm, ratio};

/// Two units and how likely they belong together.
pub type Chance = (u32, u32, f32);

/// What there is between two clusters.
#[derive(Debug, Clone, Copy, Default)]
struct Link {
    count: u32,
    sum: f32,
    squares: f32,
    best: f32,
    second: f32,
    strong: u32,
}

impl Link {
    fn of(chance: f32) -> Self {
        Self {
            count: 1,
            sum: chance,
            squares: chance * chance,
            best: chance,
            second: 0.0,
            strong: u32::from(chance > 0.5),
        }
    }

    fn with(self, other: Self) -> Self {
        let low = self.best.min(other.best);
        Self {
            count: self.count + other.count,
            sum: self.sum + other.sum,
            squares: self.squares + other.squares,
            best: self.best.max(other.best),
            second: low.max(self.second).max(other.second),
            strong: self.strong + other.strong,
        }
    }
}

#[derive(Debug, Clone)]
struct Cluster {
    units: Vec<u32>,
    files: Vec<usize>,
    inside: Link,
    links: BTreeMap<u32, Link>,
    /// Raised at every change, so that older entries of the queue are known as such.
    version: u32,
}

/// One possible join, the likeliest first and then the earliest units.
#[derive(Debug, PartialEq)]
struct Join {
    score: f32,
    one: u32,
    other: u32,
    versions: (u32, u32),
}

impl Eq for Join {}

impl Ord for Join {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.score.total_cmp(&other.score).then_with(|| (other.one, other.other).cmp(&(self.one, self.other)))
    }
}

impl PartialOrd for Join {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Numbers about two clusters, for the model.
pub const JOIN_FEATURES: [&str; 18] = [
    "mean",
    "best",
    "second",
    "strong",
    "spread",
    "smaller",
    "larger",
    "looser",
    "tighter",
    "common_files",
    "held_files",
    "units",
    "files",
    "share",
    "clusters",
    "rival",
    "weaker_rival",
    "connected",
];

/// A join on the way to one cluster: its numbers and the units of both sides.
#[derive(Debug, Clone)]
pub struct Step {
    pub numbers: [f32; JOIN_FEATURES.len()],
    pub one: Vec<u32>,
    pub other: Vec<u32>,
}

/// The clusters, each sorted, in the order of their first unit.
///
/// `files` says of each unit which file it is in.
pub fn cluster(files: &[usize], chances: &[Chance], model: &Model) -> Vec<Vec<u32>> {
    let mut state = State::new(files, chances, model.background);
    let learned = !model.join.trees.is_empty();
    let stop = model.stop;
    state.run(
        |numbers| if learned { model.join.chance(numbers) } else { numbers[0] },
        |score, _| score >= stop,
    );
    state.finish()
}

/// All joins that average linkage makes until one cluster is left: what the joining is learned from.
pub fn trajectory(files: &[usize], chances: &[Chance], background: f32) -> Vec<Step> {
    let mut state = State::new(files, chances, background);
    let mut steps = Vec::new();
    state.run(
        |numbers| numbers[0],
        |_, step| {
            steps.push(step());
            true
        },
    );
    steps
}

struct State {
    clusters: Vec<Option<Cluster>>,
    background: f32,
    units: usize,
    files: usize,
    alive: usize,
}

impl State {
    fn new(files: &[usize], chances: &[Chance], background: f32) -> Self {
        let alone = |(unit, file): (u32, &usize)| {
            Some(Cluster {
                units: vec![unit],
                files: vec![*file],
                inside: Link::default(),
                links: BTreeMap::new(),
                version: 0,
            })
        };
        let mut clusters: Vec<Option<Cluster>> = (0..).zip(files).map(alone).collect();
        for (one, other, chance) in chances {
            for (from, to) in [(*one, *other), (*other, *one)] {
                if let Some(cluster) = clusters.get_mut(from as usize).and_then(Option::as_mut) {
                    cluster.links.insert(to, Link::of(*chance));
                }
            }
        }
        let units = clusters.len();
        let distinct: std::collections::BTreeSet<usize> = files.iter().copied().collect();
        Self { clusters, background, units, files: distinct.len(), alive: units }
    }

    fn run(&mut self, score: impl Fn(&[f32]) -> f32, mut accept: impl FnMut(f32, &dyn Fn() -> Step) -> bool) {
        let mut queue = BinaryHeap::new();
        for one in 0..self.units {
            self.push_joins(one, &score, &mut queue, |other| other as usize > one);
        }
        while let Some(join) = queue.pop() {
            let (one, other) = (join.one as usize, join.other as usize);
            let current =
                |place: usize, version| self.clusters[place].as_ref().is_some_and(|it| it.version == version);
            if !current(one, join.versions.0) || !current(other, join.versions.1) {
                continue;
            }
            let step = || {
                let units = |place: usize| {
                    self.clusters[place].as_ref().map(|it| it.units.clone()).unwrap_or_default()
                };
                let numbers = self.numbers(one, other).unwrap_or([0.0; JOIN_FEATURES.len()]);
                Step { numbers, one: units(one), other: units(other) }
            };
            if !accept(join.score, &step) {
                return;
            }
            self.join(one, other);
            self.push_joins(one, &score, &mut queue, |_| true);
        }
    }

    fn push_joins(
        &self,
        one: usize,
        score: &impl Fn(&[f32]) -> f32,
        queue: &mut BinaryHeap<Join>,
        wanted: impl Fn(u32) -> bool,
    ) {
        let Some(cluster) = &self.clusters[one] else { return };
        for other in cluster.links.keys().copied().filter(|other| wanted(*other)) {
            let Some(numbers) = self.numbers(one, other as usize) else { continue };
            let Some(second) = &self.clusters[other as usize] else { continue };
            let (low, high) = (one.min(other as usize), one.max(other as usize));
            let versions = if low == one {
                (cluster.version, second.version)
            } else {
                (second.version, cluster.version)
            };
            let place = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
            queue.push(Join { score: score(&numbers), one: place(low), other: place(high), versions });
        }
    }

    /// Joins the second into the first.
    fn join(&mut self, one: usize, other: usize) {
        let Some(gone) = self.clusters[other].take() else { return };
        let (kept_id, gone_id) =
            (u32::try_from(one).unwrap_or(u32::MAX), u32::try_from(other).unwrap_or(u32::MAX));
        for (neighbour, link) in &gone.links {
            if let Some(cluster) = self.clusters[*neighbour as usize].as_mut() {
                cluster.links.remove(&gone_id);
                if *neighbour != kept_id {
                    let joined = cluster.links.get(&kept_id).copied().unwrap_or_default().with(*link);
                    cluster.links.insert(kept_id, joined);
                }
            }
        }
        if let Some(kept) = self.clusters[one].as_mut() {
            for (neighbour, link) in &gone.links {
                if *neighbour == kept_id {
                    kept.inside = kept.inside.with(*link);
                } else {
                    let joined = kept.links.get(neighbour).copied().unwrap_or_default().with(*link);
                    kept.links.insert(*neighbour, joined);
                }
            }
            kept.inside = kept.inside.with(gone.inside);
            kept.units.extend(&gone.units);
            kept.files.extend(&gone.files);
            kept.files.sort_unstable();
            kept.files.dedup();
            kept.version += 1;
        }
        self.alive -= 1;
    }

    fn mean(&self, link: &Link, pairs: usize) -> f32 {
        let pairs = ratio(pairs, 1);
        let known = ratio(link.count as usize, 1);
        if pairs > 0.0 { (link.sum + (pairs - known).max(0.0) * self.background) / pairs } else { 1.0 }
    }

    fn numbers(&self, one: usize, other: usize) -> Option<[f32; JOIN_FEATURES.len()]> {
        let (one_id, other_id) = (u32::try_from(one).ok()?, u32::try_from(other).ok()?);
        let (one, other) = (self.clusters[one].as_ref()?, self.clusters[other].as_ref()?);
        let link = one.links.get(&other_id)?;
        let pairs = one.units.len() * other.units.len();
        let mean = self.mean(link, pairs);
        let known = ratio(link.count as usize, 1).max(1.0);
        let spread = (link.squares / known - (link.sum / known).powi(2)).max(0.0).sqrt();
        let held = |cluster: &Cluster| {
            self.mean(&cluster.inside, cluster.units.len() * (cluster.units.len() - 1) / 2)
        };
        let (inside, within) = (held(one), held(other));
        let mut common = 0;
        crate::profile::merge(&one.files, &other.files, Ord::cmp, |_, _| common += 1);
        let rival = |cluster: &Cluster, not: u32| {
            let others = cluster.links.iter().filter(|(id, _)| **id != not);
            others.fold(0.0_f32, |best, (id, link)| {
                let size = self.clusters[*id as usize].as_ref().map_or(0, |other| other.units.len());
                best.max(self.mean(link, size * cluster.units.len()))
            })
        };
        let (first_rival, second_rival) = (rival(one, other_id), rival(other, one_id));
        Some([
            mean,
            link.best,
            if link.count > 1 { link.second } else { link.best },
            ratio(link.strong as usize, pairs),
            spread,
            logarithm(one.units.len().min(other.units.len())),
            logarithm(one.units.len().max(other.units.len())),
            inside.min(within),
            inside.max(within),
            ratio(common, one.files.len() + other.files.len() - common),
            ratio(common, one.files.len().min(other.files.len())),
            logarithm(self.units),
            logarithm(self.files),
            ratio(one.units.len() + other.units.len(), self.units),
            logarithm(self.alive),
            mean - first_rival.max(second_rival),
            mean - first_rival.min(second_rival),
            ratio(link.count as usize, pairs),
        ])
    }

    fn finish(self) -> Vec<Vec<u32>> {
        let mut clusters: Vec<Vec<u32>> =
            self.clusters.into_iter().flatten().map(|cluster| cluster.units).collect();
        for cluster in &mut clusters {
            cluster.sort_unstable();
        }
        clusters.sort_unstable();
        clusters
    }
}
