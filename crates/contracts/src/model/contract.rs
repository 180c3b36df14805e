//! The linked contract, with the seed's `UIFContract` fields. Serialised it has the spelling of schema 0.3; `spelling`
//! writes 0.4, and both are read.

use std::borrow::Cow;
use std::collections::BTreeSet;

use becket_base::ByName;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    ComponentForm, DeclarationKind, Diagnostic, Kind, Lines, Member, MemberKind, NextFacts, Route, Severity,
    State,
};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Contract {
    /// Always `UIFContract`.
    #[serde(rename = "type", default = "type_name")]
    pub type_name: String,
    #[serde(default = "schema_version")]
    pub schema_version: String,
    pub kind: Kind,
    /// Repository-relative, forward slashes, real case.
    #[serde(default)]
    pub entry_id: String,
    #[serde(default)]
    pub description: String,
    #[serde(alias = "composition", default)]
    pub version: Version,
    #[serde(alias = "interface", default)]
    pub logic_signature: LogicSignature,
    #[serde(default, skip_serializing_if = "Exports::is_empty")]
    pub exports: Exports,
    /// What of the exports other modules have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed_on: Vec<ImportedAs>,
    /// Exported declarations whole, private ones by name, kind and lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub declarations: Vec<ContractDeclaration>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub routes: Vec<Route>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nextjs: Option<NextFacts>,
    /// The seed's `style` object, where style was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prediction: Vec<String>,
    /// Types of props that could not be followed, and where they come from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unresolved: Vec<UnresolvedType>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Diagnostic>,
    /// Filled by `fingerprint`.
    #[serde(default)]
    pub semantic_hash: String,
    /// Filled by `fingerprint`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file_hash: String,
    /// Read from a file that leaves out of `version` what the exports and the edges tell.
    #[serde(skip)]
    pub brief: bool,
}

impl Contract {
    /// Whether nothing of the file could be read for its faults.
    pub(crate) fn is_unread(&self) -> bool {
        self.diagnostics.iter().any(|found| found.severity == Severity::Error)
            && self.declarations.is_empty()
            && self.exports.is_empty()
            && self.routes.is_empty()
    }
}

fn type_name() -> String {
    "UIFContract".to_owned()
}

/// The one in which small files among many leave it out.
fn schema_version() -> String {
    "0.3".to_owned()
}

/// Names that the file is made of; sorted, without repeats. The lists that the seed's contracts always have are written
/// when they are empty, too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Version {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub components: Vec<String>,
    #[serde(default)]
    pub functions: Vec<String>,
    #[serde(default)]
    pub imports: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language_specific: Option<ByName<Vec<String>>>,
}

/// The merged view over the components of the file that others see.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LogicSignature {
    #[serde(default)]
    pub props: ByName<PropType>,
    #[serde(default)]
    pub emits: ByName<PropType>,
    #[serde(default, skip_serializing_if = "ByName::is_empty")]
    pub state: ByName<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_signature: Option<ApiSignature>,
}

/// The type of a prop as the seed writes it: a bare string where it is plain and required. With nothing but a `type` it is of
/// a type that could not be followed, and whether it is required is not known.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PropType {
    Plain(String),
    Described {
        #[serde(rename = "type")]
        kind: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        literals: Option<Vec<String>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        optional: bool,
    },
}

impl PropType {
    pub(crate) fn untold(text: String) -> Self {
        Self::Described { kind: text, literals: None, signature: None, optional: false }
    }

    /// Whether nothing tells if it is required.
    pub(crate) fn is_untold(&self) -> bool {
        matches!(self, Self::Described { kind, literals: None, signature: None, optional: false } if kind != "function")
    }

    /// The prop as a member of the type that declares it.
    pub fn as_member(&self, name: &str) -> Member {
        let (text, optional) = match self {
            Self::Plain(text) => (text.clone(), false),
            Self::Described { kind, literals, signature, optional } => {
                let quoted = |literals: &Vec<String>| {
                    literals.iter().map(|text| format!("'{text}'")).collect::<Vec<_>>().join(" | ")
                };
                let text = literals.as_ref().map(quoted).or_else(|| signature.clone());
                (text.unwrap_or_else(|| kind.clone()), *optional)
            }
        };
        Member {
            name: name.to_owned(),
            kind: MemberKind::Property,
            text,
            optional,
            doc: None,
            elsewhere: false,
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApiSignature {
    #[serde(default, skip_serializing_if = "ByName::is_empty")]
    pub parameters: ByName<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub return_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_type: Option<String>,
}

/// Written as an object; the original's bare `"default"` and `"named"` are read too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "super::spelling::ReadExports")]
pub struct Exports {
    /// The local name of the default export, or `default` where it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    pub named: Vec<String>,
    /// Specifiers of `export * from` whose names are not known, because they come from a package or did not resolve.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stars: Vec<String>,
    /// Exported names of declarations that have another name in the file, with that.
    #[serde(default, skip_serializing_if = "ByName::is_empty")]
    pub renamed: ByName<String>,
    /// Names of values that are exported as types alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
}

impl Exports {
    /// The names that a declaration is exported by.
    pub fn names_of<'s>(&'s self, local: &'s str) -> impl Iterator<Item = &'s str> {
        let default = (self.default.as_deref() == Some(local)).then_some("default");
        // Sorted, except in files that others wrote.
        let by_name = |name: &String| name.as_str().cmp(local);
        let named =
            self.named.binary_search_by(by_name).is_ok() || self.named.iter().any(|name| name == local);
        let own = named && !self.renamed.contains_key(local);
        let renamed = self.renamed.iter().filter(move |(_, declared)| *declared == local);
        default.into_iter().chain(own.then_some(local)).chain(renamed.map(|(name, _)| name.as_str()))
    }

    pub fn is_empty(&self) -> bool {
        self.default.is_none() && self.named.is_empty() && self.stars.is_empty()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContractDeclaration {
    pub name: String,
    pub kind: DeclarationKind,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exported: bool,
    pub lines: Lines,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signatures: Vec<String>,
    /// Of an exported class and its members. Who uses it does not see them: what they do to routes is told there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decorators: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<ComponentForm>,
    /// One list per variant: a union of props has several, everything else one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub props: Vec<Vec<Member>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub emits: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub state: Vec<State>,
    /// The names in its signatures that are imported, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub imported: Vec<ImportedAs>,
    /// What of other files gives it a type that its signatures do not tell. Nobody sees more of it than that it is inferred.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given_by: Vec<ImportedAs>,
    /// Types that a component has props of, which could not be followed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inherits: Vec<UnresolvedType>,
}

/// What another module has, by the name that it goes by in a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ImportedAs {
    /// `Props`, `React.ReactNode`; of what is passed on, the name that it is exported by, and `*` for all of it.
    pub text: String,
    /// What the module calls it: `default`, `*` for the whole module.
    pub name: String,
    /// A file of the project as seen from here, without its ending: `../model/user`. Else the specifier.
    pub from: String,
}

impl ContractDeclaration {
    /// The module that it declares or adds to, as it is written.
    pub fn module(&self) -> Option<&str> {
        super::declaration::module(&self.name, self.kind)
    }

    /// Whether it is the component that a file is, which nothing in it names or exports.
    pub(crate) fn is_unnamed(&self) -> bool {
        !self.exported && self.name == "default" && self.kind == DeclarationKind::Component
    }

    /// What it is for others: whether a constant that says its type holds a function that is written in place is nobody's
    /// business.
    pub(crate) fn kind_outside(&self) -> DeclarationKind {
        let is_constant = |text: &String| text.starts_with("const ");
        match self.kind {
            DeclarationKind::Function | DeclarationKind::Hook if self.signatures.iter().any(is_constant) => {
                DeclarationKind::Constant
            }
            kind => kind,
        }
    }

    /// A signature of it with another name, which begins with a space, or with none.
    pub(crate) fn renamed(&self, signature: &str, name: &str) -> String {
        signature.replacen(&format!(" {}", self.name), name, 1)
    }
}

/// A type that is named but not followed: of a package, or of a file that was not found.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UnresolvedType {
    pub name: String,
    /// The specifier that it is imported from; absent for a global.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Members that are left out of it, `Omit<Package, 'a'>`; or all that are taken, where `only` says so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only: bool,
}

impl ContractDeclaration {
    /// Its props without those that are known only because it takes them apart from a type that could not be followed: what
    /// it takes says nothing of what others may give.
    pub(crate) fn declared_props(&self) -> Cow<'_, [Vec<Member>]> {
        let is_taken = self.is_taken();
        if self.inherits.is_empty() || !self.props.iter().flatten().any(&is_taken) {
            return (&*self.props).into();
        }
        let declared =
            |variant: &Vec<Member>| variant.iter().filter(|prop| !is_taken(prop)).cloned().collect();
        self.props.iter().map(declared).collect()
    }

    /// Whether a prop is one of those.
    pub(crate) fn is_taken(&self) -> impl Fn(&Member) -> bool {
        let whole = UnresolvedType::whole_of(self.inherits.iter());
        move |prop| {
            let of = prop.text.strip_suffix("']").and_then(|text| text.strip_suffix(&*prop.name));
            let of = of.and_then(|text| text.strip_suffix("['"));
            of.is_some() && of == whole.as_deref()
        }
    }
}

impl UnresolvedType {
    /// All of them together, in their order; `None` where there are none.
    pub(crate) fn whole_of<'a>(all: impl Iterator<Item = &'a Self>) -> Option<Cow<'a, str>> {
        let names: Vec<&str> = all.map(|one| &*one.name).collect();
        match names.as_slice() {
            [] => None,
            [only] => Some((*only).into()),
            several => Some(format!("({})", several.join(" & ")).into()),
        }
    }

    pub(crate) fn whole(name: String, from: Option<String>) -> Self {
        Self { name, from, keys: Vec::new(), only: false }
    }

    /// What is left of it without some members, or with these only.
    pub(crate) fn narrowed(mut self, keys: &BTreeSet<String>, only: bool) -> Self {
        match (self.only, only) {
            (true, _) => self.keys.retain(|key| keys.contains(key) == only),
            (false, true) => {
                self.keys = keys.iter().filter(|key| !self.keys.contains(key)).cloned().collect();
            }
            (false, false) => {
                self.keys.extend(keys.iter().cloned());
                self.keys.sort();
                self.keys.dedup();
            }
        }
        self.only |= only;
        self
    }

    /// Whether it has every member that another one of the same name has, but for what is declared beside it.
    pub(crate) fn covers(&self, other: &Self, is_beside: impl Fn(&str) -> bool) -> bool {
        let has = |key: &String| self.keys.contains(key) == self.only || is_beside(key);
        if other.only {
            other.keys.iter().all(has)
        } else {
            !self.only && self.keys.iter().all(|key| other.keys.contains(key) || is_beside(key))
        }
    }

    /// Its name and its module, whether the module is named before it (`React.Ref`) or not.
    pub(crate) fn outside(&self) -> (&str, &str) {
        match &self.from {
            Some(from) => {
                let end = self.name.find('<').unwrap_or(self.name.len());
                let start = self.name[..end].find('.').map_or(0, |dot| dot + 1);
                (&self.name[start..], from)
            }
            None => (&self.name, ""),
        }
    }
}
