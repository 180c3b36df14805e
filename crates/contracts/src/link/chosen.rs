//! Members of a union that are taken by what they have, `Extract<Modal, { name: 'a' }>`, and elements of a tuple.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::props::{Arguments, Bound, Expander, Place, bind};
use super::scope::{Found, Scope};
use crate::brackets::split;
use crate::languages::typescript::type_shape;
use crate::model::{DeclarationDetail, TypeShape};

impl<'l> Expander<'l> {
    /// The members of a union that `Extract` or `Exclude` leaves; `None` where that is not told by literals that they have.
    pub(super) fn chosen<'f>(
        &mut self,
        name: &str,
        given: &[TypeShape],
        scope: Scope<'f>,
        arguments: &Arguments<'f>,
    ) -> Option<Vec<Bound<'f>>>
    where
        'l: 'f,
    {
        let [from, wanted] = given else { return None };
        let mut parts = Vec::new();
        self.parts_of(from, scope, arguments, &mut parts)?;
        let mut kept = Vec::new();
        for part in parts {
            if self.has(&part, wanted, scope, arguments)? == (name == "Extract") {
                kept.push(part);
            }
        }
        (!kept.is_empty()).then_some(kept)
    }

    fn parts_of<'f>(
        &mut self,
        shape: &TypeShape,
        scope: Scope<'f>,
        arguments: &Arguments<'f>,
        found: &mut Vec<Bound<'f>>,
    ) -> Option<()>
    where
        'l: 'f,
    {
        self.deeper(|expander| match shape {
            TypeShape::Union(parts) => {
                parts.iter().try_for_each(|part| expander.parts_of(part, scope, arguments, found))
            }
            TypeShape::Object(_) | TypeShape::Intersection(_) => {
                found.push(Bound::new(shape.clone(), scope, arguments));
                Some(())
            }
            TypeShape::Reference { name, arguments: given } => {
                if let Some(bound) = arguments.get(name) {
                    return expander.parts_of(&bound.shape, bound.scope, &bound.arguments, found);
                }
                let Found::Declared(file, declared) = expander.resolver.type_name(scope, name) else {
                    return None;
                };
                let DeclarationDetail::Shape { parameters, shape } = &declared.detail else { return None };
                let at = Place { scope, arguments: Rc::clone(arguments) };
                let bound = bind(parameters, |index| given.get(index), &at, file);
                expander.parts_of(shape, file, &bound, found)
            }
            _ => None,
        })
    }

    /// Whether a member of a union has every literal that is wanted of it.
    fn has<'f>(
        &mut self,
        part: &Bound<'f>,
        wanted: &TypeShape,
        scope: Scope<'f>,
        arguments: &Arguments<'f>,
    ) -> Option<bool>
    where
        'l: 'f,
    {
        let TypeShape::Object(members) = wanted else { return None };
        let mut has_all = true;
        for member in members {
            if let TypeShape::Object(own) = &part.shape {
                if own.iter().all(|one| one.name != member.name) {
                    has_all = false;
                    continue;
                }
            }
            let had = self.indexed(&part.shape, &member.name, part.scope, &part.arguments)?;
            let asked = self.indexed(wanted, &member.name, scope, arguments)?;
            let (mut has, mut wants) = (BTreeSet::new(), BTreeSet::new());
            self.collect_literals(&had.shape, had.scope, &had.arguments, &mut has)?;
            self.collect_literals(&asked.shape, asked.scope, &asked.arguments, &mut wants)?;
            has_all &= has.is_subset(&wants);
        }
        (!members.is_empty()).then_some(has_all)
    }
}

/// The type at a place of a tuple, `[A, second: B]`.
pub(super) fn element(list: &str, place: &str) -> Option<TypeShape> {
    let inner = list.strip_prefix("readonly ").unwrap_or(list).strip_prefix('[')?.strip_suffix(']')?;
    let each = split(inner, &[',']);
    let place: usize = place.parse().ok()?;
    // What stands behind a rest is at no known place.
    let one = each.get(place).filter(|_| !each[..=place].iter().any(|one| one.starts_with("...")))?;
    match split(one, &[':']).as_slice() {
        [_, said] => type_shape(said),
        _ => type_shape(one.strip_suffix('?').unwrap_or(one)),
    }
}
