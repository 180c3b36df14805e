//! What a file says of style: classes, inline styles, styled components, and the component libraries it draws on.

use std::collections::BTreeSet;

use oxc_ast::ast::{
    Argument, ArrayExpressionElement, CallExpression, Expression, JSXAttributeValue, ObjectPropertyKind,
    TaggedTemplateExpression,
};
use oxc_span::GetSpan;

use super::body::text_of;
use super::print::Print;
use crate::model::{Import, StyleFacts};

#[derive(Default)]
pub(super) struct StyleCollector {
    /// One behind the other, as they were written.
    classes: String,
    inline: BTreeSet<(String, String)>,
    styled_components: BTreeSet<String>,
    motion_components: BTreeSet<String>,
    motion_props: BTreeSet<String>,
    variants: BTreeSet<String>,
    sizes: BTreeSet<String>,
    attributes: BTreeSet<String>,
    sections: BTreeSet<String>,
    /// `Dialog.Portal`.
    parts: BTreeSet<String>,
    styled_jsx: bool,
    uses_theme: bool,
    uses_css_prop: bool,
}

/// Bytes of a tag that is looked at: more has no tag that people write.
const LONGEST_TAG: usize = 8 * 1024;

/// Packages that are component libraries, by the key that the seed's `style` object has for them.
const LIBRARIES: &[(&str, &[&str])] = &[
    ("antd", &["antd", "@ant-design/"]),
    ("chakraUI", &["@chakra-ui/"]),
    ("materialUI", &["@mui/", "@material-ui/"]),
    ("radixUI", &["@radix-ui/", "radix-ui"]),
    ("shadcnUI", &["@/components/ui/", "@/registry/", "~/components/ui/", "@/ui/"]),
];

/// Functions that join class names.
const JOINERS: &[&str] = &["cn", "clsx", "classNames", "classnames", "cx", "twMerge", "cva", "tv"];

const MOTION_PROPS: &[&str] = &[
    "animate",
    "drag",
    "exit",
    "initial",
    "layout",
    "layoutId",
    "transition",
    "variants",
    "viewport",
    "whileDrag",
    "whileFocus",
    "whileHover",
    "whileInView",
    "whileTap",
];

/// Attributes that say how a primitive is used.
const TELLING: &[&str] = &[
    "asChild",
    "checked",
    "defaultChecked",
    "defaultOpen",
    "defaultValue",
    "onOpenChange",
    "onValueChange",
    "open",
    "role",
    "value",
];

const SECTIONS: &[&str] = &["article", "aside", "footer", "form", "header", "main", "nav", "section"];

impl StyleCollector {
    pub(super) fn element(&mut self, tag: &str) {
        if let Some(name) = tag.strip_prefix("motion.").or_else(|| tag.strip_prefix("m.")) {
            keep(&mut self.motion_components, name);
        }
        if SECTIONS.contains(&tag) {
            keep(&mut self.sections, tag);
        }
        if tag.contains('.') && tag.starts_with(|letter: char| letter.is_uppercase()) {
            keep(&mut self.parts, tag);
        }
    }

    pub(super) fn attribute(
        &mut self,
        print: Print<'_, '_>,
        name: &str,
        value: Option<&JSXAttributeValue<'_>>,
    ) {
        let expression = match value {
            Some(JSXAttributeValue::ExpressionContainer(container)) => container.expression.as_expression(),
            _ => None,
        };
        let text = || match value {
            Some(JSXAttributeValue::StringLiteral(text)) => Some(text.value.into_string()),
            _ => expression.and_then(text_of),
        };
        match name {
            "className" | "class" => {
                if let Some(text) = text() {
                    self.add_classes(&text);
                }
                if let Some(expression) = expression {
                    self.classes_in(expression);
                }
            }
            "style" => {
                if let Some(Expression::ObjectExpression(object)) =
                    expression.map(Expression::get_inner_expression)
                {
                    for property in object.properties.iter().filter_map(ObjectPropertyKind::as_property) {
                        let key = print.key(&property.key, property.computed);
                        self.inline.insert((key, print.short(&property.value)));
                    }
                }
            }
            "variant" => self.variants.extend(text()),
            "size" => self.sizes.extend(text()),
            "css" | "sx" => self.uses_css_prop = true,
            "jsx" => self.styled_jsx = true,
            "theme" => self.uses_theme = true,
            _ if MOTION_PROPS.contains(&name) => keep(&mut self.motion_props, name),
            _ if TELLING.contains(&name) || name.starts_with("aria-") => keep(&mut self.attributes, name),
            _ => {}
        }
    }

    pub(super) fn call(&mut self, name: &str, call: &CallExpression<'_>) {
        if JOINERS.contains(&name) {
            for argument in call.arguments.iter().filter_map(Argument::as_expression) {
                self.classes_in(argument);
            }
        }
        self.uses_theme |= name == "useTheme";
    }

    pub(super) fn tagged(&mut self, print: Print<'_, '_>, tagged: &TaggedTemplateExpression<'_>) {
        // Tags stand in tags, so that few may be printed.
        let written = print.source.slice(tagged.tag.span());
        if written.len() > LONGEST_TAG || !written.trim_start_matches('(').starts_with("styled") {
            return;
        }
        let tag = print.expression(&tagged.tag);
        if let Some(base) = tag.strip_prefix("styled").filter(|rest| rest.starts_with(['.', '('])) {
            let name =
                base.trim_start_matches(['.', '(']).split([')', '.', '(', '<']).next().unwrap_or_default();
            self.styled_components.insert(name.to_owned());
            self.uses_theme |= print.source.slice(tagged.span).contains("theme");
        }
    }

    /// `None` where a file says nothing of style.
    pub(super) fn finish(self, imports: &[Import]) -> Option<Box<StyleFacts>> {
        let mut libraries: Vec<(&str, Vec<&str>)> = Vec::new();
        let (mut css_modules, mut scss_modules) = (BTreeSet::new(), BTreeSet::new());
        let mut has_motion = false;
        for import in imports {
            let from = import.specifier.as_str();
            let is_of = |(_, known): &&(&str, &[&str])| known.iter().any(|known| belongs(from, known));
            let library = if from.starts_with('.') { None } else { LIBRARIES.iter().find(is_of) };
            if let Some((key, _)) = library {
                let at = libraries.iter().position(|(one, _)| one == key).unwrap_or_else(|| {
                    libraries.push((key, Vec::new()));
                    libraries.len() - 1
                });
                let components = &mut libraries[at].1;
                for name in import.names.iter().filter(|name| !name.type_only && !name.local.is_empty()) {
                    let of = |part: &&str| {
                        part.strip_prefix(&*name.local).is_some_and(|rest| rest.starts_with('.'))
                    };
                    let mut parts = self.parts.iter().map(String::as_str).filter(of).peekable();
                    if parts.peek().is_none() && name.imported != "*" {
                        components.push(&name.local);
                    }
                    components.extend(parts);
                }
            }
            if [".module.scss", ".module.sass"].iter().any(|ending| from.ends_with(ending)) {
                scss_modules.insert(from.to_owned());
            } else if from.ends_with(".module.css") {
                css_modules.insert(from.to_owned());
            }
            has_motion |= from == "framer-motion" || from == "motion" || from.starts_with("motion/");
        }
        libraries.sort_unstable_by_key(|(key, _)| *key);
        for (_, components) in &mut libraries {
            components.sort_unstable();
            components.dedup();
        }
        let mut classes: Vec<&str> = self.classes.split_ascii_whitespace().collect();
        classes.sort_unstable();
        classes.dedup();
        let facts = StyleFacts {
            classes: classes.join(" "),
            css_modules: css_modules.into_iter().collect(),
            scss_modules: scss_modules.into_iter().collect(),
            inline: self.inline.into_iter().collect(),
            styled_jsx: self.styled_jsx,
            styled_components: self.styled_components.into_iter().collect(),
            uses_theme: self.uses_theme,
            uses_css_prop: self.uses_css_prop,
            motion_components: if has_motion {
                self.motion_components.into_iter().collect()
            } else {
                Vec::new()
            },
            motion_props: if has_motion { self.motion_props.into_iter().collect() } else { Vec::new() },
            libraries: libraries
                .into_iter()
                .map(|(key, names)| (key.to_owned(), names.into_iter().map(str::to_owned).collect()))
                .collect(),
            variants: self.variants.into_iter().collect(),
            sizes: self.sizes.into_iter().collect(),
            ..StyleFacts::default()
        };
        let (attributes, sections) = (self.attributes, self.sections);
        (facts != StyleFacts::default()).then(|| {
            let (attributes, sections) = (attributes.into_iter().collect(), sections.into_iter().collect());
            Box::new(StyleFacts { attributes, sections, ..facts })
        })
    }

    fn classes_in(&mut self, expression: &Expression<'_>) {
        match expression.get_inner_expression() {
            Expression::StringLiteral(text) => self.add_classes(&text.value),
            Expression::TemplateLiteral(template) => {
                for quasi in &template.quasis {
                    self.add_classes(&quasi.value.raw);
                }
                for inner in &template.expressions {
                    self.classes_in(inner);
                }
            }
            Expression::ConditionalExpression(conditional) => {
                self.classes_in(&conditional.consequent);
                self.classes_in(&conditional.alternate);
            }
            Expression::LogicalExpression(logical) => {
                self.classes_in(&logical.left);
                self.classes_in(&logical.right);
            }
            Expression::BinaryExpression(sum) => {
                self.classes_in(&sum.left);
                self.classes_in(&sum.right);
            }
            Expression::ArrayExpression(array) => {
                for element in array.elements.iter().filter_map(ArrayExpressionElement::as_expression) {
                    self.classes_in(element);
                }
            }
            Expression::ObjectExpression(object) => {
                for property in object.properties.iter().filter_map(ObjectPropertyKind::as_property) {
                    match property.key.static_name() {
                        Some(name) if name.contains(['-', ' ']) => self.add_classes(&name),
                        _ => {}
                    }
                    self.classes_in(&property.value);
                }
            }
            _ => {}
        }
    }

    fn add_classes(&mut self, text: &str) {
        self.classes.push_str(text);
        self.classes.push(' ');
    }
}

/// Most names come again.
fn keep(names: &mut BTreeSet<String>, name: &str) {
    if !names.contains(name) {
        names.insert(name.to_owned());
    }
}

fn belongs(specifier: &str, known: &str) -> bool {
    if known.ends_with('/') {
        specifier.starts_with(known)
    } else {
        specifier == known || specifier.strip_prefix(known).is_some_and(|rest| rest.starts_with('/'))
    }
}
