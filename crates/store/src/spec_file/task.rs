//! From the nodes of one task to its definition: the schema, with errors that name the task and the key.

use std::collections::BTreeSet;

use becket_base::Timestamp;

use super::{
    definition::{DEFAULT_PRIORITY, Definition, Prd, PrdReference, Project, Status},
    error::{Place, SpecError},
    node::{Kind, Node},
    read::scalar,
};

/// `odd` takes what is readable but worth a word.
pub(super) fn definition(
    id: &str,
    place: Place,
    node: &Node<'_>,
    odd: &mut Vec<(Place, String)>,
) -> Result<Definition, SpecError> {
    let task = Task { id };
    let Kind::Mapping { entries, .. } = &node.kind else {
        return Err(SpecError::WrongType {
            place: node.place,
            task: id.to_owned(),
            key: id.to_owned(),
            expected: "a mapping with a title",
            found: node.found().to_owned(),
        });
    };
    let mut read = Definition { id: id.to_owned(), priority: DEFAULT_PRIORITY, ..Definition::default() };
    let mut title = None;
    // A merge key gives only what the task does not say itself, wherever it stands.
    for (_, value) in entries.iter().filter(|(key, _)| scalar(key) == Some("<<")) {
        for merged in merged(value) {
            for (key, value) in merged {
                task.field(&mut read, &mut title, key, value)?;
            }
        }
    }
    let mut seen = BTreeSet::new();
    for (key, value) in entries {
        let name = scalar(key).unwrap_or_default();
        if !seen.insert(name.to_owned()) {
            odd.push((
                key.place,
                format!("`{name}` of task `{id}` stands here a second time; this one counts"),
            ));
        }
        task.field(&mut read, &mut title, key, value)?;
    }
    read.title = title.ok_or_else(|| SpecError::NoTitle { place, task: id.to_owned() })?;
    Ok(read)
}

/// The mappings behind `<<`, so that an earlier one wins: the last applied overwrites.
fn merged<'n, 't>(value: &'n Node<'t>) -> Vec<&'n Vec<(Node<'t>, Node<'t>)>> {
    match &value.kind {
        Kind::Mapping { entries, .. } => vec![entries],
        Kind::Sequence { items, .. } => items.iter().rev().flat_map(merged).collect(),
        Kind::Scalar { .. } => Vec::new(),
    }
}

struct Task<'i> {
    id: &'i str,
}

impl Task<'_> {
    fn field(
        &self,
        read: &mut Definition,
        title: &mut Option<String>,
        key: &Node<'_>,
        value: &Node<'_>,
    ) -> Result<(), SpecError> {
        let Some(name) = scalar(key) else { return Ok(()) };
        if value.is_null() && name != "title" {
            return Ok(());
        }
        match name {
            "title" => *title = Some(self.text(name, value)?),
            "description" => read.description = self.text(name, value)?,
            "acceptance_criteria" => read.acceptance_criteria = self.list(name, value)?,
            "depends_on" => read.depends_on = self.list(name, value)?,
            "labels" => read.labels = self.list(name, value)?,
            "locks" => read.locks = self.list(name, value)?,
            "priority" => read.priority = self.integer(name, value)?,
            "status" => {
                let word = self.text(name, value)?;
                read.status = Status::parse(&word).ok_or_else(|| SpecError::UnknownStatus {
                    place: value.place,
                    task: self.id.to_owned(),
                    word: becket_base::clip(&word, 60).to_string(),
                })?;
            }
            "created_at" => read.created_at = Some(self.time(name, value)?),
            "updated_at" => read.updated_at = Some(self.time(name, value)?),
            "completed_by" => read.completed_by = Some(self.text(name, value)?),
            "completed_at" => read.completed_at = Some(self.time(name, value)?),
            "verified_by" => read.verified_by = Some(self.text(name, value)?),
            "verified_at" => read.verified_at = Some(self.time(name, value)?),
            "prd" => read.prd = Some(self.prd(value)?),
            _ => {}
        }
        Ok(())
    }

    fn text(&self, key: &str, node: &Node<'_>) -> Result<String, SpecError> {
        match scalar(node) {
            Some(text) if !node.is_null() => Ok(text.to_owned()),
            _ => Err(self.wrong(key, "a text", node)),
        }
    }

    fn list(&self, key: &str, node: &Node<'_>) -> Result<Vec<String>, SpecError> {
        let Kind::Sequence { items, .. } = &node.kind else {
            return Err(self.wrong(key, "a list of texts", node));
        };
        items.iter().map(|item| self.text(key, item)).collect()
    }

    fn integer(&self, key: &str, node: &Node<'_>) -> Result<i64, SpecError> {
        let text = scalar(node).ok_or_else(|| self.wrong(key, "a whole number", node))?;
        text.trim().replace('_', "").parse().map_err(|_| self.wrong(key, "a whole number", node))
    }

    /// As RFC 3339 in UTC, however it is written.
    fn time(&self, key: &str, node: &Node<'_>) -> Result<String, SpecError> {
        let text = self.text(key, node)?;
        canonical_time(&text)
            .ok_or_else(|| self.wrong(key, "a moment such as 2025-12-28T10:00:00+00:00", node))
    }

    fn prd(&self, node: &Node<'_>) -> Result<Prd, SpecError> {
        let Kind::Mapping { entries, .. } = &node.kind else {
            return Err(self.wrong("prd", "a mapping with a source", node));
        };
        let mut prd = Prd::default();
        let mut source = None;
        for (key, value) in entries {
            if value.is_null() {
                continue;
            }
            match scalar(key) {
                Some("source") => source = Some(self.text("prd.source", value)?),
                Some("excerpt") => prd.excerpt = Some(self.text("prd.excerpt", value)?),
                Some("prd_hash") => prd.prd_hash = Some(self.text("prd.prd_hash", value)?),
                Some("refs") => {
                    let Kind::Sequence { items, .. } = &value.kind else {
                        return Err(self.wrong("prd.refs", "a list", value));
                    };
                    prd.refs = items.iter().map(|item| self.reference(item)).collect::<Result<_, _>>()?;
                }
                _ => {}
            }
        }
        prd.source = source.ok_or_else(|| self.wrong("prd.source", "a path", node))?;
        Ok(prd)
    }

    fn reference(&self, node: &Node<'_>) -> Result<PrdReference, SpecError> {
        // A bare word stands for its anchor: nothing else can be meant.
        if scalar(node).is_some() && !node.is_null() {
            return Ok(PrdReference { anchor: self.text("prd.refs", node)?, ..PrdReference::default() });
        }
        let Kind::Mapping { entries, .. } = &node.kind else {
            return Err(self.wrong("prd.refs", "a mapping with an anchor", node));
        };
        let mut reference = PrdReference::default();
        for (key, value) in entries {
            if value.is_null() {
                continue;
            }
            match scalar(key) {
                Some("anchor") => reference.anchor = self.text("prd.refs.anchor", value)?,
                Some("section_hash") => {
                    reference.section_hash = Some(self.text("prd.refs.section_hash", value)?);
                }
                Some("lines") => {
                    let wrong = || self.wrong("prd.refs.lines", "a pair of line numbers", value);
                    let Kind::Sequence { items, .. } = &value.kind else { return Err(wrong()) };
                    let [first, last] = items.as_slice() else { return Err(wrong()) };
                    let number = |node| self.integer("prd.refs.lines", node);
                    let (Ok(first), Ok(last)) = (u64::try_from(number(first)?), u64::try_from(number(last)?))
                    else {
                        return Err(wrong());
                    };
                    reference.lines = Some((first, last));
                }
                _ => {}
            }
        }
        Ok(reference)
    }

    fn wrong(&self, key: &str, expected: &'static str, node: &Node<'_>) -> SpecError {
        let found = match scalar(node) {
            Some(text) if !node.is_null() => format!("`{}`", becket_base::clip(text, 40)),
            _ => node.found().to_owned(),
        };
        SpecError::WrongType {
            place: node.place,
            task: self.id.to_owned(),
            key: key.to_owned(),
            expected,
            found,
        }
    }
}

/// What `spec.yaml` and `PyYAML` write as a time, in one spelling. A time without a zone is taken as UTC.
pub(super) fn canonical_time(text: &str) -> Option<String> {
    let text = text.trim();
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment.to_string());
    }
    // `PyYAML` puts a space before the zone as well.
    let joined = text.replacen(' ', "T", 1).replace(' ', "");
    if let Ok(moment) = joined.parse::<Timestamp>() {
        return Some(moment.to_string());
    }
    let civil = joined.parse::<jiff::civil::DateTime>().ok()?;
    Some(civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().to_string())
}

pub(super) fn project(node: &Node<'_>) -> Result<Project, SpecError> {
    let mut project = Project::default();
    if node.is_null() {
        return Ok(project);
    }
    let Kind::Mapping { entries, .. } = &node.kind else {
        let (place, found) = (node.place, node.found());
        return Err(SpecError::TopLevelType {
            place,
            key: "project".to_owned(),
            expected: "a mapping",
            found,
        });
    };
    for (key, value) in entries {
        let target = match scalar(key) {
            Some("name") => &mut project.name,
            Some("default_branch") => &mut project.default_branch,
            _ => continue,
        };
        match scalar(value) {
            Some(text) if !value.is_null() => text.clone_into(target),
            None if !value.is_null() => {
                let key = format!("project.{}", scalar(key).unwrap_or_default());
                let (place, found) = (value.place, value.found());
                return Err(SpecError::TopLevelType { place, key, expected: "a text", found });
            }
            _ => {}
        }
    }
    Ok(project)
}

pub(super) fn features(node: &Node<'_>) -> Result<Vec<(String, Vec<String>)>, SpecError> {
    if node.is_null() {
        return Ok(Vec::new());
    }
    let wrong = |node: &Node<'_>, expected| SpecError::TopLevelType {
        place: node.place,
        key: "features".to_owned(),
        expected,
        found: node.found(),
    };
    let Kind::Mapping { entries, .. } = &node.kind else { return Err(wrong(node, "a mapping")) };
    let mut features = Vec::new();
    for (key, value) in entries {
        let ids = match &value.kind {
            _ if value.is_null() => Vec::new(),
            Kind::Sequence { items, .. } => {
                items.iter().filter_map(|item| scalar(item).map(str::to_owned)).collect()
            }
            _ => return Err(wrong(value, "a list of task ids")),
        };
        features.push((scalar(key).unwrap_or_default().to_owned(), ids));
    }
    Ok(features)
}
