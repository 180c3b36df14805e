//! The shape of a type, as far as props need it: members, references, and how they are combined.
//!
//! A reference is followed by `link`; everything that has no members of its own is text, as declared.

use std::collections::BTreeMap;

use becket_base::divided;
use serde::{Deserialize, Serialize};

use crate::brackets::group;

/// Types of React and its frameworks that say of a value that it is a component; their argument are its props.
pub const COMPONENT_TYPES: &[&str] = &[
    "ComponentClass",
    "ComponentType",
    "ExoticComponent",
    "FC",
    "ForwardRefExoticComponent",
    "ForwardRefRenderFunction",
    "FunctionComponent",
    "FunctionalComponent",
    "HostComponent",
    "JSXElementConstructor",
    "LazyExoticComponent",
    "MemoExoticComponent",
    "NamedExoticComponent",
    "NextPage",
    "SFC",
    "StatelessComponent",
    "VFC",
    "VoidFunctionComponent",
];

/// What `react-native` exports that is a component: its other exports are capitalised too.
pub const NATIVE_COMPONENTS: &[&str] = &[
    "ActivityIndicator",
    "Button",
    "FlatList",
    "Image",
    "ImageBackground",
    "InputAccessoryView",
    "KeyboardAvoidingView",
    "Modal",
    "Pressable",
    "RefreshControl",
    "SafeAreaView",
    "ScrollView",
    "SectionList",
    "StatusBar",
    "Switch",
    "Text",
    "TextInput",
    "TouchableHighlight",
    "TouchableNativeFeedback",
    "TouchableOpacity",
    "TouchableWithoutFeedback",
    "View",
    "VirtualizedList",
];

/// Whether a module is React itself, or what stands for it: `react`, `preact/compat`.
pub fn is_react(specifier: &str) -> bool {
    matches!(divided::before_first(specifier, b'/'), "react" | "preact")
}

/// Whether a module is Vue, of its own libraries, or a component of it: `vue`, `@vueuse/core`, `./card.vue`.
pub fn is_vue(specifier: &str) -> bool {
    matches!(specifier, "vue" | "vue-demi" | "vue-router" | "pinia" | "vuex" | "nuxt/app" | "#imports")
        || specifier.starts_with("@vue/")
        || specifier.starts_with("@vueuse/")
        || is_vue_file(specifier)
}

/// Whether a module is a component that is written as Vue's compiler reads it.
pub fn is_vue_file(specifier: &str) -> bool {
    divided::around_last(specifier, b'.').is_some_and(|(_, ending)| ending == "vue")
}

/// Whether components of React extend a class of this name.
pub fn is_react_class(name: &str) -> bool {
    matches!(name, "Component" | "PureComponent")
}

/// Members of a component that React calls or reads, and nobody else.
pub fn is_for_react(member: &str) -> bool {
    const REACT: &[&str] = &[
        "childContextTypes",
        "constructor",
        "context",
        "contextType",
        "contextTypes",
        "defaultProps",
        "displayName",
        "getChildContext",
        "getDerivedStateFromError",
        "getDerivedStateFromProps",
        "getSnapshotBeforeUpdate",
        "propTypes",
        "props",
        "refs",
        "render",
        "shouldComponentUpdate",
        "state",
    ];
    let plain = member.trim_start_matches("UNSAFE_");
    REACT.binary_search(&member).is_ok()
        || (plain.starts_with("componentDid") || plain.starts_with("componentWill"))
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TypeShape {
    /// `{ a: string; b?: number }`, or the body of an interface.
    Object(Vec<Member>),
    /// `Name<A, B>`; the name may be qualified (`React.FC`).
    Reference {
        name: String,
        arguments: Vec<TypeShape>,
    },
    Intersection(Vec<TypeShape>),
    Union(Vec<TypeShape>),
    /// A string literal, as the keys of `Pick` and `Omit` need it; without its quotes.
    Literal(String),
    /// `typeof name`.
    Query(String),
    /// `{ [key in keys]: value }` without a renaming of keys.
    Mapped(Box<MappedType>),
    /// A type with parameters of its own: the props of a generic component, a generic function from props to an element.
    Generic {
        parameters: Vec<TypeParameter>,
        shape: Box<TypeShape>,
    },
    /// `check extends wanted ? yes : no`.
    Conditional(Box<ConditionalType>),
    /// `Type['key']`; a key that is no text is in its brackets.
    Indexed {
        of: Box<TypeShape>,
        key: String,
    },
    /// What a call of a function gives.
    Call(Box<CallShape>),
    /// Several values at once, by name: `{ Provider, useStore }`, and by number in a list.
    Parts(Vec<(String, TypeShape)>),
    /// Anything else, printed as declared.
    Text(String),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MappedType {
    pub key: String,
    pub keys: TypeShape,
    /// The type of each member, as declared; it may name the key.
    pub value: String,
    /// `?` makes members optional, `-?` required; without either they are as they were.
    pub optional: Option<bool>,
    /// The whole, as declared.
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TypeParameter {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constraint: Option<TypeShape>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<TypeShape>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ConditionalType {
    pub check: TypeShape,
    /// As declared.
    pub wanted: String,
    pub yes: TypeShape,
    pub no: TypeShape,
    /// The whole, as declared.
    pub text: String,
}

impl ConditionalType {
    /// The one branch that has members, where the other has none.
    pub fn perhaps(&self) -> Option<&TypeShape> {
        let empty = |shape: &TypeShape| matches!(shape, TypeShape::Object(members) if members.is_empty());
        match (empty(&self.yes), empty(&self.no)) {
            (false, true) => Some(&self.yes),
            (true, false) => Some(&self.no),
            _ => None,
        }
    }
}

/// `callee<types>(values)`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CallShape {
    pub callee: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<TypeShape>,
    /// A name is a [`TypeShape::Query`]; whatever else is passed is text without anything in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<TypeShape>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Member {
    pub name: String,
    #[serde(default, skip_serializing_if = "MemberKind::is_property")]
    pub kind: MemberKind,
    /// The type as declared: `string`, `(id: number) => void`; empty when nothing is annotated.
    #[serde(default, rename = "type", skip_serializing_if = "String::is_empty")]
    pub text: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// The first line of the member's doc comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
    /// Declared in another file than what takes it, where its names mean something else. Known while files are linked.
    #[serde(skip)]
    pub elsewhere: bool,
}

impl Member {
    /// The type of a prop that is known by its name alone.
    pub const UNANNOTATED: &str = "unannotated";
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MemberKind {
    #[default]
    Property,
    Method,
    Getter,
    Setter,
    Constructor,
    Index,
    Call,
    EnumMember,
}

impl MemberKind {
    pub fn is_property(&self) -> bool {
        *self == Self::Property
    }
}

impl TypeShape {
    /// The same with other types in the place of names without arguments, such as parameters.
    #[must_use]
    pub fn with(&self, names: &BTreeMap<String, Self>) -> Self {
        let all = |parts: &[Self]| parts.iter().map(|part| part.with(names)).collect::<Vec<_>>();
        let boxed = |shape: &Self| Box::new(shape.with(names));
        match self {
            Self::Reference { name, arguments } => match names.get(name).filter(|_| arguments.is_empty()) {
                Some(other) => other.clone(),
                None => Self::Reference { name: name.clone(), arguments: all(arguments) },
            },
            Self::Intersection(parts) => Self::Intersection(all(parts)),
            Self::Union(parts) => Self::Union(all(parts)),
            Self::Indexed { of, key } => Self::Indexed { of: boxed(of), key: key.clone() },
            Self::Generic { parameters, shape } => {
                let each = parameters.iter().map(|parameter| TypeParameter {
                    name: parameter.name.clone(),
                    constraint: parameter.constraint.as_ref().map(|shape| shape.with(names)),
                    default: parameter.default.as_ref().map(|shape| shape.with(names)),
                });
                Self::Generic { parameters: each.collect(), shape: boxed(shape) }
            }
            Self::Parts(parts) => {
                Self::Parts(parts.iter().map(|(name, part)| (name.clone(), part.with(names))).collect())
            }
            other => other.clone(),
        }
    }

    /// The name of a reference that no source can have: the first argument is what a value is said to be by `as`, the
    /// second what it is without.
    pub const CAST: &str = "as";

    /// The name of a reference that no source can have either: a function that gives a component, by the type of what it
    /// gives and the types of what it takes.
    pub const MAKES: &str = "=>";

    /// The key of what a function takes first.
    pub const FIRST: &str = "0";

    /// The key of whatever a list holds. That of a member of an enum, `[Kind.Card]`, is in brackets, too.
    pub const EACH: &str = "[number]";

    /// Begins the text of what is known by the name of a value.
    pub const TYPEOF: &str = "typeof ";

    /// The type as it would be written.
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.put(&mut text);
        text
    }

    /// The text of a reference to a type by its name.
    pub fn named(name: &str, arguments: &[Self]) -> String {
        let mut text = String::new();
        put_named(&mut text, name, arguments);
        text
    }

    fn put(&self, text: &mut String) {
        match self {
            Self::Object(members) if members.is_empty() => text.push_str("{}"),
            Self::Object(members) => {
                text.push_str("{ ");
                put_each(text, members, "; ", |text, member| {
                    let optional = if member.optional { "?: " } else { ": " };
                    text.extend([&*member.name, optional, &*member.text]);
                });
                text.push_str(" }");
            }
            Self::Reference { name, arguments } => put_named(text, name, arguments),
            Self::Intersection(parts) => put_each(text, parts, " & ", |text, part| part.put_part(text, true)),
            Self::Union(parts) => put_each(text, parts, " | ", |text, part| part.put_part(text, false)),
            Self::Literal(literal) => text.extend(["'", literal, "'"]),
            Self::Query(name) => text.extend([Self::TYPEOF, name]),
            Self::Mapped(mapped) => text.push_str(&mapped.text),
            Self::Conditional(conditional) => text.push_str(&conditional.text),
            Self::Generic { shape, .. } => shape.put(text),
            Self::Indexed { of, key } if key.bytes().all(|byte| byte.is_ascii_digit()) => {
                of.put(text);
                text.extend(["[", key, "]"]);
            }
            Self::Indexed { of, key } if key.starts_with('[') => {
                if let Self::Query(name) = &**of {
                    text.extend(["(", Self::TYPEOF, name, ")"]);
                } else {
                    of.put_part(text, true);
                }
                text.push_str(key);
            }
            Self::Indexed { of, key } => {
                of.put(text);
                text.extend(["['", key, "']"]);
            }
            Self::Call(call) => text.extend(["ReturnType<typeof ", &*call.callee, ">"]),
            Self::Parts(parts) => {
                text.push_str("{ ");
                put_each(text, parts, "; ", |text, (name, part)| {
                    text.extend([name, ": "]);
                    part.put(text);
                });
                text.push_str(" }");
            }
            Self::Text(written) => text.push_str(written),
        }
    }

    /// The text among others, of a union or of what binds closer: in parentheses where it would not end there.
    fn put_part(&self, text: &mut String, binds: bool) {
        let start = text.len();
        self.put(text);
        let own = &text[start..];
        let is_function = || {
            let end = group(own, '(', ')').filter(|_| own.starts_with(['(', '<']) || own.starts_with("new "));
            end.is_some_and(|(_, end)| own[end + 1..].trim_start().starts_with("=>"))
        };
        let is_open = match self {
            Self::Conditional(_) => true,
            Self::Union(_) => binds,
            _ => is_function(),
        };
        if is_open {
            text.insert(start, '(');
            text.push(')');
        }
    }
}

fn put_named(text: &mut String, name: &str, arguments: &[TypeShape]) {
    if name == TypeShape::CAST {
        if let Some(first) = arguments.first() {
            first.put(text);
        }
        return;
    }
    text.push_str(name);
    if !arguments.is_empty() {
        text.push('<');
        put_each(text, arguments, ", ", |text, argument| argument.put(text));
        text.push('>');
    }
}

fn put_each<T>(text: &mut String, all: &[T], by: &str, put: impl Fn(&mut String, &T)) {
    for (at, one) in all.iter().enumerate() {
        if at > 0 {
            text.push_str(by);
        }
        put(text, one);
    }
}

#[cfg(test)]
mod tests {
    use super::TypeShape;

    #[test]
    fn what_does_not_end_by_itself_stands_in_parentheses() {
        let text = |text: &str| TypeShape::Text(text.to_owned());
        let union = TypeShape::Union(vec![text("() => void"), text("string"), text("(() => void)[]")]);
        assert_eq!(union.text(), "(() => void) | string | (() => void)[]");
        let both = TypeShape::Intersection(vec![union, text("<T>(a: T) => T"), text("new () => A")]);
        let expected = "((() => void) | string | (() => void)[]) & (<T>(a: T) => T) & (new () => A)";
        assert_eq!(both.text(), expected);
    }
}
