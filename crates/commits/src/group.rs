//! Units and evidence → groups of one intent each, with the reasons for them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::blocks::{Blocks, View};
use crate::change::{Change, Companion, Evidence};
use crate::cluster::{Chance, cluster};
use crate::follow_up::follow_ups;
use crate::mixture::unmixed;
use crate::model::Model;
use crate::parting::parted;
use crate::profile::Tree;
use crate::signal::Pair;
use crate::signals::SIGNALS;
use crate::unit::{HunkId, Unit, runs};

/// Every unit stands in exactly one group. Groups are in the order of their first unit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Grouping {
    pub groups: Vec<Group>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// `group-1` is the first.
    pub id: String,
    /// The changes that it has a part of, in their order.
    pub change_ids: Vec<String>,
    pub hunks: Vec<HunkId>,
    /// What it does, in one line.
    pub summary: String,
    /// Why these units belong together, the strongest first. None for a group of one unit.
    pub reasons: Vec<Reason>,
    /// How sure it is that this is one intent and all of it, from 0 to 1.
    pub confidence: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// The signal that says so, `shared_names`.
    pub signal: String,
    /// For a person: "both use `parse_header`".
    pub text: String,
    /// The share of the group's pairs for which it holds, weighted by how much it counts; from 0 to 1.
    pub weight: f64,
}

const MOST_REASONS: usize = 4;
/// Reasons are looked for in this many of a group's most likely pairs.
const MOST_PAIRS: usize = 400;
/// Why more units than this belong together is not asked a second time.
const MOST_EXPLAINED: usize = 500;
/// What a citation counts beside all other reasons.
const CITED: f64 = 0.5;
/// How likely two units belong together of which one says so.
const SAID: f32 = 0.95;

/// Groups the units of `changes`, which must come from [`crate::units`]. A run of changed lines is one to begin with; its
/// pieces part where they belong to different groups.
pub fn group(changes: &[Change<'_>], units: &[Unit], evidence: &Evidence<'_>) -> Grouping {
    group_by(Model::shipped(), changes, units, evidence)
}

/// The same by another model than the shipped one.
pub(crate) fn group_by(
    model: &Model,
    changes: &[Change<'_>],
    units: &[Unit],
    evidence: &Evidence<'_>,
) -> Grouping {
    let mut companions = follow_ups(changes, units);
    companions.retain(|it| !evidence.companions.iter().any(|known| known.unit == it.unit));
    companions.extend(evidence.companions.iter().cloned());
    let evidence = &Evidence { companions: &companions, ..*evidence };
    let mut blocks = Blocks::of(runs(units), units, evidence);
    let mut view = View::of(changes, &blocks, evidence, model);
    if let Some(unmixed) = unmixed(changes, units, &blocks.members, &view, evidence, model) {
        blocks = Blocks::of(unmixed.blocks.clone(), units, evidence);
        view = View::of(changes, &blocks, evidence, model);
        view.chances = unmixed.apart(view.chances);
    }
    let mut clusters = cluster(&view.files(), &unattached(&view.chances, &blocks.members, evidence), model);
    let parted = parted(changes, units, &blocks.members, &clusters, evidence, model);
    if let Some(parted) = parted {
        blocks = Blocks::of(parted.blocks, units, evidence);
        view = View::of(changes, &blocks, evidence, model);
        clusters = parted.clusters;
    }
    let of_units = |cluster: &Vec<u32>| -> Vec<u32> {
        let all = cluster.iter().flat_map(|block| &blocks.members[*block as usize]);
        let mut all: Vec<u32> = all.map(|unit| u32::try_from(*unit).unwrap_or(u32::MAX)).collect();
        all.sort_unstable();
        all
    };
    let clusters = accompanied(clusters.iter().map(of_units).collect(), evidence.companions);
    let clusters = kept_together(clusters, evidence.together);
    let mut home = vec![0; units.len()];
    for (number, cluster) in clusters.iter().enumerate() {
        for unit in cluster {
            home[*unit as usize] = number;
        }
    }
    let said = said_together(&companions, &blocks.members);
    let home_of = |block: u32| blocks.members[block as usize].first().map_or(0, |unit| home[*unit]);
    let mut ties: Vec<Ties> = clusters.iter().map(|_| Ties::default()).collect();
    for chance in &view.chances {
        let (one, other) = (home_of(chance.0), home_of(chance.1));
        if one == other {
            let sure = said.contains(&(chance.0.min(chance.1), chance.0.max(chance.1)));
            let likely = if sure { chance.2.max(SAID) } else { chance.2 };
            ties[one].inside.push((chance.0, chance.1, likely));
        } else {
            for (from, to) in [(one, other), (other, one)] {
                let outside = ties[from].outside.entry(to).or_default();
                outside.0 += chance.2;
                outside.1 += 1;
            }
        }
    }
    let groups = clusters.iter().zip(ties).enumerate().map(|(number, (cluster, ties))| {
        let members: Vec<&Unit> = cluster.iter().map(|unit| &units[*unit as usize]).collect();
        let mut change_ids: Vec<String> =
            members.iter().map(|unit| changes[unit.change].id.to_owned()).collect();
        change_ids.dedup();
        Group {
            id: format!("group-{}", number + 1),
            change_ids,
            hunks: members.iter().map(|unit| unit.id.clone()).collect(),
            summary: crate::message::summary(changes, &members, evidence.contracts),
            reasons: cited(reasons(&view.tree, &ties.inside, model), cluster, evidence.companions),
            confidence: ties.confidence(),
        }
    });
    Grouping { groups: groups.collect() }
}

/// The chances between blocks that do not say themselves what they belong to.
fn unattached<'a>(
    chances: &'a [Chance],
    blocks: &[Vec<usize>],
    evidence: &Evidence<'_>,
) -> std::borrow::Cow<'a, [Chance]> {
    if evidence.companions.is_empty() {
        return chances.into();
    }
    let says = |block: u32| {
        let units = &blocks[block as usize];
        evidence.companions.iter().any(|companion| units.contains(&companion.unit))
    };
    chances.iter().copied().filter(|(one, other, _)| !says(*one) && !says(*other)).collect()
}

/// Each companion in the cluster that has most of what it belongs to, the first of several.
fn accompanied(mut clusters: Vec<Vec<u32>>, companions: &[Companion]) -> Vec<Vec<u32>> {
    for companion in companions {
        let unit = u32::try_from(companion.unit).unwrap_or(u32::MAX);
        let holds = |cluster: &Vec<u32>| {
            let here = |other: &&usize| **other != companion.unit && is_in(cluster, **other);
            companion.with.iter().filter(here).count()
        };
        let counts: Vec<usize> = clusters.iter().map(holds).collect();
        let most = counts.iter().copied().max().unwrap_or_default();
        let Some(home) = counts.iter().position(|count| *count == most).filter(|_| most > 0) else {
            continue;
        };
        for cluster in &mut clusters {
            cluster.retain(|other| *other != unit);
        }
        clusters[home].push(unit);
        clusters[home].sort_unstable();
    }
    clusters.retain(|cluster| !cluster.is_empty());
    clusters.sort_unstable();
    clusters
}

/// Blocks of which one says that it belongs to the other, the first first.
fn said_together(companions: &[Companion], blocks: &[Vec<usize>]) -> BTreeSet<(u32, u32)> {
    let mut block_of: BTreeMap<usize, u32> = BTreeMap::new();
    for (number, block) in (0..).zip(blocks) {
        block_of.extend(block.iter().map(|unit| (*unit, number)));
    }
    let of = |unit: &usize| block_of.get(unit).copied();
    let pairs = companions.iter().flat_map(|it| it.with.iter().map(move |with| (it.unit, *with)));
    pairs
        .filter_map(|(one, other)| Some((of(&one)?, of(&other)?)))
        .map(|(one, other)| (one.min(other), one.max(other)))
        .collect()
}

fn is_in(cluster: &[u32], unit: usize) -> bool {
    cluster.iter().any(|member| *member as usize == unit)
}

/// What companions say of themselves is a reason too, and the surest.
fn cited(mut reasons: Vec<Reason>, cluster: &[u32], companions: &[Companion]) -> Vec<Reason> {
    let here = companions.iter().filter(|companion| {
        is_in(cluster, companion.unit) && companion.with.iter().any(|unit| is_in(cluster, *unit))
    });
    let Some(companion) = here.min_by_key(|companion| companion.unit) else { return reasons };
    let share = if reasons.is_empty() { 1.0 } else { CITED };
    for reason in &mut reasons {
        reason.weight = (reason.weight * (1.0 - share) * 1000.0).round() / 1000.0;
    }
    let (signal, text) = (companion.signal.to_owned(), companion.reason.clone());
    reasons.insert(0, Reason { signal, text, weight: share });
    reasons.truncate(MOST_REASONS);
    reasons
}

/// Clusters that share units which cannot be parted are one.
fn kept_together(mut clusters: Vec<Vec<u32>>, together: &[Vec<usize>]) -> Vec<Vec<u32>> {
    for set in together {
        let holds = |cluster: &Vec<u32>| cluster.iter().any(|unit| set.contains(&(*unit as usize)));
        let (held, mut others): (Vec<_>, Vec<_>) = clusters.into_iter().partition(holds);
        let mut joined = held.concat();
        joined.sort_unstable();
        others.extend((!joined.is_empty()).then_some(joined));
        others.sort_unstable();
        clusters = others;
    }
    clusters
}

#[derive(Debug, Default)]
struct Ties {
    inside: Vec<Chance>,
    /// Sum and count for each other group.
    outside: BTreeMap<usize, (f32, u32)>,
}

impl Ties {
    /// What is inside belongs together, and nothing outside does.
    fn confidence(&self) -> f64 {
        #[allow(clippy::cast_precision_loss, reason = "counts of pairs")]
        let mean =
            |sum: f32, count: usize| if count == 0 { None } else { Some(f64::from(sum) / count as f64) };
        let inside = mean(self.inside.iter().map(|chance| chance.2).sum(), self.inside.len()).unwrap_or(1.0);
        let rival =
            self.outside.values().filter_map(|(sum, count)| mean(*sum, *count as usize)).fold(0.0, f64::max);
        ((inside * (1.0 - rival)).sqrt().clamp(0.0, 1.0) * 1000.0).round() / 1000.0
    }
}

/// Why units belong together that are not a group as it was found, but part of one or of several.
pub(crate) fn reasons_of(changes: &[Change<'_>], units: &[Unit], evidence: &Evidence<'_>) -> Vec<Reason> {
    if units.len() > MOST_EXPLAINED {
        return Vec::new();
    }
    let model = Model::shipped();
    let all: Vec<u32> = (0..).take(units.len()).collect();
    let companions = follow_ups(changes, units);
    let evidence = Evidence { embeddings: None, companions: &[], ..*evidence };
    let blocks = Blocks::of(runs(units), units, &evidence);
    let view = View::of(changes, &blocks, &evidence, model);
    cited(reasons(&view.tree, &view.chances, model), &all, &companions)
}

/// The most telling reason of each signal, the signals that tell most first.
fn reasons(tree: &Tree<'_>, inside: &[Chance], model: &Model) -> Vec<Reason> {
    let mut likely: Vec<&Chance> = inside.iter().collect();
    likely.sort_by(|one, other| {
        other.2.total_cmp(&one.2).then_with(|| (one.0, one.1).cmp(&(other.0, other.1)))
    });
    likely.truncate(MOST_PAIRS);
    let mut column = 0;
    let mut found: Vec<Reason> = Vec::new();
    for signal in SIGNALS {
        let weight: f32 = model.weights.iter().skip(column).take(signal.features.len()).sum();
        column += signal.features.len();
        // By text: how often it is said, and the place where it was said first, which is that of the likeliest pair.
        let mut said: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        let mut pairs: u16 = 0;
        for (place, (one, other, _)) in likely.iter().enumerate() {
            if let Some(text) = (signal.reason)(&Pair { tree, one: *one as usize, other: *other as usize }) {
                pairs += 1;
                said.entry(text).or_insert((0, place)).0 += 1;
            }
        }
        let best =
            said.into_iter().max_by(|one, other| one.1.0.cmp(&other.1.0).then(other.1.1.cmp(&one.1.1)));
        if let Some((text, _)) = best {
            #[allow(clippy::cast_precision_loss, reason = "at most hundreds")]
            let share = f64::from(weight.max(0.001)) * f64::from(pairs) / likely.len() as f64;
            found.push(Reason { signal: signal.name.to_owned(), text, weight: share });
        }
    }
    let total: f64 = found.iter().map(|reason| reason.weight).sum();
    for reason in &mut found {
        reason.weight = (reason.weight / total * 1000.0).round() / 1000.0;
    }
    found.sort_by(|one, other| other.weight.total_cmp(&one.weight));
    found.truncate(MOST_REASONS);
    found
}
