//! A folder's file as it was written before. What is the same in the one that replaces it is copied, and not made again.

use super::{Format, KIND};

/// The bundles of a file that [`FolderText`](super::FolderText) wrote.
#[derive(Debug)]
pub struct EarlierText<'a> {
    lines: Vec<&'a str>,
}

/// Where the nodes of a bundle begin, and what stands behind them. In a string neither could stand: it has no bare quotes.
const BEFORE_NODES: &str = "\"graph\":{\"nodes\":[";
const BEHIND_NODES: &str = "],\"edges\":[";

impl<'a> EarlierText<'a> {
    /// Nothing where the format has no bundle on a line of its own.
    pub fn of(text: &'a str, format: Format) -> Option<Self> {
        let lines = match format {
            Format::Json => text.strip_prefix("[\n")?.strip_suffix("\n]\n")?,
            Format::Ndjson => text.strip_suffix('\n')?,
            Format::Pretty | Format::Toon => return None,
        };
        Some(Self { lines: lines.split('\n').collect() })
    }

    /// How many there are.
    pub fn bundles(&self) -> usize {
        self.lines.len()
    }

    /// All of a bundle that stands behind its position in the file.
    pub fn bundle(&self, at: usize) -> Option<&'a str> {
        let line = *self.lines.get(at)?;
        let start = line.find(KIND)?;
        let line = &line[start..];
        Some(line.strip_suffix(',').unwrap_or(line))
    }

    /// The nodes of a bundle, which are those of these files in this order; each path as JSON.
    pub fn nodes<'p>(&self, at: usize, paths: impl Iterator<Item = &'p str>) -> Option<Vec<&'a str>> {
        let (_, rest) = self.lines.get(at)?.split_once(BEFORE_NODES)?;
        let (rest, _) = rest.rsplit_once(BEHIND_NODES)?;
        let mut starts = Vec::new();
        let mut done = 0;
        for path in paths {
            let head = ["{\"entryId\":", path, ",\"contract\":"].concat();
            let start = done + rest[done..].find(&head)?;
            let is_next = match starts.last() {
                None => start == 0,
                Some(_) => rest[..start].ends_with("},"),
            };
            is_next.then_some(())?;
            starts.push(start);
            done = start + head.len();
        }
        let ends = starts.iter().skip(1).map(|start| start - 1).chain([rest.len()]);
        Some(starts.iter().zip(ends).map(|(start, end)| &rest[*start..end]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;
    use crate::render::{BundleLine, BundleText, FolderText, QuotedPaths};

    /// A prop by the name of a field, a list of objects that begin like a node, a list before `edges`, a comma at the end.
    const ODD: &str = r#"{"entryId":"a","contract":{"props":{"entryId":"b"},"list":[{"x":1},{"entryId":"b","contracts":[]}],"l":[],"edges":[],"end":","}}"#;
    const NEXT: &str = r#"{"entryId":"b","contract":{"text":"{\"entryId\":\"c\",\"contract\":"}}"#;

    fn file(bundles: &[(&str, &[&str])], format: Format) -> String {
        let graph = Graph::from_edges(Vec::new(), Vec::new());
        let lines = bundles.iter().enumerate().map(|(at, (entry_id, nodes))| {
            BundleLine::New(BundleText {
                entry_id,
                position: (at + 1, bundles.len()),
                depth: 2,
                created_at: "2026-01-01T00:00:00Z",
                bundle_hash: "uifb:0",
                nodes: nodes.to_vec(),
                edges: &[],
                missing: &[],
                cut: &[],
                paths: QuotedPaths { graph: &graph, quoted: &[] },
            })
        });
        FolderText::of(&lines.collect::<Vec<_>>(), format, String::new()).pieces().concat()
    }

    #[test]
    fn bundles_and_nodes_are_found_as_they_were_written() {
        let bundles: [(&str, &[&str]); 3] = [("a", &[ODD, NEXT]), ("none", &[]), ("b", &[NEXT])];
        for format in [Format::Json, Format::Ndjson] {
            let text = file(&bundles, format);
            let earlier = EarlierText::of(&text, format).unwrap();
            assert_eq!(earlier.bundles(), 3);
            let nodes = |at, paths: &[&str]| earlier.nodes(at, paths.iter().copied());
            assert_eq!(nodes(0, &["\"a\"", "\"b\""]).unwrap(), [ODD, NEXT]);
            assert_eq!(nodes(1, &[]).unwrap(), [""; 0]);
            assert_eq!(nodes(2, &["\"b\""]).unwrap(), [NEXT]);
            for others in [&["\"b\"", "\"a\""][..], &["\"b\""], &["\"a\"", "\"c\""], &["\"a\"", "\"a\""]] {
                assert_eq!(nodes(0, others), None, "{others:?}");
            }
            assert_eq!(nodes(3, &[]), None);
            // The same lines in another order make the file of that order.
            let order = [2, 0, 1];
            let lines = order.iter().enumerate().map(|(at, from)| BundleLine::Known {
                position: (at + 1, 3),
                rest: earlier.bundle(*from).unwrap(),
            });
            let lines: Vec<_> = lines.collect();
            // Also in a format that has none of these lines.
            for to in [format, Format::Pretty, Format::Toon] {
                let again = FolderText::of(&lines, to, String::new()).pieces().concat();
                assert_eq!(again, file(&order.map(|from| bundles[from]), to));
            }
        }
    }

    #[test]
    fn other_formats_and_other_texts_are_left() {
        let text = file(&[("a", &[ODD])], Format::Pretty);
        assert!(EarlierText::of(&text, Format::Pretty).is_none());
        assert!(EarlierText::of(&text, Format::Toon).is_none());
        assert!(EarlierText::of("[]", Format::Json).is_none());
        let cut = file(&[("a", &[ODD]), ("b", &[NEXT])], Format::Json);
        assert!(EarlierText::of(&cut[..cut.len() - 20], Format::Json).is_none());
    }
}
