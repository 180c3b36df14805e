//! What is spread into an object that is written in place: of a constant that is one itself, its members.

use oxc_ast::ast::{Expression, ObjectExpression, ObjectProperty, ObjectPropertyKind, PropertyKind};

use super::origins::Top;
use super::print::Print;
use super::within::{Local, Within};

/// Constants that are spread into constants.
const DEEPEST: usize = 4;
/// Behind so many members nothing is written out any more.
const MOST: usize = 200;

/// A property, and the object that it stands in.
pub(super) type Written<'x> = (&'x ObjectPropertyKind<'x>, &'x ObjectExpression<'x>);

impl Print<'_, '_> {
    /// The properties of an object, with those of constants in the place of these. Of several of one name the last one counts.
    pub(super) fn spread_out<'x>(
        self,
        object: &'x ObjectExpression<'x>,
        within: Option<&Within<'_, 'x, 'x>>,
    ) -> Vec<Written<'x>>
    where
        Self: 'x,
    {
        let mut all = Vec::new();
        self.add(within, &mut vec![object], &mut all);
        if all.iter().all(|(_, of)| std::ptr::eq(*of, object)) {
            return all;
        }
        let mut kept: Vec<Written<'x>> = Vec::new();
        for one in all {
            kept.retain(|other| !replaces(one.0, other.0));
            kept.push(one);
        }
        kept
    }

    /// Those of the last of the objects, which the others before it are spread into.
    fn add<'x>(
        self,
        within: Option<&Within<'_, 'x, 'x>>,
        path: &mut Vec<&'x ObjectExpression<'x>>,
        all: &mut Vec<Written<'x>>,
    ) where
        Self: 'x,
    {
        let Some(object) = path.last().copied() else { return };
        for property in &object.properties {
            let spread = match property {
                ObjectPropertyKind::SpreadProperty(spread) if path.len() <= DEEPEST && all.len() <= MOST => {
                    Some(&spread.argument)
                }
                _ => None,
            };
            let inner = spread.and_then(|value| self.constant_object(value, within));
            match inner.filter(|inner| !path.iter().any(|outer| std::ptr::eq(*outer, *inner))) {
                Some(inner) => {
                    path.push(inner);
                    self.add(within, path, all);
                    path.pop();
                }
                None => all.push((property, object)),
            }
        }
    }

    /// The object that a constant of the function, or of the file, is. To one without members some may be added later.
    fn constant_object<'x>(
        self,
        value: &'x Expression<'x>,
        within: Option<&Within<'_, 'x, 'x>>,
    ) -> Option<&'x ObjectExpression<'x>>
    where
        Self: 'x,
    {
        let Expression::Identifier(name) = value else { return None };
        let constant = match within.and_then(|within| within.local(&name.name)) {
            Some((Local::Constant(constant), _)) => constant,
            Some(_) => return None,
            None if self.is_local_value(&name.name) => return None,
            None => match self.source.origins.declared(&name.name)? {
                Top::Constant(constant) => constant,
                Top::Class(_) | Top::Function(_) | Top::Other => return None,
            },
        };
        match constant.init.as_ref().filter(|_| constant.type_annotation.is_none())? {
            Expression::ObjectExpression(object) if (1..=MOST).contains(&object.properties.len()) => {
                Some(object)
            }
            _ => None,
        }
    }
}

/// Whether a property stands in the place of another: two accessors are one member.
fn replaces(one: &ObjectPropertyKind<'_>, other: &ObjectPropertyKind<'_>) -> bool {
    let (Some(one), Some(other)) = (one.as_property(), other.as_property()) else { return false };
    let is_accessor = |property: &ObjectProperty<'_>| property.kind != PropertyKind::Init;
    let name = one.key.static_name();
    name.is_some()
        && name == other.key.static_name()
        && (one.kind == other.kind || !is_accessor(one) || !is_accessor(other))
}
