//! Changes to the text of a `spec.yaml`: bytes are spliced at the places that a change concerns, all others stay, and
//! the result is read again and held against what was meant.

use std::{collections::BTreeMap, ops::Range};

use super::{
    definition::{Definition, Prd, Status},
    error::SpecError,
    read::{self, Spec},
    splice::Splicer,
};

/// One change of one task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    Create(Box<Definition>),
    Set {
        id: String,
        fields: Vec<Field>,
    },
    /// Takes the entry out of the file. Deleting a task is a status; this is for a task that was never meant.
    Remove {
        id: String,
    },
    /// Empties tasks and features.
    Clear,
}

/// One field of a task and its new value; nothing takes the key away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Field {
    Title(String),
    Description(String),
    AcceptanceCriteria(Vec<String>),
    DependsOn(Vec<String>),
    Labels(Vec<String>),
    Locks(Vec<String>),
    Priority(i64),
    Status(Status),
    UpdatedAt(Option<String>),
    CompletedBy(Option<String>),
    CompletedAt(Option<String>),
    VerifiedBy(Option<String>),
    VerifiedAt(Option<String>),
    Prd(Option<Prd>),
}

/// What is written for a field.
#[derive(Debug)]
pub(super) enum Value<'v> {
    Absent,
    Text(&'v str),
    Integer(i64),
    List(&'v [String]),
    Prd(&'v Prd),
}

impl Field {
    pub(super) fn key(&self) -> &'static str {
        match self {
            Field::Title(_) => "title",
            Field::Description(_) => "description",
            Field::AcceptanceCriteria(_) => "acceptance_criteria",
            Field::DependsOn(_) => "depends_on",
            Field::Labels(_) => "labels",
            Field::Locks(_) => "locks",
            Field::Priority(_) => "priority",
            Field::Status(_) => "status",
            Field::UpdatedAt(_) => "updated_at",
            Field::CompletedBy(_) => "completed_by",
            Field::CompletedAt(_) => "completed_at",
            Field::VerifiedBy(_) => "verified_by",
            Field::VerifiedAt(_) => "verified_at",
            Field::Prd(_) => "prd",
        }
    }

    pub(super) fn value(&self) -> Value<'_> {
        match self {
            Field::Title(text) | Field::Description(text) => Value::Text(text),
            Field::AcceptanceCriteria(list)
            | Field::DependsOn(list)
            | Field::Labels(list)
            | Field::Locks(list) => Value::List(list),
            Field::Priority(number) => Value::Integer(*number),
            Field::Status(status) => Value::Text(status.word()),
            Field::UpdatedAt(text)
            | Field::CompletedBy(text)
            | Field::CompletedAt(text)
            | Field::VerifiedBy(text)
            | Field::VerifiedAt(text) => text.as_deref().map_or(Value::Absent, Value::Text),
            Field::Prd(prd) => prd.as_ref().map_or(Value::Absent, Value::Prd),
        }
    }

    /// What the definition is afterwards.
    pub fn apply(&self, definition: &mut Definition) {
        let time = |text: &Option<String>| {
            text.as_deref().map(|text| super::task::canonical_time(text).unwrap_or_else(|| text.to_owned()))
        };
        match self {
            Field::Title(text) => definition.title.clone_from(text),
            Field::Description(text) => definition.description.clone_from(text),
            Field::AcceptanceCriteria(list) => definition.acceptance_criteria.clone_from(list),
            Field::DependsOn(list) => definition.depends_on.clone_from(list),
            Field::Labels(list) => definition.labels.clone_from(list),
            Field::Locks(list) => definition.locks.clone_from(list),
            Field::Priority(number) => definition.priority = *number,
            Field::Status(status) => definition.status = *status,
            Field::UpdatedAt(text) => definition.updated_at = time(text),
            Field::CompletedBy(text) => definition.completed_by.clone_from(text),
            Field::CompletedAt(text) => definition.completed_at = time(text),
            Field::VerifiedBy(text) => definition.verified_by.clone_from(text),
            Field::VerifiedAt(text) => definition.verified_at = time(text),
            Field::Prd(prd) => definition.prd.clone_from(prd),
        }
    }
}

/// The text after the edits, and what it says.
pub fn apply(text: &str, edits: &[Edit]) -> Result<(String, Spec), SpecError> {
    let plan = Plan::of(edits)?;
    let (spec, layout) = read::read_with(text, |id| plan.sets.contains_key(id))?;
    let intended = plan.intended(&spec)?;
    let mut splicer = Splicer::new(text, &layout);
    if plan.clear {
        splicer.clear();
    } else {
        for (id, fields) in &plan.sets {
            splicer.set(id, fields)?;
        }
        for id in &plan.removes {
            splicer.remove(id);
        }
    }
    splicer.create(&plan.creates, plan.clear);
    let changed = splice(text, splicer.into_splices());
    let read = read::read(&changed);
    match read {
        Ok(found) if found.tasks == intended.tasks && found.features == intended.features => {
            Ok((changed, found))
        }
        Ok(found) => Err(not_spliceable(&plan, &difference(&found, &intended))),
        Err(error) => Err(not_spliceable(&plan, &error.to_string())),
    }
}

/// The edits, gathered by task: one task is spliced once.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) creates: Vec<Definition>,
    pub(super) sets: BTreeMap<String, Vec<Field>>,
    pub(super) removes: Vec<String>,
    pub(super) clear: bool,
}

impl Plan {
    pub(super) fn of(edits: &[Edit]) -> Result<Self, SpecError> {
        let mut plan = Plan::default();
        for edit in edits {
            match edit {
                Edit::Create(definition) => {
                    if plan.creates.iter().any(|one| one.id == definition.id) {
                        return Err(SpecError::TaskExists { task: definition.id.clone() });
                    }
                    plan.creates.push((**definition).clone());
                }
                Edit::Set { id, fields } => {
                    if let Some(made) = plan.creates.iter_mut().find(|one| one.id == *id) {
                        apply_all(fields, made);
                        continue;
                    }
                    let known = plan.sets.entry(id.clone()).or_default();
                    for field in fields {
                        known.retain(|one| one.key() != field.key());
                        known.push(field.clone());
                    }
                }
                Edit::Remove { id } => {
                    plan.sets.remove(id);
                    let before = plan.creates.len();
                    plan.creates.retain(|one| one.id != *id);
                    if before == plan.creates.len() && !plan.removes.contains(id) {
                        plan.removes.push(id.clone());
                    }
                }
                Edit::Clear => plan = Plan { clear: true, ..Plan::default() },
            }
        }
        Ok(plan)
    }

    /// What the file is to say afterwards.
    fn intended(&self, spec: &Spec) -> Result<Spec, SpecError> {
        let mut intended = spec.clone();
        if self.clear {
            intended.tasks.clear();
            intended.features.clear();
        }
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        if !(self.sets.is_empty() && self.removes.is_empty() && self.creates.is_empty()) {
            places.extend(spec.tasks.iter().enumerate().map(|(index, task)| (task.id.as_str(), index)));
        }
        let unknown = |id: &String| SpecError::UnknownTask { task: id.clone() };
        for (id, fields) in &self.sets {
            let place = places.get(id.as_str()).ok_or_else(|| unknown(id))?;
            let task = intended.tasks.get_mut(*place).ok_or_else(|| unknown(id))?;
            apply_all(fields, task);
        }
        for id in &self.removes {
            places.get(id.as_str()).ok_or_else(|| unknown(id))?;
        }
        if !self.removes.is_empty() {
            intended.tasks.retain(|task| !self.removes.contains(&task.id));
        }
        for definition in &self.creates {
            let taken = !self.clear && places.contains_key(definition.id.as_str());
            if taken && !self.removes.contains(&definition.id) {
                return Err(SpecError::TaskExists { task: definition.id.clone() });
            }
            let mut made = definition.clone();
            for time in
                [&mut made.created_at, &mut made.updated_at, &mut made.completed_at, &mut made.verified_at]
            {
                *time = time
                    .as_deref()
                    .map(|text| super::task::canonical_time(text).unwrap_or_else(|| text.to_owned()));
            }
            intended.tasks.push(made);
        }
        Ok(intended)
    }
}

fn apply_all(fields: &[Field], task: &mut Definition) {
    for field in fields {
        field.apply(task);
    }
}

fn not_spliceable(plan: &Plan, reason: &str) -> SpecError {
    let named = plan.sets.keys().chain(&plan.removes).chain(plan.creates.iter().map(|one| &one.id)).next();
    SpecError::NotSpliceable {
        task: named.cloned().unwrap_or_else(|| "tasks".to_owned()),
        reason: reason.to_owned(),
    }
}

fn difference(found: &Spec, intended: &Spec) -> String {
    let differs = found.tasks.iter().zip(&intended.tasks).find(|(found, intended)| found != intended);
    match differs {
        Some((found, _)) => format!("the change would alter `{}` in another way than was meant", found.id),
        None => "the change would alter other tasks".to_owned(),
    }
}

/// Replaces each range by its text; insertions at one place stand in the order in which they came.
pub(super) fn splice(text: &str, mut splices: Vec<(Range<usize>, String)>) -> String {
    splices.sort_by_key(|(range, _)| (range.start, range.end));
    let added: usize = splices.iter().map(|(_, new)| new.len()).sum();
    let mut changed = String::with_capacity(text.len() + added);
    let mut at = 0;
    for (range, new) in splices {
        changed.push_str(text.get(at..range.start.max(at)).unwrap_or_default());
        changed.push_str(&new);
        at = at.max(range.end);
    }
    changed.push_str(text.get(at..).unwrap_or_default());
    changed
}
