//! The tools of one server: chosen from [`crate::tools::TOOLS`] by persona, toolsets, names and read-only mode.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use becket_base::nearest;
use becket_engine::Error;

use crate::{
    persona::Persona,
    route::Route,
    tool::Effect,
    tools,
    toolset::{NameStyle, Toolset, same_name},
};

/// What the settings say about the list.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    pub toolsets: Vec<Toolset>,
    /// Single tools, added to the toolsets.
    pub tools: Vec<String>,
    /// Single tools taken out again.
    pub exclude: Vec<String>,
    pub read_only: bool,
    pub names: NameStyle,
}

/// The fixed, ordered list.
pub(crate) struct Catalogue {
    routes: Vec<Arc<dyn Route>>,
    names: NameStyle,
    /// Tools that exist but are not offered, with the reason: a call of one is refused and not unknown.
    withheld: BTreeMap<&'static str, &'static str>,
    definitions: OnceLock<Vec<rmcp::model::Tool>>,
}

impl std::fmt::Debug for Catalogue {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_list().entries(self.routes.iter().map(|route| route.name())).finish()
    }
}

impl Catalogue {
    pub(crate) fn choose(persona: Persona, choice: &Choice) -> Result<Self, Error> {
        let every = tools::all();
        for name in choice.tools.iter().chain(&choice.exclude) {
            if !every.iter().any(|route| same_name(route.name(), name)) {
                return Err(unknown_tool(name, &every));
            }
        }
        let named =
            |names: &[String], route: &Arc<dyn Route>| names.iter().any(|name| same_name(name, route.name()));
        let mut withheld = BTreeMap::new();
        let mut routes = Vec::new();
        for route in every {
            let toolset = route.toolset();
            let offered = match persona.toolsets {
                Some(toolsets) => toolsets.contains(&toolset),
                None => {
                    toolset == Toolset::Becket
                        || choice.toolsets.contains(&toolset)
                        || named(&choice.tools, &route)
                }
            };
            if !offered {
                if persona.toolsets.is_none() {
                    withheld.insert(route.name(), "its toolset was not chosen at start (--toolsets)");
                }
            } else if named(&choice.exclude, &route) {
                withheld.insert(route.name(), "it was excluded at start (--exclude)");
            } else if choice.read_only && route.effect() != Effect::Reads {
                withheld.insert(route.name(), "the server is read-only (--read-only)");
            } else {
                routes.push(route);
            }
        }
        let names = persona.names.unwrap_or(choice.names);
        Ok(Self { routes, names, withheld, definitions: OnceLock::new() })
    }

    /// In the fixed order of the table, under the listed spelling.
    pub(crate) fn definitions(&self) -> &[rmcp::model::Tool] {
        self.definitions.get_or_init(|| {
            self.routes
                .iter()
                .map(|route| {
                    let mut tool = route.definition().clone();
                    tool.name = self.names.listed(route.name()).into();
                    tool
                })
                .collect()
        })
    }

    pub(crate) fn count(&self, toolset: Toolset) -> usize {
        self.routes.iter().filter(|route| route.toolset() == toolset).count()
    }

    /// The tool of that name, in either spelling.
    pub(crate) fn find(&self, name: &str) -> Result<&Arc<dyn Route>, Missing> {
        if let Some(route) = self.routes.iter().find(|route| same_name(route.name(), name)) {
            return Ok(route);
        }
        if let Some((_, reason)) = self.withheld.iter().find(|(known, _)| same_name(known, name)) {
            return Err(Missing::Withheld(
                Error::denied("tool_not_offered", format!("The tool `{name}` is not offered: {reason}."))
                    .with_hint("Start the server with other options, or use another tool."),
            ));
        }
        Err(Missing::Unknown(unknown_tool(name, &self.routes)))
    }
}

/// Why a call has no tool.
#[derive(Debug)]
pub(crate) enum Missing {
    /// It exists: the call is well-formed, and refused.
    Withheld(Error),
    /// It does not: the call is malformed.
    Unknown(Error),
}

fn unknown_tool(name: &str, routes: &[Arc<dyn Route>]) -> Error {
    let shown = becket_base::clip(name, 80);
    let error = Error::not_found("unknown_tool", format!("There is no tool `{shown}`."));
    let listed: Vec<String> = routes.iter().map(|route| NameStyle::Underscore.listed(route.name())).collect();
    match nearest(&name.replace('.', "_"), listed.iter().map(String::as_str)) {
        Some(meant) => error.with_hint(format!("Did you mean `{meant}`? tools/list names all of them.")),
        None => error.with_hint("tools/list names all of them."),
    }
}
