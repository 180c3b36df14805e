//! A bundle that is too large for one answer, part by part: its nodes, those nearest to the root first, each with the edges
//! to those before it; then what is missing, and what the bundle itself leaves out.

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Value, json};

use super::part::size;
use crate::{Error, shrink};

/// Its lists, in the order in which they are told, and what each is called.
const LISTS: [(&str, &str); 4] = [
    ("/graph/nodes", "nodes"),
    ("/graph/edges", "edges"),
    ("/meta/missing", "entries of meta.missing"),
    ("/meta/cut", "entries of meta.cut"),
];
const NODES: usize = 0;
const EDGES: usize = 1;
const MISSING: usize = 2;
const CUT: usize = 3;
/// The names of the lists that may be absent, and what separates them.
const NAMES: usize = 40;

pub(super) struct BundlePart {
    /// The bundle with so much of its lists.
    pub(super) bundle: Value,
    /// What the next part is asked for by.
    pub(super) next_cursor: Option<String>,
    /// Which of how many they are, and what was cut inside of a node.
    pub(super) shown: String,
    pub(super) cut_inside: Option<String>,
}

/// One entry of one of its lists.
struct Step {
    list: usize,
    entry: Value,
    /// Of an edge.
    kind: Option<Value>,
}

impl BundlePart {
    /// The part of the whole bundle that begins where the cursor says, in `room` bytes.
    pub(super) fn of(mut whole: Value, cursor: Option<&str>, room: usize) -> Result<Self, Error> {
        let hash = whole["bundleHash"].as_str().unwrap_or_default().to_owned();
        let steps = steps(&mut whole);
        let start = match cursor {
            None => 0,
            Some(cursor) => cursor
                .strip_prefix(&*hash)
                .and_then(|rest| rest.strip_prefix(' ')?.parse().ok())
                .filter(|start| (1..steps.len()).contains(start))
                .ok_or_else(foreign_cursor)?,
        };
        let mut all = [0; LISTS.len()];
        let mut before = all;
        for (at, step) in steps.iter().enumerate() {
            all[step.list] += 1;
            before[step.list] += usize::from(at < start);
        }
        let total = steps.len();
        let around = size(&whole) + NAMES;
        let (mut spent, mut end, mut cut_inside) = (around, start, None);
        let mut lists: [Vec<Value>; LISTS.len()] = Default::default();
        let mut kinds = Vec::new();
        for mut step in steps.into_iter().skip(start) {
            if end == start && step.list == NODES {
                cut_inside = cut_node(&mut step.entry, room.saturating_sub(around));
            }
            spent += size(&step.entry) + step.kind.as_ref().map_or(0, |kind| size(kind) + 1) + 1;
            // Who asks for the next has to come to an end.
            if end > start && spent > room {
                break;
            }
            end += 1;
            lists[step.list].push(step.entry);
            kinds.extend(step.kind);
        }
        let numbers = LISTS.iter().enumerate().filter(|(at, _)| all[*at] > 0);
        let shown = numbers.map(|(at, (_, name))| match (lists[at].len(), before[at]) {
            (0, _) => format!("none of {} {name}", all[at]),
            (shown, before) => format!("{} to {} of {} {name}", before + 1, before + shown, all[at]),
        });
        let shown = shown.collect::<Vec<_>>().join(", ");
        let [nodes, edges, missing, cut] = lists;
        whole["graph"]["nodes"] = nodes.into();
        whole["graph"]["edges"] = edges.into();
        if !kinds.is_empty() {
            whole["graph"]["edgeKinds"] = kinds.into();
        }
        whole["meta"]["missing"] = missing.into();
        if !cut.is_empty() {
            whole["meta"]["cut"] = cut.into();
        }
        let next_cursor = (end < total).then(|| format!("{hash} {end}"));
        Ok(Self { bundle: whole, next_cursor, shown, cut_inside })
    }
}

pub(super) fn foreign_cursor() -> Error {
    Error::invalid("invalid_cursor", "The cursor is not of this bundle.")
        .with_hint("Take it from nextCursor of the answer before, or leave it out to begin.")
}

/// Takes what is in its lists out of a bundle.
fn steps(whole: &mut Value) -> Vec<Step> {
    let mut take = |place: &str| match whole.pointer_mut(place).map(|list| std::mem::replace(list, json!([])))
    {
        Some(Value::Array(list)) => list,
        _ => Vec::new(),
    };
    let [nodes, edges, missing, cut] = LISTS.map(|(place, _)| take(place));
    let mut kinds = take("/graph/edgeKinds").into_iter();
    for (object, name) in [("graph", "edgeKinds"), ("meta", "cut")] {
        if let Some(object) = whole[object].as_object_mut() {
            object.remove(name);
        }
    }
    let root = whole["entryId"].as_str().unwrap_or_default();
    let ranks = ranks(root, &nodes, &edges);
    let rank = |entry: &Value| ranks.get(entry.as_str().unwrap_or_default()).copied().unwrap_or_default();
    // An edge stands behind the later of its ends.
    let mut steps: Vec<(usize, Step)> = Vec::with_capacity(nodes.len() + edges.len());
    for node in nodes {
        steps.push((rank(&node["entryId"]), Step { list: NODES, entry: node, kind: None }));
    }
    for edge in edges {
        let later = rank(&edge[0]).max(rank(&edge[1]));
        steps.push((later, Step { list: EDGES, entry: edge, kind: kinds.next() }));
    }
    steps.sort_by_key(|(rank, step)| (*rank, step.list));
    let others = [(MISSING, missing), (CUT, cut)];
    let others =
        others.into_iter().flat_map(|(list, entries)| entries.into_iter().map(move |entry| (list, entry)));
    let others = others.map(|(list, entry)| Step { list, entry, kind: None });
    steps.into_iter().map(|(_, step)| step).chain(others).collect()
}

/// In which order its nodes are told: the root, what it needs itself, what that needs; what nothing leads to comes last.
fn ranks(root: &str, nodes: &[Value], edges: &[Value]) -> BTreeMap<String, usize> {
    let mut needs: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for edge in edges {
        if let (Some(from), Some(to)) = (edge[0].as_str(), edge[1].as_str()) {
            needs.entry(from).or_default().push(to);
        }
    }
    let mut ranks = BTreeMap::new();
    let mut next = VecDeque::from([root]);
    let mut others = nodes.iter().filter_map(|node| node["entryId"].as_str());
    while let Some(entry) = next.pop_front().or_else(|| others.next()) {
        let rank = ranks.len();
        if ranks.contains_key(entry) {
            continue;
        }
        ranks.insert(entry.to_owned(), rank);
        next.extend(needs.get(entry).into_iter().flatten());
    }
    ranks
}

/// One file alone may be too much: its code goes first, its contract stays as far as it fits beside what is said of it.
fn cut_node(node: &mut Value, room: usize) -> Option<String> {
    if size(node) <= room {
        return None;
    }
    let saying = without_ends(&mut node.clone(), room).map_or(0, |said| said.len());
    without_ends(node, room.saturating_sub(saying))
}

/// Takes away what is beyond `room` bytes, and says what it was.
fn without_ends(node: &mut Value, room: usize) -> Option<String> {
    let entry = node["entryId"].as_str().unwrap_or_default().to_owned();
    let code = node.as_object_mut().and_then(|node| node.remove("code"));
    let code = code.map(|_| "without its code".to_owned());
    let lost: Vec<String> = code.into_iter().chain(shrink(node, room)).collect();
    (!lost.is_empty()).then(|| format!("Cut inside of {entry}: {}.", lost.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle(nodes: usize, cut: usize) -> Value {
        let name = |at: usize| format!("src/file{at:03}.ts");
        let node = |at: usize| json!({"entryId": name(at), "contract": {"kind": "ts:module"}, "codeHeader": "x".repeat(200)});
        // From the last, so that the order of paths is not that of nearness.
        let edges: Vec<Value> = (1..nodes).map(|at| json!([name(at), name(at - 1)])).collect();
        json!({
            "type": "LogicStampBundle", "entryId": name(nodes - 1), "bundleHash": "uifb:abc",
            "graph": {
                "nodes": (0..nodes).map(node).collect::<Vec<_>>(),
                "edges": edges,
                "edgeKinds": (1..nodes).map(|at| format!("kind{at}")).collect::<Vec<_>>(),
            },
            "meta": {
                "missing": [{"name": "react"}],
                "cut": (0..cut).map(|at| json!({"entryId": name(nodes + at), "reason": "max nodes exceeded"})).collect::<Vec<_>>(),
            },
        })
    }

    #[test]
    fn the_parts_of_a_bundle_are_all_of_it_and_begin_with_its_root() {
        let whole = bundle(40, 500);
        for room in [600, 3_000, 20_000] {
            let (mut seen, mut cursor, mut parts) = (vec![Vec::new(); LISTS.len()], None, 0);
            let mut kinds = Vec::new();
            loop {
                let part = BundlePart::of(whole.clone(), cursor.as_deref(), room).unwrap();
                assert!(size(&part.bundle) <= room, "{} {room}", size(&part.bundle));
                assert_eq!(part.cut_inside, None);
                for (seen, (place, _)) in seen.iter_mut().zip(LISTS) {
                    seen.extend(
                        part.bundle.pointer(place).and_then(Value::as_array).into_iter().flatten().cloned(),
                    );
                }
                kinds.extend(part.bundle["graph"]["edgeKinds"].as_array().into_iter().flatten().cloned());
                for edge in part.bundle["graph"]["edges"].as_array().unwrap() {
                    let is_told = |end: &Value| seen[NODES].iter().any(|node| node["entryId"] == *end);
                    assert!(edge.as_array().unwrap().iter().all(is_told), "{edge}");
                }
                if parts == 0 {
                    assert_eq!(seen[NODES][0]["entryId"], whole["entryId"]);
                    assert!(
                        part.shown.starts_with("1 to ") && part.shown.contains("of 500 entries of meta.cut")
                    );
                }
                parts += 1;
                cursor = part.next_cursor;
                if cursor.is_none() {
                    break;
                }
            }
            assert!(parts > 2, "{parts}");
            let sorted = |mut list: Vec<Value>| {
                list.sort_by_key(Value::to_string);
                list
            };
            for (seen, (place, _)) in seen.into_iter().zip(LISTS) {
                let all = whole.pointer(place).and_then(Value::as_array).cloned().unwrap();
                assert_eq!(sorted(seen), sorted(all), "{place}");
            }
            assert_eq!(sorted(kinds), sorted(whole["graph"]["edgeKinds"].as_array().cloned().unwrap()));
        }
        for wrong in ["", "garbage", "uifb:abc 0", "uifb:abc 9999", "uifb:abd 1", "\0", "src/file001.ts"] {
            let error = BundlePart::of(whole.clone(), Some(wrong), 3_000).err().unwrap();
            assert_eq!(error.code(), "invalid_cursor", "{wrong}");
        }
    }

    #[test]
    fn a_node_that_is_too_large_says_what_it_lost() {
        let mut whole = bundle(2, 0);
        whole["graph"]["nodes"][1]["contract"]["exports"] = json!({"named": vec!["name"; 2_000]});
        whole["graph"]["nodes"][1]["code"] = "y".repeat(9_000).into();
        let part = BundlePart::of(whole, None, 3_000).unwrap();
        assert!(size(&part.bundle) <= 3_000, "{}", size(&part.bundle));
        let lost = part.cut_inside.unwrap();
        assert!(lost.starts_with("Cut inside of src/file001.ts: without its code; "), "{lost}");
        assert!(lost.contains("of 2000 at /contract/exports/named"), "{lost}");
    }
}
