//! Which tools a server lists, and under which spelling. Decided once, at start: a list never varies per connection.

use becket_base::nearest;
use becket_engine::Error;

/// A plane's tools, or becket's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Toolset {
    /// Always listed by `becket` itself; no seed has it.
    Becket,
    Understand,
    Remember,
    Coordinate,
    Commit,
}

impl Toolset {
    /// The four that `--toolsets` chooses from.
    pub const PLANES: [Toolset; 4] =
        [Toolset::Understand, Toolset::Remember, Toolset::Coordinate, Toolset::Commit];

    pub fn name(self) -> &'static str {
        match self {
            Toolset::Becket => "becket",
            Toolset::Understand => "understand",
            Toolset::Remember => "remember",
            Toolset::Coordinate => "coordinate",
            Toolset::Commit => "commit",
        }
    }

    /// `all` or the name of a plane.
    pub fn parse_list(names: &[String]) -> Result<Vec<Toolset>, Error> {
        let mut chosen = Vec::new();
        for name in names {
            match Self::PLANES.iter().find(|plane| plane.name() == name) {
                Some(plane) => chosen.push(*plane),
                None if name == "all" => chosen.extend(Self::PLANES),
                None => return Err(unknown_toolset(name)),
            }
        }
        chosen.sort();
        chosen.dedup();
        Ok(chosen)
    }
}

/// How tool names are listed. A call is accepted under either spelling, always.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NameStyle {
    /// `lodestar_task_claim`: some hosts refuse dots.
    #[default]
    Underscore,
    /// `lodestar.task.claim`, as the seeds write them.
    Dotted,
}

impl NameStyle {
    /// The listed form of a canonical name.
    pub fn listed(self, canonical: &str) -> String {
        match self {
            NameStyle::Underscore => canonical.replace('.', "_"),
            NameStyle::Dotted => canonical.to_owned(),
        }
    }
}

/// Whether two spellings mean the same tool.
pub(crate) fn same_name(left: &str, right: &str) -> bool {
    left.len() == right.len()
        && left
            .bytes()
            .zip(right.bytes())
            .all(|(a, b)| a == b || (matches!(a, b'.' | b'_') && matches!(b, b'.' | b'_')))
}

fn unknown_toolset(name: &str) -> Error {
    let known = Toolset::PLANES.map(Toolset::name);
    let hint = match nearest(name, known) {
        Some(meant) => format!("Did you mean `{meant}`? The toolsets are all, {}.", known.join(", ")),
        None => format!("The toolsets are all, {}.", known.join(", ")),
    };
    Error::invalid("unknown_toolset", format!("There is no toolset `{name}`.")).with_hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_spelling_is_the_same_tool() {
        assert!(same_name("lodestar.task.claim", "lodestar_task_claim"));
        assert!(same_name("list_changes", "list.changes"));
        assert!(!same_name("context.get", "context.gets"));
        assert!(!same_name("context.get", "context-get"));
    }

    #[test]
    fn an_unknown_toolset_is_refused_with_the_nearest_one() {
        let error = Toolset::parse_list(&["rember".to_owned()]).unwrap_err();
        assert_eq!(error.code(), "unknown_toolset");
        assert!(error.hint().unwrap().contains("`remember`"), "{:?}", error.hint());
    }

    #[test]
    fn all_means_the_four_planes_once() {
        let chosen = Toolset::parse_list(&["commit".to_owned(), "all".to_owned()]).unwrap();
        assert_eq!(chosen, Toolset::PLANES);
    }
}
