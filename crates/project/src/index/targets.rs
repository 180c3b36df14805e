//! Where the imports of a file lead. A project has one such list for each file, most of them short.

use std::fmt;

use becket_contracts::target::Target;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// By specifier, each once.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Targets(Box<[(String, Target)]>);

impl Targets {
    pub fn get(&self, specifier: &str) -> Option<&Target> {
        let at = self.0.binary_search_by(|(known, _)| known.as_str().cmp(specifier)).ok()?;
        Some(&self.0[at].1)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&String, &Target)> {
        self.0.iter().map(|(specifier, target)| (specifier, target))
    }
}

/// Of several with one specifier the first counts.
impl FromIterator<(String, Target)> for Targets {
    fn from_iter<I: IntoIterator<Item = (String, Target)>>(pairs: I) -> Self {
        let mut pairs: Vec<_> = pairs.into_iter().collect();
        pairs.sort_by(|(one, _), (other, _)| one.cmp(other));
        pairs.dedup_by(|(later, _), (earlier, _)| later == earlier);
        Self(pairs.into())
    }
}

impl fmt::Debug for Targets {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_map().entries(self.iter()).finish()
    }
}

impl Serialize for Targets {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Targets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Targets;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("targets by specifier")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Targets, A::Error> {
                let mut pairs = Vec::with_capacity(map.size_hint().unwrap_or_default().min(64));
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(pairs.into_iter().collect())
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_a_specifier_is_found_and_written() {
        let pair = |specifier: &str, file: &str| (specifier.to_owned(), Target::File(file.to_owned()));
        let targets: Targets =
            [pair("./b", "b.ts"), pair("./a", "a.ts"), pair("./b", "c.ts")].into_iter().collect();
        let shown: Vec<_> = targets.iter().map(|(specifier, _)| specifier.as_str()).collect();
        assert_eq!(shown, ["./a", "./b"]);
        assert_eq!(targets.get("./b").and_then(Target::file), Some("b.ts"));
        assert_eq!(targets.get("./c"), None);
        let json = serde_json::to_string(&targets).unwrap();
        assert_eq!(serde_json::from_str::<Targets>(&json).unwrap(), targets);
        assert!(json.starts_with("{\"./a\":"), "{json}");
    }
}
