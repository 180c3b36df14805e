//! What Next.js makes of a file: its directive, role, segment and metadata.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Directive {
    Client,
    Server,
}

impl Directive {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Client => "use client",
            Self::Server => "use server",
        }
    }
}

/// The exports that only count in a Next.js route file, whose path is not known yet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextExports {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<NextMetadata>,
    /// `GET`, `POST` … of a route handler.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub methods: Vec<String>,
    /// `getServerSideProps`, `generateStaticParams`, `revalidate` … by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<String>,
    /// Functions that are marked as server actions one by one, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<String>,
    /// `next` or `next/…` is imported.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub imports_next: bool,
}

impl NextExports {
    /// What a route handler may be called.
    pub const METHODS: &[&str] = &["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextMetadata {
    /// Literal values of `export const metadata`, nested ones too; others are their source text in `${}`.
    #[serde(default, rename = "static", skip_serializing_if = "BTreeMap::is_empty")]
    pub literals: BTreeMap<String, Value>,
    /// `generateMetadata` is exported.
    #[serde(default)]
    pub dynamic: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NextFacts {
    #[serde(default)]
    pub is_in_app_dir: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub router: Option<NextRouter>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directive: Option<Directive>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route_role: Option<RouteRole>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment_path: Option<String>,
    /// The parallel route that it is of, `modal` for what is below `@modal`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<String>,
    /// Shown in the place of what is at its address, where somebody comes from inside the app: below `(.)photo`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub intercepts: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<NextMetadata>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub methods: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<String>,
}

impl NextFacts {
    /// As most files are that have one outside of the folders of Next.js.
    pub fn tells_directive_only(&self) -> bool {
        *self == Self { directive: self.directive, ..Self::default() }
    }

    /// The address that somebody can ask for, and what answers there.
    pub fn answers(&self) -> Option<(RouteRole, &str)> {
        let role = self
            .route_role
            .filter(|role| matches!(role, RouteRole::Page | RouteRole::Api | RouteRole::Route))?;
        Some((role, self.segment_path.as_deref()?))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NextRouter {
    App,
    Pages,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RouteRole {
    Page,
    Layout,
    Loading,
    Error,
    GlobalError,
    NotFound,
    GlobalNotFound,
    Forbidden,
    Unauthorized,
    Template,
    Default,
    Route,
    /// What crawlers and browsers ask for beside a page.
    Robots,
    Sitemap,
    Manifest,
    Icon,
    AppleIcon,
    OpengraphImage,
    TwitterImage,
    Middleware,
    Instrumentation,
    InstrumentationClient,
    Api,
    App,
    Document,
}
