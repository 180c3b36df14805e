//! What an entry imports that is no file of the project. Most runs only ask whether there is something that somebody
//! should look at: what an earlier process wrote down is read when somebody wants to know more.

use std::sync::{Arc, OnceLock};

use becket_base::codec::{Decoder, Encoder};
use becket_base::tokens;
use becket_contracts::bundle::Missing;

use super::rows::Row;

#[derive(Debug, Default)]
pub(super) struct Lacking {
    told: OnceLock<Box<Told>>,
    /// Where it was written down.
    row: Option<Row>,
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
        let read = || self.row.as_ref().and_then(Row::missing).unwrap_or_default();
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

    pub(super) fn row(&self) -> Option<&Row> {
        self.row.as_ref()
    }

    pub(super) fn encode(&self, encoder: &mut Encoder) {
        encoder.bytes.push(u8::from(self.is_problem));
        encode_all(self.all(), encoder);
    }

    /// What a row tells when somebody asks.
    pub(super) fn in_row(row: Row, is_problem: bool) -> Self {
        Self { row: Some(row), is_problem, ..Self::default() }
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

pub(super) fn decode_all(decoder: &mut Decoder<'_>) -> Option<Vec<Missing>> {
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
