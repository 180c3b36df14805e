//! Style metadata as JSON in the seed original's spelling: facts are always the full lists, `lean` is a view of them.

use serde::{Deserialize, Serialize};

/// Everything that was found, sorted and without repeats. `style::view` makes the seed's `style` object of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StyleFacts {
    /// Utility classes, as written.
    pub classes: Vec<String>,
    pub css_modules: Vec<String>,
    pub scss_modules: Vec<String>,
    /// `style={{ property: value }}`.
    pub inline: Vec<(String, String)>,
    pub styled_jsx: bool,
    pub styled_components: Vec<String>,
    pub uses_theme: bool,
    pub uses_css_prop: bool,
    pub motion_components: Vec<String>,
    pub motion_props: Vec<String>,
    /// Component libraries by their key (`materialUI`, `shadcnUI` …) with the components that are imported.
    pub libraries: Vec<(String, Vec<String>)>,
    /// `variant="…"` and `size="…"` values.
    pub variants: Vec<String>,
    pub sizes: Vec<String>,
    /// JSX attribute names that say how a library is used (`asChild`, `open`, `defaultOpen`, `aria-…`).
    pub attributes: Vec<String>,
    /// Elements that carry meaning for the layout: `section`, `header`, `main` …
    pub sections: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StyleMode {
    #[default]
    Lean,
    Full,
}
