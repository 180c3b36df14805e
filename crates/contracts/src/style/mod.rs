//! The seed's `style` object as a view of style facts: `full` lists what was found, `lean` counts it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::model::{StyleFacts, StyleMode};

mod sheet;

pub use self::sheet::Sheet;

/// What the style sheets say that a file imports as modules.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sheets {
    pub css: Sheet,
    pub scss: Sheet,
}

impl Sheets {
    /// Of the style sheets that `text` has a text for, by their specifiers.
    pub fn of(facts: &StyleFacts, text: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut sheets = Self::default();
        for (sheet, modules) in
            [(&mut sheets.css, &facts.css_modules), (&mut sheets.scss, &facts.scss_modules)]
        {
            let readable = modules.iter().filter(|module| module.rsplit('.').next() != Some("sass"));
            for text in readable.filter_map(|module| text(module)) {
                sheet.read(&text);
            }
        }
        sheets
    }
}

pub fn view(facts: &StyleFacts, sheets: &Sheets, mode: StyleMode) -> Value {
    let mut style = Map::new();
    let sources = sources(facts, sheets, mode);
    let names: Vec<String> = sources.keys().filter(|name| !name.ends_with("Details")).cloned().collect();
    style.insert("styleSources".to_owned(), Value::Object(sources));
    insert(&mut style, "layout", layout(facts, mode));
    insert(&mut style, "visual", visual(facts, mode));
    insert(&mut style, "animation", animation(facts));
    let mut summary = json!({ "mode": mode, "sources": names });
    if mode == StyleMode::Lean {
        let full = serde_json::to_string(&view(facts, sheets, StyleMode::Full)).unwrap_or_default();
        summary["fullModeBytes"] = json!(full.len());
    }
    style.insert("summary".to_owned(), summary);
    Value::Object(style)
}

fn sources(facts: &StyleFacts, sheets: &Sheets, mode: StyleMode) -> Map<String, Value> {
    let mut sources = Map::new();
    let full = mode == StyleMode::Full;
    if facts.classes().any(|class| category(class).is_some()) {
        sources.insert("tailwind".to_owned(), tailwind(facts, full));
    }
    for (key, details, modules, sheet) in [
        ("scssModule", "scssDetails", &facts.scss_modules, &sheets.scss),
        ("cssModule", "cssDetails", &facts.css_modules, &sheets.css),
    ] {
        let Some(first) = modules.first() else { continue };
        sources.insert(key.to_owned(), json!(first));
        sources.extend(sheet.view(full).map(|sheet| (details.to_owned(), sheet)));
    }
    if !facts.inline.is_empty() {
        let properties: BTreeSet<&String> = facts.inline.iter().map(|(property, _)| property).collect();
        let values: Vec<String> =
            facts.inline.iter().map(|(property, value)| format!("{property}: {value}")).collect();
        let shown = if full { json!({ "properties": properties, "values": values }) } else { json!(true) };
        sources.insert("inlineStyles".to_owned(), shown);
    }
    if facts.styled_jsx {
        sources.insert("styledJsx".to_owned(), json!(true));
    }
    if !facts.styled_components.is_empty() {
        let mut styled = listed("components", "componentCount", &facts.styled_components, full);
        styled.insert("usesTheme".to_owned(), json!(facts.uses_theme));
        styled.insert("usesCssProp".to_owned(), json!(facts.uses_css_prop));
        sources.insert("styledComponents".to_owned(), Value::Object(styled));
    }
    if !facts.motion_components.is_empty() {
        let mut motion = listed("components", "componentCount", &facts.motion_components, full);
        let has =
            |names: &[&str]| names.iter().any(|name| facts.motion_props.iter().any(|prop| prop == name));
        if full {
            motion.insert("variants".to_owned(), json!(has(&["variants"])));
        }
        motion.insert(
            "features".to_owned(),
            json!({
                "gestures": has(&["whileHover", "whileTap", "whileFocus", "whileDrag", "drag"]),
                "layoutAnimations": has(&["layout", "layoutId"]),
                "viewportAnimations": has(&["whileInView", "viewport"]),
            }),
        );
        sources.insert("motion".to_owned(), Value::Object(motion));
    }
    for (key, components) in &facts.libraries {
        sources.insert(key.clone(), library(facts, key, components, full));
    }
    sources
}

fn library(facts: &StyleFacts, key: &str, components: &[String], full: bool) -> Value {
    let has = |name: &str| facts.attributes.iter().any(|attribute| attribute == name);
    let mut library = match key {
        "radixUI" => listed("primitives", "primitiveCount", components, full),
        _ => listed("components", "componentCount", components, full),
    };
    match key {
        "radixUI" => {
            let accessibility: Vec<&String> =
                facts.attributes.iter().filter(|name| name.starts_with("aria-") || *name == "role").collect();
            let patterns = json!({
                "controlled": has("open") || has("value") || has("checked") || has("onOpenChange") || has("onValueChange"),
                "uncontrolled": has("defaultOpen") || has("defaultValue") || has("defaultChecked"),
                "portals": components.iter().any(|name| name.contains("Portal")),
                "asChild": has("asChild"),
            });
            library.insert("patterns".to_owned(), patterns);
            library.insert("features".to_owned(), json!({ "primitiveCount": components.len() }));
            library.insert(
                "accessibility".to_owned(),
                if full { json!(accessibility) } else { json!(!accessibility.is_empty()) },
            );
        }
        "shadcnUI" => {
            if full {
                library.insert("variants".to_owned(), json!(facts.variants));
                library.insert("sizes".to_owned(), json!(facts.sizes));
            }
            let density = match components.len() {
                0..=3 => "low",
                4..=9 => "medium",
                _ => "high",
            };
            library.insert(
                "features".to_owned(),
                json!({
                    "usesForm": components.iter().any(|name| name.starts_with("Form")),
                    "usesTheme": facts.uses_theme,
                    "usesIcons": components.iter().any(|name| name.ends_with("Icon")),
                    "componentDensity": density,
                }),
            );
        }
        _ => {}
    }
    Value::Object(library)
}

fn tailwind(facts: &StyleFacts, full: bool) -> Value {
    let mut categories: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut breakpoints = BTreeSet::new();
    for class in facts.classes() {
        let Some(category) = category(class) else { continue };
        categories.entry(category).or_default().insert(class);
        let variants: Vec<&str> = class.split(':').collect();
        let found = variants.iter().rev().skip(1).copied();
        breakpoints.extend(found.filter(|variant| matches!(*variant, "sm" | "md" | "lg" | "xl" | "2xl")));
    }
    let count: usize = categories.values().map(BTreeSet::len).sum();
    let mut shown = Map::new();
    if full {
        shown.insert("categories".to_owned(), json!(categories));
    } else {
        shown.insert("categoriesUsed".to_owned(), json!(categories.keys().collect::<Vec<_>>()));
    }
    if !breakpoints.is_empty() {
        shown.insert("breakpoints".to_owned(), json!(breakpoints));
    }
    shown.insert("classCount".to_owned(), json!(count));
    Value::Object(shown)
}

fn layout(facts: &StyleFacts, mode: StyleMode) -> Map<String, Value> {
    let mut layout = Map::new();
    let has = |name: &str| facts.classes().any(|class| bare(class) == name);
    let inline = |value: &str| {
        facts.inline.iter().any(|(key, text)| key == "display" && text.trim_matches('\'') == value)
    };
    let kinds = [
        ("grid", has("grid") || inline("grid")),
        ("flex", has("flex") || has("inline-flex") || inline("flex")),
        ("absolute", has("absolute")),
        ("relative", has("relative")),
    ];
    if let Some((kind, _)) = kinds.iter().find(|(_, found)| *found) {
        layout.insert("type".to_owned(), json!(kind));
    }
    let columns = with_prefix(facts, &["grid-cols-"]);
    if let Some(first) = columns.first() {
        layout.insert("cols".to_owned(), json!(first));
    }
    if !layout.is_empty() {
        let large = ["text-4xl", "text-5xl", "text-6xl", "text-7xl"].iter().any(|size| has(size));
        let hero = large && ["py-16", "py-20", "py-24", "py-32", "min-h-screen"].iter().any(|room| has(room));
        let cards = !columns.is_empty() && facts.classes().any(|class| bare(class).starts_with("rounded"));
        layout.insert("hasHeroPattern".to_owned(), json!(hero));
        layout.insert("hasFeatureCards".to_owned(), json!(cards));
    }
    if !facts.sections.is_empty() {
        layout.extend(listed("sections", "sectionCount", &facts.sections, mode == StyleMode::Full));
    }
    layout
}

fn visual(facts: &StyleFacts, mode: StyleMode) -> Map<String, Value> {
    let mut visual = Map::new();
    let full = mode == StyleMode::Full;
    for (many, count, wanted) in [
        ("colors", "colorCount", "colors"),
        ("spacing", "spacingCount", "spacing"),
        ("typography", "typographyCount", "typography"),
    ] {
        let found: Vec<String> =
            facts.classes().filter(|class| category(class) == Some(wanted)).map(str::to_owned).collect();
        if !found.is_empty() {
            visual.extend(listed(many, count, &found, full));
        }
    }
    if let Some(radius) = with_prefix(facts, &["rounded"]).first() {
        let size = radius.trim_start_matches("rounded").trim_start_matches('-');
        visual.insert("radius".to_owned(), json!(if size.is_empty() { "default" } else { size }));
    }
    visual
}

fn animation(facts: &StyleFacts) -> Map<String, Value> {
    let mut animation = Map::new();
    if !facts.motion_components.is_empty() {
        animation.insert("type".to_owned(), json!("motion"));
        animation.insert("library".to_owned(), json!("framer-motion"));
        let trigger = ["whileInView", "whileHover", "whileTap", "exit", "animate"];
        if let Some(found) = trigger.iter().find(|name| facts.motion_props.iter().any(|prop| prop == *name)) {
            animation.insert("trigger".to_owned(), json!(found));
        }
        return animation;
    }
    let classes = with_prefix(facts, &["animate-", "transition"]);
    if let Some(first) = classes.first() {
        animation.insert(
            "type".to_owned(),
            json!(if first.starts_with("transition") { "transition" } else { first.as_str() }),
        );
        animation.insert("library".to_owned(), json!("tailwind"));
        let hover = facts.classes().any(|class| class.starts_with("hover:") || class.contains(":hover:"));
        if hover {
            animation.insert("trigger".to_owned(), json!("hover"));
        }
    }
    animation
}

/// What a utility class is about; `None` for a class that is none.
fn category(class: &str) -> Option<&'static str> {
    const COLOURED: &[&str] = &[
        "slate",
        "gray",
        "zinc",
        "neutral",
        "stone",
        "red",
        "orange",
        "amber",
        "yellow",
        "lime",
        "green",
        "emerald",
        "teal",
        "cyan",
        "sky",
        "blue",
        "indigo",
        "violet",
        "purple",
        "fuchsia",
        "pink",
        "rose",
        "black",
        "white",
        "primary",
        "secondary",
        "muted",
        "accent",
        "destructive",
        "background",
        "foreground",
        "card",
        "popover",
        "border",
        "input",
        "ring",
        "transparent",
        "current",
    ];
    let name = bare(class);
    let (first, rest) = name.split_once('-').unwrap_or((name, ""));
    let word = rest.split(['-', '/']).next().unwrap_or_default();
    match first {
        "flex" | "grid" | "block" | "hidden" | "inline" | "absolute" | "relative" | "fixed" | "sticky"
        | "items" | "justify" | "self" | "content" | "place" | "order" | "col" | "row" | "overflow" | "z"
        | "inset" | "top" | "left" | "right" | "bottom" | "container" => Some("layout"),
        "p" | "px" | "py" | "pt" | "pb" | "pl" | "pr" | "ps" | "pe" | "m" | "mx" | "my" | "mt" | "mb"
        | "ml" | "mr" | "ms" | "me" | "gap" | "space"
            if !rest.is_empty() =>
        {
            Some("spacing")
        }
        "w" | "h" | "min" | "max" | "size" | "aspect" if !rest.is_empty() => Some("sizing"),
        "bg" | "from" | "via" | "to" | "fill" | "stroke" if !rest.is_empty() => Some("colors"),
        "text" | "border" | "ring" | "divide" | "outline" | "placeholder" if COLOURED.contains(&word) => {
            Some("colors")
        }
        "text" | "font" | "leading" | "tracking" | "uppercase" | "lowercase" | "capitalize" | "truncate"
        | "underline" | "italic" | "antialiased" | "whitespace" | "line" => Some("typography"),
        "rounded" | "border" | "ring" | "divide" | "outline" => Some("borders"),
        "shadow" | "opacity" | "blur" | "backdrop" | "mix" => Some("effects"),
        "transition" | "duration" | "ease" | "delay" | "animate" | "transform" | "scale" | "rotate"
        | "translate" => Some("transitions"),
        _ => None,
    }
}

/// A class without its variants and its sign: `md:hover:-mt-2` is `mt-2`.
fn bare(class: &str) -> &str {
    class.rsplit(':').next().unwrap_or(class).trim_start_matches(['-', '!'])
}

fn with_prefix(facts: &StyleFacts, prefixes: &[&str]) -> Vec<String> {
    let found =
        facts.classes().map(bare).filter(|class| prefixes.iter().any(|prefix| class.starts_with(prefix)));
    found.map(str::to_owned).collect::<BTreeSet<_>>().into_iter().collect()
}

fn listed(many: &str, count: &str, names: &[String], full: bool) -> Map<String, Value> {
    let (key, value) = if full { (many, json!(names)) } else { (count, json!(names.len())) };
    Map::from_iter([(key.to_owned(), value)])
}

fn insert(into: &mut Map<String, Value>, key: &str, value: Map<String, Value>) {
    if !value.is_empty() {
        into.insert(key.to_owned(), Value::Object(value));
    }
}
