//! The seed's `details`: which names came and went, list by list.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use becket_base::ByName;
use serde::{Deserialize, Serialize};

use super::routes::shown;
use crate::model::{Contract, PropType, Version};
use crate::order::in_order;

/// Lists that are empty are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Details {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub modified_fields: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub added_props: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed_props: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub modified_props: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub added_functions: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed_functions: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub added_imports: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed_imports: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub added_hooks: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed_hooks: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub added_exports: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed_exports: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub modified_exports: Vec<String>,
}

impl Details {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// All lists, in the order in which they are written.
    pub fn lists_mut(&mut self) -> [&mut Vec<String>; 13] {
        [
            &mut self.modified_fields,
            &mut self.added_props,
            &mut self.removed_props,
            &mut self.modified_props,
            &mut self.added_functions,
            &mut self.removed_functions,
            &mut self.added_imports,
            &mut self.removed_imports,
            &mut self.added_hooks,
            &mut self.removed_hooks,
            &mut self.added_exports,
            &mut self.removed_exports,
            &mut self.modified_exports,
        ]
    }

    pub(super) fn between(old: &Contract, new: &Contract) -> Self {
        let mut details = Self::default();
        let mut fields = Vec::new();
        let mut lists = |field: &str, before: &[String], after: &[String]| {
            let (added, removed) = difference(before, after);
            if !added.is_empty() || !removed.is_empty() {
                fields.push(field.to_owned());
            }
            (added, removed)
        };
        // One that was written briefly leaves out of these what the other one has.
        let nothing = Version::default();
        let brief = old.brief != new.brief;
        let (a, b) = if brief { (&nothing, &nothing) } else { (&old.version, &new.version) };
        lists("version.variables", &a.variables, &b.variables);
        (details.added_hooks, details.removed_hooks) = lists("version.hooks", &a.hooks, &b.hooks);
        lists("version.components", &a.components, &b.components);
        (details.added_functions, details.removed_functions) =
            lists("version.functions", &a.functions, &b.functions);
        (details.added_imports, details.removed_imports) = lists("version.imports", &a.imports, &b.imports);
        let exports = |contract: &Contract| -> Vec<String> {
            let default = contract.exports.default.iter().map(|_| "default".to_owned());
            contract.exports.named.iter().cloned().chain(default).collect()
        };
        (details.added_exports, details.removed_exports) = lists("exports", &exports(old), &exports(new));

        let (a, b) = (&old.logic_signature, &new.logic_signature);
        let props = |props: &ByName<PropType>| -> Vec<String> { props.keys().cloned().collect() };
        (details.added_props, details.removed_props) =
            lists("logicSignature.props", &props(&a.props), &props(&b.props));
        details.modified_props = a
            .props
            .iter()
            .filter(|(name, text)| b.props.get(name).is_some_and(|other| other != *text))
            .map(|(name, _)| name.clone())
            .collect();
        for (field, differs) in [
            ("kind", old.kind != new.kind),
            ("logicSignature.props", a.props != b.props),
            ("logicSignature.emits", a.emits != b.emits),
            ("logicSignature.state", a.state != b.state),
            ("logicSignature.apiSignature", a.api_signature != b.api_signature),
            ("nextjs", old.nextjs != new.nextjs),
            ("routes", routes(old) != routes(new)),
            ("style", old.style.is_some() && new.style.is_some() && old.style != new.style),
        ] {
            if differs && !fields.iter().any(|known| known == field) {
                fields.push(field.to_owned());
            }
        }
        details.modified_exports = modified_exports(old, new);
        if !details.modified_exports.is_empty() {
            fields.push("declarations".to_owned());
        }
        fields.sort();
        details.modified_fields = fields;
        details
    }
}

/// Each address with everything that is answered there.
fn routes(contract: &Contract) -> BTreeSet<(&str, Cow<'_, str>, String)> {
    let each = contract.routes.iter();
    each.map(|route| (&*route.method, route.path_and_versions(), shown(route))).collect()
}

/// Exported on both sides, and not with the same signature or props.
fn modified_exports(old: &Contract, new: &Contract) -> Vec<String> {
    let exported = |contract: &'_ Contract| -> BTreeMap<String, String> {
        let declarations = contract.declarations.iter().filter(|declaration| declaration.exported);
        declarations
            .map(|one| {
                let mut props: Vec<String> = one
                    .props
                    .iter()
                    .flatten()
                    .map(|prop| format!("{}{}{}", prop.name, if prop.optional { "?" } else { "" }, prop.text))
                    .collect();
                props.sort();
                let signatures = one.signatures.join("\n");
                let text = format!("{} {} {}", one.kind.as_str(), in_order(&signatures), props.join("\n"));
                (one.name.clone(), text)
            })
            .collect()
    };
    let (before, after) = (exported(old), exported(new));
    before
        .iter()
        .filter(|(name, text)| after.get(*name).is_some_and(|other| other != *text))
        .map(|(name, _)| name.clone())
        .collect()
}

/// Added, removed.
fn difference(before: &[String], after: &[String]) -> (Vec<String>, Vec<String>) {
    let (before, after): (BTreeSet<&String>, BTreeSet<&String>) =
        (before.iter().collect(), after.iter().collect());
    let owned = |names: Vec<&&String>| names.into_iter().map(|name| (*name).clone()).collect();
    (owned(after.difference(&before).collect()), owned(before.difference(&after).collect()))
}
