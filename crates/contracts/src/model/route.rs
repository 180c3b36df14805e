//! A route that a server file registers.

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
    /// What it is registered on, by its name in the file; for `link`, which leaves it out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub owner: String,
    /// The path as it is registered, where `path` has what is mounted before it, too.
    #[serde(default, rename = "localPath", skip_serializing_if = "Option::is_none")]
    pub local_path: Option<String>,
    /// The file that registers it, where that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

impl Route {
    /// The owner that has no name: `Router().get('/a', f)`.
    pub const MADE_IN_PLACE: &str = "router";

    /// What is handed over without a path is only there for what is behind it.
    pub fn is_told(&self) -> bool {
        self.method != "USE" || !self.local_path.as_ref().unwrap_or(&self.path).is_empty()
    }

    /// A path below another.
    pub fn joined(prefix: &str, own: &str) -> String {
        let parts = [prefix, own].into_iter().map(|part| part.trim_matches('/'));
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        format!("/{}", parts.join("/"))
    }

    pub fn path_parameters(path: &str) -> Vec<RouteParameter> {
        let names = path.split('/').flat_map(|segment| segment.split(':').skip(1)).map(|name| {
            name.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect::<String>()
        });
        let named = names.filter(|name| !name.is_empty());
        let source = RouteParameterSource::Path;
        named.map(|name| RouteParameter { name, source, text: "string".to_owned() }).collect()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RouteFramework {
    Express,
    NestJs,
    Fastify,
    Hono,
    Koa,
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
