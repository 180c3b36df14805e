//! Which commit comes first. Some units cannot be applied before others: those are requirements, and an order without
//! them is wrong. That a name is declared before it is used, and its uses go before it does, is kept where it can be.

use std::collections::{BTreeMap, BTreeSet};

use becket_diff::{FilePath, Hunk, LineKind, Side, Status};

use crate::change::{Change, ContractFacts, Stage, facts_of, symbol};
use crate::plan::Requirement;
use crate::unit::{Part, Unit};
use crate::words::{self, DeclarationKind};

/// All that must be kept between units, sorted.
pub(crate) fn requirements(
    changes: &[Change<'_>],
    units: &[Unit],
    together: &[Vec<usize>],
) -> Vec<Requirement> {
    let mut found = BTreeSet::new();
    let mut need = |hunk: &Unit, needs: &Unit| {
        found.insert(Requirement { hunk: hunk.id.clone(), needs: needs.id.clone() });
    };
    let mut by_path: BTreeMap<&FilePath, Vec<&Unit>> = BTreeMap::new();
    for unit in units {
        let file = changes[unit.change].file;
        let old = file.old.as_ref().filter(|_| file.status == Status::Renamed).map(|side| &side.path);
        for path in [Some(changes[unit.change].path()), old].into_iter().flatten() {
            by_path.entry(path).or_default().push(unit);
        }
    }
    for beside in by_path.values() {
        for unit in beside {
            for other in beside {
                if needs(changes, unit, other) {
                    need(unit, other);
                }
            }
        }
    }
    for set in together {
        let members: Vec<&Unit> = set.iter().filter_map(|place| units.get(*place)).collect();
        for pair in members.windows(2) {
            need(pair[0], pair[1]);
            need(pair[1], pair[0]);
        }
    }
    found.into_iter().collect()
}

/// Whether `unit` cannot be applied before `other`. Both are about one path.
fn needs(changes: &[Change<'_>], unit: &Unit, other: &Unit) -> bool {
    let (change, before) = (&changes[unit.change], &changes[other.change]);
    if unit.change == other.change {
        let renamed = matches!(change.file.status, Status::Renamed | Status::Copied);
        return renamed && matches!((&unit.part, &other.part), (Part::Lines(_), Part::Metadata));
    }
    let later = before.stage == Stage::Staged && change.stage != Stage::Staged;
    // One path, deleted and added in one step: a change of type.
    let replaced = before.stage == change.stage
        && before.path() == change.path()
        && unit.hunk().is_none()
        && other.hunk().is_none();
    match (&unit.part, &other.part) {
        _ if replaced => true,
        (_, Part::File) => later,
        (Part::Lines(unit), Part::Lines(other)) => later && touches(unit, other),
        (_, Part::Metadata) => later && before.file.status == Status::Renamed,
        _ => false,
    }
}

/// Whether the lines that an unstaged hunk replaces touch or border those that a staged one made. Both are lines of
/// the index.
fn touches(unstaged: &Hunk, staged: &Hunk) -> bool {
    let span =
        |start: usize, lines: usize| if lines == 0 { (start, start) } else { (start - 1, start - 1 + lines) };
    let (from, to) = span(unstaged.old.start.max(usize::from(unstaged.old.lines > 0)), unstaged.old.lines);
    let (begin, end) = span(staged.new.start.max(usize::from(staged.new.lines > 0)), staged.new.lines);
    from <= end && begin <= to
}

/// Bins of units that need each other, by requirements, are one bin afterwards. Bins keep the order of their first.
pub(crate) fn joined(bins: Vec<Vec<usize>>, units: &[Unit], requirements: &[Requirement]) -> Vec<Vec<usize>> {
    let places: BTreeMap<&str, usize> =
        units.iter().enumerate().map(|(place, unit)| (unit.id.as_str(), place)).collect();
    let mut bins = bins;
    loop {
        let edges = edges(&bins, &places, requirements);
        let Some((one, other)) = in_a_circle(&edges, bins.len()) else { return bins };
        let (low, high) = (one.min(other), one.max(other));
        let gone = bins.remove(high);
        bins[low].extend(gone);
        bins[low].sort_unstable();
    }
}

/// From each bin to those that it needs.
fn edges(
    bins: &[Vec<usize>],
    places: &BTreeMap<&str, usize>,
    requirements: &[Requirement],
) -> BTreeSet<(usize, usize)> {
    let mut home = BTreeMap::new();
    for (bin, units) in bins.iter().enumerate() {
        for unit in units {
            home.insert(*unit, bin);
        }
    }
    let of = |id: &str| places.get(id).and_then(|place| home.get(place)).copied();
    let pairs = requirements
        .iter()
        .filter_map(|needed| Some((of(needed.hunk.as_str())?, of(needed.needs.as_str())?)));
    pairs.filter(|(one, other)| one != other).collect()
}

/// Two bins of which each can be reached from the other.
fn in_a_circle(edges: &BTreeSet<(usize, usize)>, count: usize) -> Option<(usize, usize)> {
    let reached = |from: usize| {
        let mut seen = BTreeSet::new();
        let mut todo = vec![from];
        while let Some(next) = todo.pop() {
            for (_, to) in edges.range((next, 0)..(next + 1, 0)) {
                if seen.insert(*to) {
                    todo.push(*to);
                }
            }
        }
        seen
    };
    let needy: BTreeSet<usize> = edges.iter().map(|(from, _)| *from).filter(|from| *from < count).collect();
    needy.into_iter().find_map(|one| {
        let all = reached(one);
        if !all.contains(&one) {
            return None;
        }
        all.iter()
            .copied()
            .find(|other| *other != one && reached(*other).contains(&one))
            .map(|other| (one, other))
    })
}

/// An order of bins, and for each bin those that should come before it.
pub(crate) struct Order {
    pub(crate) order: Vec<usize>,
    pub(crate) before: Vec<BTreeSet<usize>>,
}

/// `ranks` decides where nothing else does; then the order of the bins.
pub(crate) fn order<R: Ord + Copy>(
    changes: &[Change<'_>],
    units: &[Unit],
    bins: &[Vec<usize>],
    requirements: &[Requirement],
    ranks: &[R],
    contracts: &[ContractFacts],
) -> Order {
    let places: BTreeMap<&str, usize> =
        units.iter().enumerate().map(|(place, unit)| (unit.id.as_str(), place)).collect();
    let mut hard: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); bins.len()];
    for (one, other) in edges(bins, &places, requirements) {
        hard[one].insert(other);
    }
    let soft = soft(changes, units, bins, contracts);
    let mut order: Vec<usize> = Vec::new();
    let mut left: BTreeSet<usize> = (0..bins.len()).collect();
    while !left.is_empty() {
        let open = |edges: &BTreeSet<usize>| edges.iter().filter(|bin| left.contains(bin)).count();
        let ready = left.iter().copied().filter(|bin| open(&hard[*bin]) == 0);
        // Where names are used in a circle, the bin that waits for fewest comes first.
        let next = ready.min_by_key(|bin| (open(&soft[*bin]), ranks[*bin], *bin));
        let Some(next) = next.or_else(|| left.first().copied()) else { break };
        left.remove(&next);
        order.push(next);
    }
    let rank: BTreeMap<usize, usize> = order.iter().enumerate().map(|(rank, bin)| (*bin, rank)).collect();
    let kept =
        |bin: usize| hard[bin].union(&soft[bin]).copied().filter(|other| rank[other] < rank[&bin]).collect();
    let before = (0..bins.len()).map(kept).collect();
    Order { order, before }
}

/// A name as it stands, or what contracts know it to mean.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Named {
    Text(Vec<u8>),
    Symbol(u64),
}

/// Declarations before uses, and the last uses before what they used goes.
fn soft(
    changes: &[Change<'_>],
    units: &[Unit],
    bins: &[Vec<usize>],
    contracts: &[ContractFacts],
) -> Vec<BTreeSet<usize>> {
    let mut added: BTreeMap<Named, BTreeSet<usize>> = BTreeMap::new();
    let mut removed = added.clone();
    let mut uses: Vec<BTreeSet<Named>> = Vec::new();
    let mut drops = uses.clone();
    for (bin, members) in bins.iter().enumerate() {
        let (mut used, mut dropped) = (BTreeSet::new(), BTreeSet::new());
        for unit in members.iter().map(|place| &units[*place]) {
            let change = &changes[unit.change];
            let hunks: Vec<&Hunk> = match &unit.part {
                Part::Lines(hunk) => vec![hunk],
                Part::File => change.file.hunks().iter().collect(),
                Part::Metadata => Vec::new(),
            };
            let facts = facts_of(contracts, unit.change);
            let path = |side: Option<&Side>| side.map(|side| side.path.to_text().into_owned());
            let (old, new) = (path(change.file.old.as_ref()), path(change.file.new.as_ref()));
            for line in hunks.into_iter().flat_map(Hunk::lines).filter(|line| line.kind != LineKind::Context)
            {
                let (declared, seen, side, own) = match line.kind {
                    LineKind::Added => (&mut added, &mut used, facts.map(|facts| &facts.new), &new),
                    _ => (&mut removed, &mut dropped, facts.map(|facts| &facts.old), &old),
                };
                let meaning = |name: &[u8]| {
                    let name = std::str::from_utf8(name).ok()?;
                    let (path, name) = side?.meaning(name, own.as_deref()?)?;
                    Some(Named::Symbol(symbol(path, name)))
                };
                let name = words::declaration(line.content)
                    .filter(|it| it.kind != DeclarationKind::Binding)
                    .map(|it| it.name);
                if let Some(name) = name {
                    for named in meaning(name).into_iter().chain([Named::Text(name.to_vec())]) {
                        declared.entry(named).or_default().insert(bin);
                    }
                }
                // A name that contracts know means that and nothing else of the same name.
                let named = |name: &[u8]| meaning(name).unwrap_or_else(|| Named::Text(name.to_vec()));
                seen.extend(words::names(line.content).map(named));
            }
        }
        uses.push(used);
        drops.push(dropped);
    }
    let mut before = vec![BTreeSet::new(); bins.len()];
    let only = |bins: &BTreeSet<usize>| if bins.len() == 1 { bins.first().copied() } else { None };
    for (name, declaring) in &added {
        // A name that is declared in two places, or only moved, says nothing about the order.
        let Some(declaring) = only(declaring).filter(|_| !removed.contains_key(name)) else { continue };
        for (bin, used) in uses.iter().enumerate() {
            if bin != declaring && used.contains(name) {
                before[bin].insert(declaring);
            }
        }
    }
    for (name, removing) in &removed {
        let Some(removing) = only(removing).filter(|_| !added.contains_key(name)) else { continue };
        for (bin, dropped) in drops.iter().enumerate() {
            if bin != removing && dropped.contains(name) {
                before[removing].insert(bin);
            }
        }
    }
    before
}
