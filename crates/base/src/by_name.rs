//! Values by name, in one piece of memory. A project has many thousands of such lists, most of them short, and a tree takes
//! a kilobyte for the first value of each.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// In the order of the names, each once.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ByName<V>(Box<[(String, V)]>);

impl<V> ByName<V> {
    pub fn get(&self, name: &str) -> Option<&V> {
        let at = self.0.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()?;
        Some(&self.0[at].1)
    }

    pub fn contains_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&String, &V)> {
        self.0.iter().map(|(name, value)| (name, value))
    }

    pub fn keys(&self) -> impl ExactSizeIterator<Item = &String> {
        self.0.iter().map(|(name, _)| name)
    }

    pub fn get_mut(&mut self, name: &str) -> Option<&mut V> {
        let at = self.0.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()?;
        Some(&mut self.0[at].1)
    }

    pub fn each_mut(&mut self) -> impl Iterator<Item = (&String, &mut V)> {
        self.0.iter_mut().map(|(name, value)| (&*name, value))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn retain(&mut self, keep: impl Fn(&String, &V) -> bool) {
        let all = std::mem::take(self);
        self.0 = all.into_iter().filter(|(name, value)| keep(name, value)).collect();
    }
}

/// Of several with one name the first counts.
impl<V> FromIterator<(String, V)> for ByName<V> {
    fn from_iter<I: IntoIterator<Item = (String, V)>>(pairs: I) -> Self {
        let mut pairs: Vec<_> = pairs.into_iter().collect();
        pairs.sort_by(|(one, _), (other, _)| one.cmp(other));
        pairs.dedup_by(|(later, _), (earlier, _)| later == earlier);
        Self(pairs.into())
    }
}

impl<V> IntoIterator for ByName<V> {
    type Item = (String, V);
    type IntoIter = std::vec::IntoIter<(String, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_vec().into_iter()
    }
}

impl<V> Default for ByName<V> {
    fn default() -> Self {
        Self(Box::default())
    }
}

impl<V: fmt::Debug> fmt::Debug for ByName<V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_map().entries(self.iter()).finish()
    }
}

impl<V: Serialize> Serialize for ByName<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for ByName<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for Pairs<V> {
            type Value = ByName<V>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("values by name")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ByName<V>, A::Error> {
                let mut pairs = Vec::with_capacity(map.size_hint().unwrap_or_default().min(64));
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(pairs.into_iter().collect())
            }
        }
        deserializer.deserialize_map(Pairs(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_a_name_is_found_and_written() {
        let pair = |name: &str, value: u32| (name.to_owned(), value);
        let mut list: ByName<u32> = [pair("./b", 2), pair("./a", 1), pair("./b", 3)].into_iter().collect();
        assert_eq!(list.keys().collect::<Vec<_>>(), ["./a", "./b"]);
        assert_eq!((list.get("./b"), list.get("./c"), list.len()), (Some(&2), None, 2));
        let json = serde_json::to_string(&list).unwrap();
        assert_eq!(json, r#"{"./a":1,"./b":2}"#);
        assert_eq!(serde_json::from_str::<ByName<u32>>(&json).unwrap(), list);
        list.retain(|name, _| name == "./b");
        assert_eq!(list.into_iter().collect::<Vec<_>>(), [pair("./b", 2)]);
    }
}
