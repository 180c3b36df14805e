//! What a component of Vue hands over with its events, to who listens to them. Which events there are is judged with the
//! rest of its declaration; what a component of React calls is among its props.

use super::origins::In;
use super::stands::{From, stands_for};
use super::types::parse;
use super::verdict::{Judgement, Verdict, breaking, compatible};
use crate::model::{Contract, ContractDeclaration};

/// `None` where all that there still are hand over what they did.
pub(super) fn judge(
    before: In<'_, ContractDeclaration>,
    after: In<'_, ContractDeclaration>,
) -> Option<Judgement> {
    let kept = before.1.emits.iter().filter(|event| after.1.emits.contains(event));
    let judged = kept.filter_map(|event| {
        let (had, has) = (handed(before, event)?, handed(after, event)?);
        if had == has {
            return None;
        }
        // Who listens takes what was told; of what was not told, anything.
        let takes = match (told(before.0, event), told(after.0, event)) {
            (true, true) => stands_for(&parse(&had), &parse(&has), From::User),
            (was, _) => !was,
        };
        Some(if takes {
            compatible(format!("who listens to `{event}` need not change"))
        } else {
            breaking(format!("the event `{event}` hands over `{has}`, and did `{had}`"))
        })
    });
    judged.min_by_key(|(verdict, _): &(Verdict, String)| *verdict)
}

/// What is known of an event that is no prop.
fn handed((file, one): In<'_, ContractDeclaration>, event: &str) -> Option<String> {
    let is_prop = one.props.iter().flatten().any(|prop| prop.name == event);
    let known = file.logic_signature.emits.get(event).filter(|_| !is_prop)?;
    Some(known.as_member(event).text)
}

/// Whether more is known of it than that there is one.
fn told(file: &Contract, event: &str) -> bool {
    let text = file.logic_signature.emits.get(event).map(|known| known.as_member(event).text);
    text.is_some_and(|text| text != "function")
}
