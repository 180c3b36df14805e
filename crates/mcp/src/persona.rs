//! As whom the server speaks: becket, or one of the six seeds' own names.

use crate::toolset::{NameStyle, Toolset};

/// A name that the server answers to, and what it then offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Persona {
    /// `serverInfo.name`, and the name of the command or link.
    pub name: &'static str,
    pub title: &'static str,
    /// The toolsets offered; `None` for whatever the settings choose.
    pub toolsets: Option<&'static [Toolset]>,
    /// How its seed lists tool names; `None` for whatever the settings choose.
    pub names: Option<NameStyle>,
    /// Whether the text of a result is the result itself as JSON, as its seed has it.
    pub json_text: bool,
    /// Whether the text of a failure is nothing but its message.
    pub bare_failures: bool,
}

impl Persona {
    pub const BECKET: Persona = Persona {
        name: "becket",
        title: "becket: four planes over one Git repository",
        toolsets: None,
        names: None,
        json_text: false,
        bare_failures: false,
    };

    /// Whether becket's own tool, resources and prompts are offered beside the seed's.
    pub(crate) fn is_becket(self) -> bool {
        self == Self::BECKET
    }

    pub fn named(name: &str) -> Option<Persona> {
        PERSONAS.iter().find(|persona| persona.name == name).copied()
    }
}

/// The six other names, each with its seed's tools alone.
pub const PERSONAS: &[Persona] = &[
    Persona {
        name: "stamp",
        title: "LogicStamp's contracts, served by becket",
        toolsets: Some(&[Toolset::Understand]),
        names: Some(NameStyle::Underscore),
        json_text: true,
        bare_failures: false,
    },
    Persona {
        name: "logicstamp-mcp",
        title: "LogicStamp's MCP server, served by becket",
        toolsets: Some(&[Toolset::Understand]),
        names: Some(NameStyle::Underscore),
        json_text: true,
        bare_failures: false,
    },
    Persona {
        name: "context-stash",
        title: "Context-Stash's notes, served by becket",
        toolsets: Some(&[Toolset::Remember]),
        names: Some(NameStyle::Dotted),
        json_text: false,
        bare_failures: false,
    },
    Persona {
        name: "lodestar",
        title: "Lodestar's coordination, served by becket",
        toolsets: Some(&[Toolset::Coordinate]),
        names: Some(NameStyle::Dotted),
        json_text: false,
        bare_failures: false,
    },
    Persona {
        name: "segmint",
        title: "Segmint's commits, served by becket",
        toolsets: Some(&[Toolset::Commit]),
        names: Some(NameStyle::Underscore),
        json_text: true,
        bare_failures: true,
    },
    Persona {
        name: "crinkle",
        title: "Crinkle's MCP foundation, served by becket",
        toolsets: Some(&[]),
        names: Some(NameStyle::Underscore),
        json_text: false,
        bare_failures: false,
    },
];
