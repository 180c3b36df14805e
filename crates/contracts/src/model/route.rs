//! A route that a server file registers.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Route {
    pub framework: RouteFramework,
    /// `GET`, `POST` …, `ALL`, or `USE` for a mounted router; empty where only `link` knows whether there is one.
    pub method: String,
    /// As written; a path that is not a literal is its source text in `${}`.
    pub path: String,
    /// The function or `Controller.method` that answers; `anonymous` where it has no name.
    #[serde(default = "anonymous")]
    pub handler: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<RouteParameter>,
    /// Guards and middleware that run before the handler, in order; behind a router that is mounted in the file those that
    /// the mount itself has not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guards: Vec<String>,
    /// The declared type of the answer; empty where nothing is annotated.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub returns: String,
    /// The status that `@HttpCode` sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    #[serde(default)]
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
    /// As `NestJS` has them, [`Route::NEUTRAL`] among them; none where none is declared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<String>,
    /// Where it is reachable by what mounts this file in other files, as far as the project has those; absent where that is
    /// `path`. Never part of a hash or a verdict: the file that mounts has it as `path`.
    #[serde(default, rename = "fullPaths", skip_serializing_if = "Vec::is_empty")]
    pub full_paths: Vec<String>,
    /// Of an application of `NestJS`; for `link`, which leaves it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application: Option<Box<NestApplication>>,
    /// Of a class that has a parent or guards, or routes without being a controller, and of a function that puts decorators
    /// together; for `link`, which leaves it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Box<NestClass>>,
    /// Which of the functions that register routes does it, counted from 1; 0 for none. For `link`, which leaves it out.
    #[serde(default, skip_serializing_if = "is_outside")]
    pub within: u32,
    /// Whether what stands after it waits until it is done. For `link`, which leaves it out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub awaited: bool,
}

fn anonymous() -> String {
    Route::ANONYMOUS.to_owned()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
fn is_outside(within: &u32) -> bool {
    *within == 0
}

/// A class of `NestJS` as those see it that extend it, and what it takes of its own parent.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NestClass {
    /// The class that it extends; empty where none is named.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub parent: String,
    /// The paths of a controller; none where it is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prefixes: Vec<String>,
    /// Its methods, which hide those of its parent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub methods: Vec<String>,
    /// Of one that is no controller, and of a function that puts decorators together, where these make a route.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub routes: Vec<Route>,
    /// The parameters of such a function, and the type parameters of a class.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub takes: Vec<String>,
    /// The types that it gives its parent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gives: Vec<String>,
}

/// What an application of `NestJS` does to the paths of its routes, beside the prefix of all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NestApplication {
    /// What has no prefix: a method or `ALL`, and a path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<(String, String)>,
    /// What stands before a version in a path, where versions stand there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_version: Option<String>,
    /// Versions of what declares none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<String>,
    /// Functions that it is handed to, which may go on with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handed_to: Vec<String>,
    /// Whether something of it is decided when the program runs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_open: bool,
}

impl Route {
    /// The owner that has no name: `Router().get('/a', f)`.
    pub const MADE_IN_PLACE: &str = "router";
    /// Parts the name of an owner from a number, where others of the file have the name too; `link` leaves both out.
    pub const OTHER: char = '@';
    /// A handler that has no name.
    pub const ANONYMOUS: &str = "anonymous";
    /// How a mounted router is written in a table.
    pub const USE: &str = "USE";
    /// How it is written that an application is handed to a function, for `link`.
    pub const HANDED: &str = "HANDED";
    /// Begins a name in `${}`, and one of middleware, that a function has for something of its own; `link` leaves it out.
    pub const HIDDEN: char = ' ';
    /// Begins a guard that is a decorator which the project may put together of others. What it is given follows, each on a
    /// line of its own. `link` has what it stands for.
    pub const DECORATOR: char = '@';
    /// A version that any request has.
    pub const NEUTRAL: &str = "VERSION_NEUTRAL";
    /// Ends the name of a list, where its elements are meant.
    pub const EACH: &str = "[]";
    /// The hooks of Fastify that run before a handler, in their order. Its number there begins the name of a guard that is one,
    /// and one past those for a hook that is also for who registers the plugin; `link` leaves it out.
    pub const PHASES: [&str; 4] = ["onRequest", "preParsing", "preValidation", "preHandler"];
    /// Begins a list in `${}` that is the values of an object; a bracket ends it.
    pub const VALUES: &str = "Object.values(";

    /// The place of a hook in [`Route::PHASES`], and whether it is also for who registers the plugin.
    pub fn phase(guard: &str) -> Option<(usize, bool)> {
        let phase = guard.bytes().next().filter(u8::is_ascii_digit)?;
        let phase = usize::from(phase - b'0');
        Some((phase % Self::PHASES.len(), phase >= Self::PHASES.len()))
    }

    /// What is handed over, as it is written: without the number of one that others have the name of, too.
    pub fn written(handler: &str) -> String {
        let handler = handler.get(usize::from(Self::phase(handler).is_some())..).unwrap_or_default();
        let mut parts = handler.split(Self::OTHER);
        let mut written = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let rest = part.trim_start_matches(|letter: char| letter.is_ascii_digit());
            if rest.len() == part.len() {
                written.push(Self::OTHER);
            }
            written.push_str(rest);
        }
        written
    }

    pub fn is_mount(&self) -> bool {
        self.method == Self::USE || self.is_handed()
    }

    /// Whether it only says that what it is registered on is handed to a function.
    pub fn is_handed(&self) -> bool {
        self.method == Self::HANDED
    }

    /// What is handed over without a path is only there for what is behind it, and so is what an application is told
    /// that is made elsewhere, and to whom one is handed.
    pub fn is_told(&self) -> bool {
        let has_path = || !self.local_path.as_ref().unwrap_or(&self.path).is_empty();
        self.class.is_none()
            && !self.method.is_empty()
            && !self.is_handed()
            && (!self.is_mount() || !self.handler.is_empty() && has_path())
    }

    /// The routes of a file, each of another file with the mount that it is behind.
    pub fn behind(routes: &[Self]) -> impl Iterator<Item = Option<&Self>> {
        let mut last: Option<&Self> = None;
        routes.iter().map(move |route| {
            if route.file.is_none() {
                last = Some(route).filter(|route| route.is_mount());
            }
            last.filter(|mount| route.file.is_some() && route.line == mount.line)
        })
    }

    /// What tells it from others of its method.
    pub fn path_and_versions(&self) -> Cow<'_, str> {
        match self.versions.as_slice() {
            [] => Cow::Borrowed(&self.path),
            versions => Cow::Owned(format!("{} version {}", self.path, versions.join(", "))),
        }
    }

    /// A path that is described as `OpenAPI` has it, `/users/{id}`, as it is asked for: `/users/:id`.
    pub fn served(described: &str) -> String {
        let mut parts = described.split("/{");
        let mut served = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            served.push_str("/:");
            served.push_str(&part.replacen('}', "", 1));
        }
        served
    }

    /// The status of the answer, where it is another than `NestJS` answers with by itself.
    pub fn own_status(&self) -> Option<u16> {
        let usual = match self.method.as_str() {
            "POST" => 201,
            "ALL" => return self.status,
            _ => 200,
        };
        self.status.filter(|status| *status != usual)
    }

    /// What comes to who asked: `NestJS` waits for what a handler promises.
    pub fn answer(&self) -> &str {
        let waited = |kind: &str| self.returns.strip_prefix(kind)?.strip_prefix('<')?.strip_suffix('>');
        let waited = ["Promise", "Observable"].into_iter().find_map(waited);
        waited.filter(|_| self.framework == RouteFramework::NestJs).unwrap_or(&self.returns)
    }

    /// A path below another.
    pub fn joined(prefix: &str, own: &str) -> String {
        let parts = [prefix, own].into_iter().map(|part| part.trim_matches('/'));
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        format!("/{}", parts.join("/"))
    }

    /// Whether its parameters are at least those of its path: `NestJS` has those that are asked for.
    pub fn has_path_parameters(&self) -> bool {
        self.framework != RouteFramework::NestJs && self.file.is_none()
    }

    pub fn path_parameters(path: &str) -> Vec<RouteParameter> {
        let names = path.split('/').flat_map(|segment| segment.split(':').skip(1)).map(|name| {
            name.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect::<String>()
        });
        let named = names.filter(|name| !name.is_empty());
        let source = RouteParameterSource::Path;
        named
            .map(|name| RouteParameter { name, text: "string".to_owned(), ..RouteParameter::from(source) })
            .collect()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RouteFramework {
    Express,
    NestJs,
    Fastify,
    Hono,
    Koa,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RouteParameter {
    pub name: String,
    pub source: RouteParameterSource,
    /// Empty where nothing is annotated.
    #[serde(default, rename = "type", skip_serializing_if = "String::is_empty")]
    pub text: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// All of the body, the query, …, and not what has its name there: `@Body() dto`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole: bool,
    /// The decorator that gives it, where that is none of Nest's: `@User('id')`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decorator: Option<String>,
    /// What it goes through before the handler has it: `ParseIntPipe`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pipes: Vec<String>,
}

impl RouteParameter {
    /// Its type, with all that is said of how it comes to be: `number of the query through ParseIntPipe`.
    pub fn taken_as(&self) -> Cow<'_, str> {
        let from = self.source.told(self.whole);
        if from.is_empty() && self.decorator.is_none() && self.pipes.is_empty() {
            return Cow::Borrowed(&self.text);
        }
        let by = self.decorator.iter().flat_map(|decorator| [" by ", decorator]);
        let through = self.pipes.iter().flat_map(|pipe| [" through ", pipe]);
        Cow::Owned([&*self.text, from].into_iter().chain(by).chain(through).collect())
    }
}

impl From<RouteParameterSource> for RouteParameter {
    fn from(source: RouteParameterSource) -> Self {
        Self {
            name: String::new(),
            source,
            text: String::new(),
            optional: false,
            whole: false,
            decorator: None,
            pipes: Vec::new(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RouteParameterSource {
    Path,
    Query,
    Body,
    Headers,
    Handler,
    Other,
}

impl RouteParameterSource {
    /// What a request has to have it in, behind a type. What stands in the path is told by that.
    fn told(self, whole: bool) -> &'static str {
        match (self, whole) {
            (Self::Path, true) => " as the path",
            (Self::Query, false) => " of the query",
            (Self::Query, true) => " as the query",
            (Self::Body, false) => " of the body",
            (Self::Body, true) => " as the body",
            (Self::Headers, false) => " of the headers",
            (Self::Headers, true) => " as the headers",
            (Self::Path, false) | (Self::Handler | Self::Other, _) => "",
        }
    }
}
