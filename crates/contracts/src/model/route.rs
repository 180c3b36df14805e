//! A route that a server file registers: Express and `NestJS`.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Route {
    pub framework: RouteFramework,
    /// `GET`, `POST` …, `ALL`, or `USE` for a mounted router.
    pub method: String,
    /// As written; a path that is not a literal is its source text in `${}`.
    pub path: String,
    /// The function or `Controller.method` that answers; `anonymous` where it has no name.
    pub handler: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<RouteParameter>,
    /// Guards and middleware that run before the handler, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guards: Vec<String>,
    /// The declared type of the answer; empty where nothing is annotated.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub returns: String,
    /// The status that `@HttpCode` sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    pub line: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RouteFramework {
    Express,
    NestJs,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RouteParameter {
    pub name: String,
    pub source: RouteParameterSource,
    /// Empty where nothing is annotated.
    #[serde(default, rename = "type", skip_serializing_if = "String::is_empty")]
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RouteParameterSource {
    Path,
    Query,
    Body,
    Headers,
    Handler,
    Other,
}
