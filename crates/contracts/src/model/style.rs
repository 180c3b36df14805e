//! Style metadata as JSON in the seed original's spelling: facts are always the full lists, `lean` is a view of them.

use serde::{Deserialize, Serialize};

/// Everything that was found, sorted and without repeats. `style::view` makes the seed's `style` object of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StyleFacts {
    /// Utility classes, as written, with a space between two: one text, because there are many of them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub classes: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub css_modules: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scss_modules: Vec<String>,
    /// `style={{ property: value }}`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inline: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub styled_jsx: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub styled_components: Vec<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uses_theme: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uses_css_prop: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub motion_components: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub motion_props: Vec<String>,
    /// Component libraries by their key (`materialUI`, `shadcnUI` …) with the components that are imported.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub libraries: Vec<(String, Vec<String>)>,
    /// `variant="…"` and `size="…"` values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<String>,
    /// JSX attribute names that say how a library is used (`asChild`, `open`, `defaultOpen`, `aria-…`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<String>,
    /// Elements that carry meaning for the layout: `section`, `header`, `main` …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<String>,
}

impl StyleFacts {
    /// Its classes, one by one.
    pub fn classes(&self) -> impl Iterator<Item = &str> {
        self.classes.split_ascii_whitespace()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StyleMode {
    #[default]
    Lean,
    Full,
}
