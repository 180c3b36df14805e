//! A list in parts that its copies share: one with a few other items costs those parts, and not the whole list. What two
//! copies do not share is found without looking at the rest.

use std::iter::FusedIterator;
use std::ops::Index;
use std::sync::Arc;

/// Items of a part.
const SIZE: usize = 64;

#[derive(Debug)]
pub struct Parts<T> {
    /// All but the last are full.
    parts: Vec<Arc<[T]>>,
    length: usize,
}

impl<T> Parts<T> {
    pub fn len(&self) -> usize {
        self.length
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub fn get(&self, at: usize) -> Option<&T> {
        self.parts.get(at / SIZE)?.get(at % SIZE)
    }

    pub fn iter(&self) -> Iter<'_, T> {
        Iter { parts: &self.parts, here: &[], left: self.length }
    }

    /// For whoever shares out the work. All but the last are of one length.
    pub fn parts(&self) -> &[Arc<[T]>] {
        &self.parts
    }

    /// A list of parts, where each stands in the place of one of [`Parts::parts`] and is as long.
    pub fn of_parts(parts: Vec<Arc<[T]>>) -> Self {
        let length = parts.iter().map(|part| part.len()).sum();
        Self { parts, length }
    }

    /// The list with another behind it; nothing where its last part is not full.
    pub fn followed_by(mut self, other: Self) -> Option<Self> {
        self.length.is_multiple_of(SIZE).then(|| {
            self.parts.extend(other.parts);
            Self { parts: self.parts, length: self.length + other.length }
        })
    }

    /// In a list that is in order.
    pub fn binary_search_by(&self, mut order: impl FnMut(&T) -> std::cmp::Ordering) -> Result<usize, usize> {
        let part = self.parts.partition_point(|part| part.last().is_some_and(|last| order(last).is_lt()));
        let found = self.parts.get(part).map_or(Err(0), |items| items.binary_search_by(order));
        let place = |at: usize| (part * SIZE + at).min(self.length);
        found.map(place).map_err(place)
    }

    /// Where two lists may hold different items, as far as both reach: everything that they do not share.
    pub fn unshared<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = usize> + 'a {
        let pairs = self.parts.iter().zip(&other.parts).enumerate();
        let unshared = pairs.filter(|(_, (one, other))| !Arc::ptr_eq(one, other));
        unshared.flat_map(|(at, (one, other))| at * SIZE..at * SIZE + one.len().min(other.len()))
    }
}

impl<T: Clone> Parts<T> {
    /// Puts another item in a place that there is.
    pub fn set(&mut self, at: usize, item: T) {
        if at < self.length {
            Arc::make_mut(&mut self.parts[at / SIZE])[at % SIZE] = item;
        }
    }
}

impl<T> Clone for Parts<T> {
    fn clone(&self) -> Self {
        Self { parts: self.parts.clone(), length: self.length }
    }
}

impl<T> Default for Parts<T> {
    fn default() -> Self {
        Self { parts: Vec::new(), length: 0 }
    }
}

impl<T: PartialEq> PartialEq for Parts<T> {
    fn eq(&self, other: &Self) -> bool {
        self.length == other.length && self.unshared(other).all(|at| self[at] == other[at])
    }
}

impl<T: Eq> Eq for Parts<T> {}

impl<T> Index<usize> for Parts<T> {
    type Output = T;

    fn index(&self, at: usize) -> &T {
        &self.parts[at / SIZE][at % SIZE]
    }
}

impl<T> From<Vec<T>> for Parts<T> {
    fn from(items: Vec<T>) -> Self {
        items.into_iter().collect()
    }
}

impl<T> FromIterator<T> for Parts<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut items = items.into_iter();
        let (mut parts, mut length) = (Vec::with_capacity(items.size_hint().0.div_ceil(SIZE)), 0);
        loop {
            let part: Arc<[T]> = items.by_ref().take(SIZE).collect();
            if part.is_empty() {
                return Self { parts, length };
            }
            length += part.len();
            parts.push(part);
        }
    }
}

impl<'a, T> IntoIterator for &'a Parts<T> {
    type Item = &'a T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

#[derive(Debug)]
pub struct Iter<'a, T> {
    parts: &'a [Arc<[T]>],
    here: &'a [T],
    left: usize,
}

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a T;

    #[inline]
    fn next(&mut self) -> Option<&'a T> {
        if self.here.is_empty() {
            let (first, rest) = self.parts.split_first()?;
            (self.here, self.parts) = (first, rest);
        }
        let (item, rest) = self.here.split_first()?;
        self.here = rest;
        self.left -= 1;
        Some(item)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T> ExactSizeIterator for Iter<'_, T> {}
impl<T> FusedIterator for Iter<'_, T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_with_other_items_shares_the_rest() {
        for length in [0, 1, 63, 64, 65, 1000] {
            let first: Parts<usize> = (0..length).collect();
            assert_eq!((first.len(), first.iter().len()), (length, length));
            assert!(first.iter().copied().eq(0..length));
            assert_eq!(first.get(length), None);
            let mut second = first.clone();
            assert_eq!(first.unshared(&second).count(), 0);
            for at in (0..length).step_by(100) {
                second.set(at, 7_000);
            }
            second.set(length, 1);
            assert_eq!(second.len(), length);
            assert!(first.iter().copied().eq(0..length), "the first is as it was");
            for at in 0..length {
                assert_eq!(second[at], if at % 100 == 0 { 7_000 } else { at });
            }
            let unshared: Vec<usize> = first.unshared(&second).collect();
            assert!((0..length).step_by(100).all(|at| unshared.contains(&at)));
            assert!(unshared.len() <= length.div_ceil(100) * SIZE);
            assert_eq!(first == second, length == 0);
        }
    }

    #[test]
    fn full_parts_can_be_followed_by_others() {
        for (first, second, whole) in [(0, 65, true), (64, 0, true), (128, 100, true), (65, 1, false)] {
            let all = (0..first).collect::<Parts<usize>>().followed_by((first..first + second).collect());
            assert_eq!(all, whole.then(|| (0..first + second).collect()), "{first} and {second}");
        }
    }

    #[test]
    fn what_is_in_order_is_found() {
        for length in [0_usize, 1, 64, 129] {
            let list: Parts<usize> = (0..length).map(|number| number * 2).collect();
            let flat: Vec<usize> = list.iter().copied().collect();
            for wanted in 0..2 * length + 2 {
                let found = list.binary_search_by(|item| item.cmp(&wanted));
                assert_eq!(found, flat.binary_search(&wanted), "{wanted} among {length}");
            }
        }
    }
}
