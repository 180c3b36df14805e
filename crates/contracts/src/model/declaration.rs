//! One top-level declaration of a file.

use serde::{Deserialize, Serialize};

use super::{TypeParameter, TypeShape};

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Declaration {
    /// The local name; `default` for a default export that has none.
    pub name: String,
    pub kind: DeclarationKind,
    /// Under any name, `export { a as b }` and `export default a` included.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exported: bool,
    /// Printed as declared, one entry per overload, bodies left out: `function cn(...inputs: string[]): string`. Where a
    /// return or a constant is not annotated the text says `inferred`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signatures: Vec<String>,
    /// Of an exported class, `@Injectable()`, and of its members, `name @IsEmail()`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decorators: Vec<String>,
    /// Imported names that what it is, holds or gives comes from, where its signatures do not tell of which type that is; sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given_by: Vec<String>,
    /// The first line of the doc comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
    pub lines: Lines,
    #[serde(default, skip_serializing_if = "DeclarationDetail::is_none")]
    pub detail: DeclarationDetail,
    /// What it has that may be a component, each with the whole name that it has in the file: `Menu.Item`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Declaration>,
}

impl Declaration {
    /// The module that it declares or adds to, as it is written.
    pub fn module(&self) -> Option<&str> {
        module(&self.name, self.kind)
    }

    /// The module that it adds to, as it is written, and which types.
    pub fn adds(&self) -> Option<(&str, &[Declaration])> {
        match &self.detail {
            DeclarationDetail::Adds { to, types, .. } if !types.is_empty() => Some((to, types)),
            _ => None,
        }
    }

    /// The types of a namespace, each with the whole name that it has in the file.
    pub fn inside(&self) -> &[Declaration] {
        match &self.detail {
            DeclarationDetail::Namespace { types } => types,
            _ => &[],
        }
    }

    /// The names that can be reached through a block that is declared for a module.
    pub fn shown(&self) -> &[String] {
        match &self.detail {
            DeclarationDetail::Adds { names, .. } => names,
            _ => &[],
        }
    }
}

/// The module that a declaration of this name is a block for.
pub(super) fn module(name: &str, kind: DeclarationKind) -> Option<&str> {
    let is_block = kind == DeclarationKind::Namespace;
    name.strip_prefix("module '")?.strip_suffix('\'').filter(|_| is_block)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeclarationKind {
    Component,
    Hook,
    Function,
    Class,
    Interface,
    Type,
    Enum,
    Constant,
    Variable,
    Namespace,
}

impl DeclarationKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Component => "component",
            Self::Hook => "hook",
            Self::Function => "function",
            Self::Class => "class",
            Self::Interface => "interface",
            Self::Type => "type",
            Self::Enum => "enum",
            Self::Constant => "constant",
            Self::Variable => "variable",
            Self::Namespace => "namespace",
        }
    }
}

/// What only some kinds of declarations have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DeclarationDetail {
    #[default]
    None,
    Component(Box<ComponentFacts>),
    /// An interface or a type alias: what a prop type that names it stands for.
    Shape {
        parameters: Vec<TypeParameter>,
        shape: TypeShape,
    },
    /// A function that gives a component: what its parameters take, and the type of what it gives.
    Maker {
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        parameters: Vec<TypeParameter>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        takes: Vec<TypeShape>,
        gives: TypeShape,
    },
    /// What `declare module './button'` adds to types of another file: interfaces that are declared there too, and types
    /// that these name. Of each there is the shape alone.
    Adds {
        to: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        types: Vec<Declaration>,
        /// Of whatever can be reached through it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        names: Vec<String>,
    },
    /// The types in a namespace and in the namespaces in it, by their whole names: `Outer.Inner.Props`. Of each there is the
    /// shape alone.
    Namespace {
        types: Vec<Declaration>,
    },
    /// The members of an object that is a constant, for types that are made over them: `keyof typeof sizes`.
    Value(TypeShape),
    /// The parameters of a hook, which the merged view shows as props, and the state that it keeps.
    Hook {
        parameters: TypeShape,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        state: Vec<State>,
    },
}

impl DeclarationDetail {
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }
}

/// First and last line, counted from 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Lines {
    pub first: u32,
    pub last: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ComponentFacts {
    pub form: ComponentForm,
    /// The declared type of the props; `None` where nothing is annotated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub props: Option<TypeShape>,
    /// Props that the parameter pattern takes apart, with the text of a default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub destructured: Vec<(String, Option<String>)>,
    /// Props that `defaultProps` gives, whatever their type says: nobody has to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<String>,
    /// Names of props that are called, or handed on by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub used_callbacks: Vec<String>,
    /// `{...props}` or `{...rest}` on a child: what is not taken apart is passed on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spreads_rest: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub state: Vec<State>,
    /// The type that names the state of a class component, `Component<Props, State>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_shape: Option<TypeShape>,
    /// The component that it is made of, where its props do not name it: `forwardRef<Element, Props>(Plain)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_of: Option<String>,
    /// Events that a framework declares by name (Vue `emits`), with their signature, and constants that hold such.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub declared_emits: Vec<(String, String)>,
}

impl ComponentFacts {
    /// Begins the name of a constant among events.
    pub const SPREAD: &str = "...";
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ComponentForm {
    Function,
    Arrow,
    ForwardRef,
    Memo,
    Lazy,
    Class,
    Wrapped,
    Vue,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct State {
    pub name: String,
    /// As declared (`useState<User | null>`), or of a literal (`useState(0)` is `number`), else `inferred`.
    pub text: String,
}
