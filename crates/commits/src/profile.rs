//! What is read once from every unit, so that two of them can be compared quickly.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use becket_diff::{FilePath, Hunk, Line, LineKind, Status};

use crate::change::{Change, ContractFacts, Evidence, facts_of, symbol};
use crate::place::{Place, Role};
use crate::unit::{Part, Unit};
use crate::words::{self, DeclarationKind, hash};

/// Everything about all units that signals compare.
#[derive(Debug)]
pub(crate) struct Tree<'a> {
    pub(crate) evidence: Evidence<'a>,
    pub(crate) profiles: Vec<Profile>,
    pub(crate) places: Vec<Place>,
    /// How many units each place has.
    pub(crate) crowd: Vec<usize>,
    names: Vec<Name>,
}

#[derive(Debug)]
struct Name {
    text: String,
    rarity: f32,
}

/// A sparse vector of unit length, sorted by name.
pub(crate) type Vector = Vec<(u32, f32)>;

#[derive(Debug, Default)]
pub(crate) struct Profile {
    pub(crate) place: usize,
    /// Which unit of its file it is, counted from zero.
    pub(crate) rank: usize,
    /// The first line in the base, and how many.
    pub(crate) start: usize,
    pub(crate) removed: usize,
    pub(crate) added: usize,
    /// Names on changed lines, by rarity.
    pub(crate) names: Vector,
    /// Names that stand only among the removed or only among the added lines.
    pub(crate) fresh: Vector,
    /// Words inside the names on changed lines.
    pub(crate) words: Vector,
    /// Names on changed lines, around them, and of the declaration that holds them.
    pub(crate) context: Vector,
    pub(crate) declares: Vec<u32>,
    pub(crate) uses: Vec<u32>,
    /// What contracts know it to declare, sorted.
    pub(crate) defines: Vec<u64>,
    /// Names on changed lines that contracts know the meaning of, sorted.
    pub(crate) meanings: Vec<Meaning>,
    /// Hash of the declaration that holds it, with its file; of a heading in a document.
    pub(crate) enclosing: Option<u64>,
    /// Its name, where it has one.
    pub(crate) enclosing_name: Option<u32>,
    /// One name for another on a line that is otherwise the same: hash, and the two names.
    pub(crate) swaps: Vec<(u64, u32, u32)>,
    /// Changed lines without indentation, hashed and sorted.
    pub(crate) lines: Vec<u64>,
    pub(crate) kinds: Kinds,
}

/// A name, what it stands for, and the name that this was declared under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Meaning {
    pub(crate) name: u32,
    pub(crate) symbol: u64,
    pub(crate) declared: u32,
}

/// What all changed lines of a unit are.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Kinds {
    pub(crate) formatting: bool,
    pub(crate) comments: bool,
    pub(crate) imports: bool,
    pub(crate) whole_file: bool,
    pub(crate) new_file: bool,
    pub(crate) gone_file: bool,
    pub(crate) moved_file: bool,
}

/// A file of more changed lines than this is known by its first ones.
const MOST_LINES: usize = 1_500;
pub(crate) const CONTEXT: usize = 3;

impl<'a> Tree<'a> {
    pub(crate) fn read(changes: &[Change<'_>], units: &[Unit], evidence: &Evidence<'a>) -> Self {
        let mut reader = Reader { evidence, names: Vec::new(), known: HashMap::new() };
        let mut places: Vec<Place> = Vec::new();
        let mut by_path: BTreeMap<&FilePath, usize> = BTreeMap::new();
        let mut crowd: Vec<usize> = Vec::new();
        let mut profiles = Vec::with_capacity(units.len());
        for unit in units {
            let change = &changes[unit.change];
            let place = *by_path.entry(change.path()).or_insert_with(|| {
                places.push(Place::of(change.path()));
                crowd.push(0);
                places.len() - 1
            });
            let mut profile = reader.profile(change, unit, &places[place]);
            profile.place = place;
            profile.rank = crowd[place];
            crowd[place] += 1;
            profiles.push(profile);
        }
        Self { evidence: *evidence, profiles, places, crowd, names: reader.names }
    }

    pub(crate) fn name(&self, id: u32) -> &str {
        &self.names[id as usize].text
    }

    pub(crate) fn rarity(&self, id: u32) -> f32 {
        self.names[id as usize].rarity
    }
}

struct Reader<'e, 'a> {
    evidence: &'e Evidence<'a>,
    names: Vec<Name>,
    known: HashMap<(bool, Vec<u8>), u32>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Vocabulary {
    Names,
    Words,
}

impl Reader<'_, '_> {
    fn profile(&mut self, change: &Change<'_>, unit: &Unit, place: &Place) -> Profile {
        let file = change.file;
        let mut profile = Profile::default();
        profile.kinds.new_file = file.status == Status::Added;
        profile.kinds.gone_file = file.status == Status::Deleted;
        profile.kinds.moved_file = file.status == Status::Renamed;
        profile.kinds.whole_file = unit.hunk().is_none();
        let surrounding = match &unit.part {
            Part::Lines(hunk) => {
                profile.start = hunk.old.start;
                self.changed_lines(hunk.lines(), place, &mut profile);
                surrounding(file.hunks(), hunk)
            }
            Part::File => {
                let lines =
                    file.hunks().iter().flat_map(Hunk::lines).filter(|line| line.kind != LineKind::Context);
                self.changed_lines(lines.take(MOST_LINES), place, &mut profile);
                Surrounding::default()
            }
            Part::Metadata => Surrounding::default(),
        };
        self.surroundings(&surrounding, place, &mut profile);
        if let Some(facts) = facts_of(self.evidence.contracts, unit.change) {
            self.contract(facts, change, unit, place, &mut profile);
        }
        profile
    }

    /// What the contracts know of a unit: what it declares, and what the names on its lines stand for.
    fn contract(
        &mut self,
        facts: &ContractFacts,
        change: &Change<'_>,
        unit: &Unit,
        place: &Place,
        profile: &mut Profile,
    ) {
        let old = change.file.old.as_ref().map(|side| side.path.to_text().into_owned());
        let old = old.unwrap_or_else(|| place.text.clone());
        let spans = unit.hunk().map(|hunk| [hunk.old, hunk.new]);
        for (side, own, number) in [(&facts.old, old.as_str(), 0), (&facts.new, place.text.as_str(), 1)] {
            let here = |line: usize| spans.is_none_or(|spans| spans[number].holds(line));
            let begun = side.declares.iter().filter(|declared| here(declared.first_line));
            profile.defines.extend(begun.map(|declared| symbol(own, &declared.name)));
        }
        profile.defines.sort_unstable();
        profile.defines.dedup();
        let mut meanings = BTreeSet::new();
        for (name, _) in profile.names.clone() {
            let text = self.names[name as usize].text.clone();
            for (side, own) in [(&facts.new, place.text.as_str()), (&facts.old, old.as_str())] {
                if let Some((path, declared)) = side.meaning(&text, own) {
                    let declared_name = self.intern(Vocabulary::Names, declared.as_bytes());
                    meanings.insert(Meaning {
                        name,
                        symbol: symbol(path, declared),
                        declared: declared_name,
                    });
                }
            }
        }
        profile.meanings = meanings.into_iter().collect();
    }

    fn changed_lines<'l>(
        &mut self,
        lines: impl Iterator<Item = Line<'l>>,
        place: &Place,
        profile: &mut Profile,
    ) {
        let (mut removed, mut added): (Vec<&[u8]>, Vec<&[u8]>) = (Vec::new(), Vec::new());
        for line in lines {
            match line.kind {
                LineKind::Removed => removed.push(line.content),
                LineKind::Added => added.push(line.content),
                LineKind::Context => {}
            }
        }
        profile.removed = removed.len();
        profile.added = added.len();
        profile.kinds.formatting = is_formatting(&removed, &added);
        let content = || removed.iter().chain(&added).copied().filter(|line| !line.trim_ascii().is_empty());
        let some = content().next().is_some();
        profile.kinds.comments =
            some && content().all(words::is_comment) && place.role != Role::Documentation;
        profile.kinds.imports = some && content().all(words::is_import);
        profile.lines = content().map(|line| hash(3, line.trim_ascii())).collect();
        profile.lines.sort_unstable();
        profile.lines.dedup();

        let mut sides: [BTreeMap<u32, f32>; 2] = Default::default();
        let mut counts: BTreeMap<u32, f32> = BTreeMap::new();
        let mut word_counts: BTreeMap<u32, f32> = BTreeMap::new();
        let mut declared = BTreeSet::new();
        for (side, lines) in [&removed, &added].into_iter().enumerate() {
            for line in lines {
                for name in words::names(line) {
                    let id = self.intern(Vocabulary::Names, name);
                    *counts.entry(id).or_default() += 1.0;
                    *sides[side].entry(id).or_default() += 1.0;
                    words::sub_words(name, |word| {
                        let id = self.intern(Vocabulary::Words, word);
                        *word_counts.entry(id).or_default() += 1.0;
                    });
                }
                if let Some(declaration) = words::declaration(line) {
                    declared.insert(self.intern(Vocabulary::Names, declaration.name));
                }
            }
        }
        let fresh: BTreeMap<u32, f32> = counts
            .iter()
            .filter(|(id, _)| {
                let count = |side: usize| sides[side].get(id).copied().unwrap_or_default();
                (count(0) - count(1)).abs() > 0.5
            })
            .map(|(id, count)| (*id, *count))
            .collect();
        profile.uses = counts.keys().copied().filter(|id| !declared.contains(id)).collect();
        profile.declares = declared.into_iter().collect();
        profile.swaps = self.swaps(&removed, &added);
        profile.fresh = self.vector(&fresh);
        profile.words = self.vector(&word_counts);
        profile.names = self.vector(&counts);
        profile.context = counts.into_iter().collect();
    }

    /// `context` holds plain counts until here.
    fn surroundings(&mut self, surrounding: &Surrounding<'_>, place: &Place, profile: &mut Profile) {
        let mut counts: BTreeMap<u32, f32> = std::mem::take(&mut profile.context).into_iter().collect();
        for line in surrounding.before.iter().chain(&surrounding.after).chain([&surrounding.section]) {
            for name in words::names(line) {
                *counts.entry(self.intern(Vocabulary::Names, name)).or_default() += 0.5;
            }
        }
        profile.context = self.vector(&counts);
        let document = place.role == Role::Documentation;
        let above = surrounding.before.iter().rev().find_map(|line| {
            if document {
                words::heading(line)
            } else {
                words::declaration(line).filter(holds).map(|declared| declared.name)
            }
        });
        let section = surrounding.section.trim_ascii();
        let header = words::declaration(section)
            .map(|declared| declared.name)
            .or(Some(section))
            .filter(|_| !section.is_empty());
        if let Some(enclosing) = above.or(header) {
            profile.enclosing = Some(hash(hash(4, place.path.as_bytes()), enclosing));
            let name = words::names(enclosing).next().filter(|name| name.len() == enclosing.len());
            profile.enclosing_name = name.map(|name| self.intern(Vocabulary::Names, name));
        }
    }

    /// Lines that differ in one name only.
    fn swaps(&mut self, removed: &[&[u8]], added: &[&[u8]]) -> Vec<(u64, u32, u32)> {
        if removed.len() != added.len() || removed.len() > 200 {
            return Vec::new();
        }
        let mut swaps = BTreeSet::new();
        for (old, new) in removed.iter().zip(added) {
            let (old, new): (Vec<&[u8]>, Vec<&[u8]>) =
                (words::names(old).collect(), words::names(new).collect());
            if old.len() != new.len() {
                continue;
            }
            let different: Vec<(&[u8], &[u8])> =
                old.iter().zip(&new).filter(|(one, two)| one != two).map(|(one, two)| (*one, *two)).collect();
            let Some((one, two)) = different.first() else { continue };
            if different.iter().all(|pair| pair == &(*one, *two)) {
                let key = hash(hash(5, one), two);
                swaps.insert((key, self.intern(Vocabulary::Names, one), self.intern(Vocabulary::Names, two)));
            }
        }
        swaps.into_iter().collect()
    }

    fn intern(&mut self, vocabulary: Vocabulary, text: &[u8]) -> u32 {
        let key = (vocabulary == Vocabulary::Words, text.to_vec());
        if let Some(id) = self.known.get(&key) {
            return *id;
        }
        let history = self.evidence.history;
        let rarity = match vocabulary {
            Vocabulary::Names => history.rarity_of_name(text),
            Vocabulary::Words => history.rarity_of_word(text),
        };
        let id = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.push(Name { text: String::from_utf8_lossy(text).into_owned(), rarity });
        self.known.insert(key, id);
        id
    }

    fn vector(&self, counts: &BTreeMap<u32, f32>) -> Vector {
        let weighted = counts
            .iter()
            .map(|(id, count)| (*id, (1.0 + count.ln().max(0.0)) * self.names[*id as usize].rarity));
        let mut vector: Vector = weighted.collect();
        let length = vector.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
        if length > 0.0 {
            for (_, weight) in &mut vector {
                *weight /= length;
            }
        }
        vector
    }
}

#[derive(Debug, Default)]
pub(crate) struct Surrounding<'a> {
    pub(crate) section: &'a [u8],
    pub(crate) before: Vec<&'a [u8]>,
    pub(crate) after: Vec<&'a [u8]>,
}

/// The context lines next to a unit, from the hunk that it was taken from.
pub(crate) fn surrounding<'a>(hunks: &'a [Hunk], unit: &Hunk) -> Surrounding<'a> {
    let end = |hunk: &Hunk| hunk.old.start + hunk.old.lines;
    let place = hunks.partition_point(|hunk| end(hunk) < unit.old.start);
    // A unit that only adds may stand right where one hunk ends and the next begins.
    let holds = |hunk: &&Hunk| {
        hunk.old.start <= unit.old.start + 1
            && end(unit) <= end(hunk) + 1
            && hunk.new.start <= unit.new.start + 1
            && unit.new.start + unit.new.lines <= hunk.new.start + hunk.new.lines + 1
    };
    let Some(hunk) = hunks[place..].iter().take(3).find(holds) else { return Surrounding::default() };
    let mut result = Surrounding { section: hunk.section(), ..Surrounding::default() };
    let mut line_number = if hunk.old.lines == 0 { hunk.old.start + 1 } else { hunk.old.start };
    let first = if unit.old.lines == 0 { unit.old.start + 1 } else { unit.old.start };
    for line in hunk.lines() {
        if line.kind == LineKind::Context {
            if line_number < first {
                result.before.push(line.content);
            } else if line_number >= first + unit.old.lines && result.after.len() < CONTEXT {
                result.after.push(line.content);
            }
        }
        line_number += usize::from(line.kind != LineKind::Added);
    }
    let nearest = result.before.len().saturating_sub(CONTEXT);
    result.before.drain(..nearest);
    result
}

/// Whether a declaration can hold other lines.
fn holds(declaration: &words::Declaration<'_>) -> bool {
    matches!(declaration.kind, DeclarationKind::Type | DeclarationKind::Function | DeclarationKind::Module)
}

/// The same text but for white space.
pub(crate) fn is_formatting(removed: &[&[u8]], added: &[&[u8]]) -> bool {
    let squeezed = |lines: &[&[u8]]| -> Vec<u8> {
        lines
            .iter()
            .flat_map(|line| line.iter())
            .copied()
            .filter(|byte| !byte.is_ascii_whitespace())
            .collect()
    };
    !(removed.is_empty() && added.is_empty()) && squeezed(removed) == squeezed(added)
}

pub(crate) fn cosine(one: &Vector, other: &Vector) -> f32 {
    let mut sum = 0.0;
    merge(one, other, |a, b| a.0.cmp(&b.0), |a, b| sum += a.1 * b.1);
    sum.min(1.0)
}

/// Calls back for every two equal items of two sorted slices.
pub(crate) fn merge<T, U>(
    one: &[T],
    other: &[U],
    order: impl Fn(&T, &U) -> std::cmp::Ordering,
    mut emit: impl FnMut(&T, &U),
) {
    let (mut left, mut right) = (0, 0);
    while left < one.len() && right < other.len() {
        match order(&one[left], &other[right]) {
            std::cmp::Ordering::Less => left += 1,
            std::cmp::Ordering::Greater => right += 1,
            std::cmp::Ordering::Equal => {
                emit(&one[left], &other[right]);
                left += 1;
                right += 1;
            }
        }
    }
}

#[allow(clippy::cast_precision_loss, reason = "counts of lines and units")]
pub(crate) fn ratio(part: usize, whole: usize) -> f32 {
    if whole == 0 { 0.0 } else { part as f32 / whole as f32 }
}

#[allow(clippy::cast_precision_loss, reason = "counts of lines and units")]
pub(crate) fn logarithm(count: usize) -> f32 {
    (count as f32).ln_1p()
}
