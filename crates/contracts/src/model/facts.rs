//! What one file says by itself: a function of its text and the ending of its name, so it can be cached by content.
//!
//! A cache needs a format with field names (JSON, for one): empty fields are left out.

use std::sync::OnceLock;

use becket_base::divided;
use serde::{Deserialize, Serialize};

use super::{Declaration, DeclarationKind, Directive, Kind, NextExports, Route, StyleFacts};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalFacts {
    pub kind: Kind,
    /// The first line of the doc comment that describes the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
    /// In source order; overloads, and an interface that is declared twice, are one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub declarations: Vec<Declaration>,
    /// In source order, one per statement or call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub imports: Vec<Import>,
    /// Sorted by name, stars last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exports: Vec<Export>,
    /// Names of hooks that are called, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<String>,
    /// Components that are rendered (`Foo`, `Foo.Bar`), sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub components: Vec<String>,
    /// Decorators and route registrations as the seed's `languageSpecific` lists them, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decorators: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub routes: Vec<Route>,
    /// Texts of exported constants by the names that lead to them, `ROUTES.users.list`; of a list each element, `VERSIONS[]`.
    /// What is put into one is in `${}`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directive: Option<Directive>,
    /// What a Next.js file exports by the names that Next.js reads; `link` decides by the path whether it counts.
    #[serde(default, skip_serializing_if = "NextExports::is_empty")]
    pub next: NextExports,
    /// Absent where a file has nothing of style.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<Box<StyleFacts>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Diagnostic>,
    /// A file that is no module: what it declares is there for everybody.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_global: bool,
    /// Exports by `module.exports`, which is what somebody gets who imports its default. Not of what was compiled from a module.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_common_js: bool,
    /// Lines of the file, for people.
    pub line_count: u32,
    #[serde(skip)]
    pub(crate) order: Order,
}

/// Declarations by name, made when somebody asks for one of many. Says nothing that they do not say.
#[derive(Debug, Clone, Default)]
pub(crate) struct Order(OnceLock<Box<[u32]>>);

impl PartialEq for Order {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Order {}

/// So many are looked at one by one.
const FEW: usize = 8;
const FEW_DECLARATIONS: usize = 32;

impl LocalFacts {
    /// The first declaration of a name.
    pub(crate) fn declaration(&self, name: &str) -> Option<&Declaration> {
        let all = &self.declarations;
        if all.len() <= FEW_DECLARATIONS {
            return all.iter().find(|one| one.name == name);
        }
        let named = |at: &u32| all.get(*at as usize).map_or("", |one| one.name.as_str());
        let order = self.order.0.get_or_init(|| {
            let mut order: Box<[u32]> = (0..).take(all.len()).collect();
            order.sort_by_key(named);
            order
        });
        let at = order.get(order.partition_point(|at| named(at) < name))?;
        all.get(*at as usize).filter(|one| one.name == name)
    }

    /// The exports of one name, and the stars, through which there may be more of it.
    pub fn exported_as(&self, name: &str) -> (&[Export], &[Export]) {
        // Few files have stars, and those stand last.
        let stars = match self.exports.last() {
            Some(last) if last.name == "*" => self.exports.partition_point(|export| export.name != "*"),
            _ => self.exports.len(),
        };
        let (named, stars) = self.exports.split_at(stars);
        // Whether two names are the same is mostly told by their lengths, which is less than one step of a search.
        let from = if named.len() <= FEW {
            named.iter().position(|export| export.name == name).unwrap_or(named.len())
        } else {
            named.partition_point(|export| export.name.as_str() < name)
        };
        let to = from + named[from..].iter().take_while(|export| export.name == name).count();
        (&named[from..to], stars)
    }
}

impl LocalFacts {
    /// Exports that a declaration has under another name than its own. What a namespace holds that is all of the file,
    /// `export = lib`, is a part of it, and no other name for it.
    pub fn renamed(&self) -> impl Iterator<Item = (&str, &str)> {
        let whole = self.exported_as("default").0.iter().find_map(|export| match &export.origin {
            ExportOrigin::Local(local) => Some(local.as_str()),
            ExportOrigin::Module { .. } => None,
        });
        let is_namespace =
            |one: &Declaration| one.kind == DeclarationKind::Namespace && Some(one.name.as_str()) == whole;
        let whole = whole.filter(|_| self.declarations.iter().any(is_namespace));
        self.exports.iter().filter_map(move |export| match &export.origin {
            ExportOrigin::Local(local) if *local != export.name => {
                let is_part = export.name != "default" && Some(local.as_str()) == whole;
                (!is_part).then_some((export.name.as_str(), local.as_str()))
            }
            _ => None,
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// As written: `./button`, `@/lib/cn`, `react`.
    pub specifier: String,
    pub kind: ImportKind,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<ImportedName>,
    pub line: u32,
}

impl Import {
    /// Begins what is put into a specifier when the program runs: `./pages/${name}`.
    pub const PUT_IN: &str = "${";

    /// Whether a specifier names all files that match it, but for those behind each ` !`: `./pages/*.ts !./pages/_*.ts`.
    /// Braces around one thing alone are part of a name: `./routes/{-$locale}`.
    pub fn is_pattern(specifier: &str) -> bool {
        let has_choice = || {
            let open = specifier.as_bytes().iter().position(|byte| *byte == b'{').map(|at| &specifier[at..]);
            open.is_some_and(|open| open.contains(',') && open.contains('}'))
        };
        (divided::has(specifier, b'*') || has_choice()) && !specifier.contains(Self::PUT_IN)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImportKind {
    Static,
    Dynamic,
    TypeOnly,
    ReExport,
    Require,
}

impl ImportKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Dynamic => "dynamic",
            Self::TypeOnly => "type-only",
            Self::ReExport => "re-export",
            Self::Require => "require",
        }
    }
}

impl Import {
    /// The names that it takes of the other module: of a namespace those of its members, where they are all that is used.
    pub fn taken(&self) -> impl Iterator<Item = &ImportedName> {
        let whole = self.names.iter().position(|name| name.imported == "*");
        let has_members =
            whole.is_some_and(|at| self.names[at + 1..].iter().any(|name| name.local.is_empty()));
        self.names.iter().filter(move |name| !has_members || name.imported != "*")
    }
}

/// `import { imported as local }`. `imported` is `default` for a default import and `*` for a namespace, after which its
/// members that the file names may follow: they have no local name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ImportedName {
    pub imported: String,
    pub local: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub type_only: bool,
}

/// One exported name. `name` is `default` for the default export, and `*` for `export * from`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Export {
    pub name: String,
    pub origin: ExportOrigin,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub type_only: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ExportOrigin {
    /// Declared here under this local name (`default` for an anonymous default export).
    Local(String),
    /// Of another module; `imported` is `*` for a whole namespace or a star export. An import that is exported again by a
    /// list of its own is one of these too.
    Module { specifier: String, imported: String },
}

impl ExportOrigin {
    /// Of the module that it comes from.
    pub fn specifier(&self) -> Option<&str> {
        match self {
            Self::Module { specifier, .. } => Some(specifier),
            Self::Local(_) => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Diagnostic {
    pub severity: Severity,
    pub message: String,
    /// Counted from 1.
    pub line: u32,
    /// In characters, counted from 1.
    pub column: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
}

impl LocalFacts {
    /// The facts of a file of which nothing could be read.
    pub fn empty() -> Self {
        Self {
            kind: Kind::TsModule,
            doc: None,
            declarations: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            hooks: Vec::new(),
            components: Vec::new(),
            decorators: Vec::new(),
            routes: Vec::new(),
            texts: Vec::new(),
            directive: None,
            next: NextExports::default(),
            style: None,
            diagnostics: Vec::new(),
            is_global: false,
            is_common_js: false,
            line_count: 0,
            order: Order::default(),
        }
    }
}
