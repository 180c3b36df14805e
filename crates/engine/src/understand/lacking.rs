//! What an entry imports that is no file of the project. Most runs only ask whether there is something that somebody
//! should look at: what an earlier process wrote down is read when somebody wants to know more.

use std::sync::{Arc, OnceLock};

use becket_base::codec::{Decoder, Encoder};
use becket_base::tokens;
use becket_contracts::bundle::Missing;

#[derive(Debug, Default)]
pub(super) struct Lacking {
    told: OnceLock<Box<Told>>,
    /// As it was written down, where it was.
    written: Box<[u8]>,
    is_problem: bool,
}

/// What most never tell.
#[derive(Debug)]
struct Told {
    all: Vec<Missing>,
    /// Each of these in the text of a bundle, where one says it: of many that lack the same it names one file.
    texts: Vec<OnceLock<LackingText>>,
}

/// As it stands in every bundle that lacks it.
#[derive(Debug, Clone)]
pub(super) struct LackingText {
    pub(super) json: Arc<str>,
    pub(super) tokens: usize,
}

impl LackingText {
    pub(super) fn of(missing: &Missing) -> Self {
        let mut text = missing.json();
        text.push(',');
        let tokens = tokens::count(&text);
        text.pop();
        Self { json: text.into(), tokens }
    }
}

impl Lacking {
    fn told(&self) -> &Told {
        // The bytes are under a checksum, and under the version of whoever wrote them.
        let read = || decode_all(&mut Decoder { bytes: &self.written }).unwrap_or_default();
        self.told.get_or_init(|| Box::new(Told::of(read())))
    }

    pub(super) fn all(&self) -> &[Missing] {
        &self.told().all
    }

    /// Each with the place of its text in a bundle, of which many have the same.
    pub(super) fn texts(&self) -> impl Iterator<Item = (&Missing, &OnceLock<LackingText>)> {
        let Told { all, texts } = self.told();
        all.iter().zip(texts)
    }

    /// Those that somebody should look at.
    pub(super) fn problems(&self) -> impl Iterator<Item = &Missing> {
        let all = if self.is_problem { self.all() } else { &[] };
        all.iter().filter(|missing| missing.is_problem())
    }

    pub(super) fn is_problem(&self) -> bool {
        self.is_problem
    }

    pub(super) fn encode(&self, encoder: &mut Encoder) {
        encoder.bytes.push(u8::from(self.is_problem));
        if self.written.is_empty() {
            let mut written = Encoder::default();
            encode_all(self.all(), &mut written);
            encoder.small(written.bytes.len());
            encoder.bytes.extend(written.bytes);
        } else {
            encoder.small(self.written.len());
            encoder.bytes.extend(&*self.written);
        }
    }

    pub(super) fn decode(decoder: &mut Decoder<'_>) -> Option<Self> {
        let is_problem = decoder.byte()? == 1;
        let length = decoder.small()?;
        let written = decoder.take(length)?.into();
        Some(Self { written, is_problem, ..Self::default() })
    }
}

impl Told {
    fn of(all: Vec<Missing>) -> Self {
        let texts = vec![OnceLock::new(); all.len()];
        Self { all, texts }
    }
}

impl From<Vec<Missing>> for Lacking {
    fn from(all: Vec<Missing>) -> Self {
        let is_problem = all.iter().any(Missing::is_problem);
        Self { told: OnceLock::from(Box::new(Told::of(all))), is_problem, ..Self::default() }
    }
}

fn encode_all(all: &[Missing], encoder: &mut Encoder) {
    encoder.small(all.len());
    for Missing { name, reason, referenced_by, package_name, package_version } in all {
        for text in [name, reason, referenced_by] {
            encoder.text(text);
        }
        for optional in [package_name, package_version] {
            encoder.bytes.push(u8::from(optional.is_some()));
            encoder.text(optional.as_deref().unwrap_or_default());
        }
    }
}

fn decode_all(decoder: &mut Decoder<'_>) -> Option<Vec<Missing>> {
    let mut all = Vec::new();
    for _ in 0..decoder.small()? {
        let (name, reason, referenced_by) = (decoder.text()?, decoder.text()?, decoder.text()?);
        let mut optional = || {
            let given = decoder.byte()? == 1;
            let text = decoder.text()?;
            Some(given.then_some(text))
        };
        let (package_name, package_version) = (optional()?, optional()?);
        all.push(Missing { name, reason, referenced_by, package_name, package_version });
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use becket_contracts::bundle::EXTERNAL_PACKAGE;

    #[test]
    fn what_was_written_down_is_told_again() {
        let missing = |name: &str, reason: &str, version: Option<&str>| Missing {
            name: name.to_owned(),
            reason: reason.to_owned(),
            referenced_by: "src/räder.ts".to_owned(),
            package_name: version.map(|_| name.to_owned()),
            package_version: version.map(str::to_owned),
        };
        let package = missing("react", EXTERNAL_PACKAGE, Some("19.0.0"));
        let lost = missing("./gone", "file not found", None);
        for all in [vec![], vec![package.clone()], vec![lost.clone(), package]] {
            let lacking = Lacking::from(all.clone());
            let mut encoder = Encoder::default();
            lacking.encode(&mut encoder);
            let mut decoder = Decoder { bytes: &encoder.bytes };
            let again = Lacking::decode(&mut decoder).unwrap();
            assert!(decoder.bytes.is_empty());
            assert_eq!(again.is_problem(), all.contains(&lost));
            // Written on without being read, and read.
            let mut twice = Encoder::default();
            again.encode(&mut twice);
            assert_eq!(twice.bytes, encoder.bytes);
            assert_eq!(again.all(), all);
            assert!(again.problems().eq(all.iter().filter(|missing| **missing == lost)));
        }
    }
}
