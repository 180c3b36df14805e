//! `becket mcp`: the server, on stdio or Streamable HTTP.

use std::{process::ExitCode, sync::Arc};

use becket_engine::{Engine, Error, ErrorKind};
use becket_mcp::{Choice, Greeting, NameStyle, Outlet, Persona, Server, Toolset, transport};
use becket_web::{Exposure, Feed, Options, Secret, WebError};
use tokio_util::sync::CancellationToken;

use crate::{context::Context, logging, signals::Signals};

#[derive(Debug, clap::Args)]
pub(crate) struct Mcp {
    /// Serve on stdin and stdout (the default)
    #[arg(long, conflicts_with = "http")]
    stdio: bool,
    /// Serve Streamable HTTP to several agents at once, at this address, or at http.listen of the settings, or at a free
    /// port of 127.0.0.1
    #[arg(long, value_name = "ADDRESS:PORT", num_args = 0..=1, default_missing_value = "")]
    http: Option<String>,
    /// The file with the bearer token of --http; otherwise BECKET_HTTP_TOKEN, or one is made
    #[arg(long, value_name = "PATH")]
    http_token_file: Option<String>,
    /// Listen beyond this machine; put a TLS proxy in front
    #[arg(long, requires = "http")]
    http_expose: bool,
    /// Further Host names that --http answers to
    #[arg(long, value_name = "HOST", value_delimiter = ',')]
    allowed_hosts: Vec<String>,
    /// Further Origins that --http lets in
    #[arg(long, value_name = "ORIGIN", value_delimiter = ',')]
    allowed_origins: Vec<String>,
    /// The planes to offer: all, understand, remember, coordinate, commit
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    toolsets: Vec<String>,
    /// Folders, besides the repository, that `repo` arguments may name
    #[arg(long, value_name = "PATHS")]
    allowed_paths: Option<String>,
    /// Single tools to offer besides
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    tools: Vec<String>,
    /// Single tools not to offer
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    exclude: Vec<String>,
    /// Offer only tools that change nothing
    #[arg(long)]
    read_only: bool,
    /// How to list tool names: underscore or dotted
    #[arg(long, value_name = "STYLE")]
    tool_names: Option<String>,
    /// Log everything
    #[arg(long, hide = true)]
    dev: bool,
}

impl Mcp {
    pub(crate) fn run(self, context: &Context) -> ExitCode {
        self.run_as(context, Persona::BECKET)
    }

    pub(crate) fn run_as(self, context: &Context, persona: Persona) -> ExitCode {
        match self.serve(context, persona) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => context.ui.finish::<()>("mcp", Err(error)),
        }
    }

    fn serve(self, context: &Context, persona: Persona) -> Result<(), Error> {
        let no_start =
            |error| Error::unavailable("runtime", "The server cannot start its threads.").with_source(error);
        // Before anything else: a host may ask for the end while the server still reads its settings.
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(no_start)?;
        let signals = Signals::catch(&runtime).map_err(no_start)?;
        let engine = context.engine(self.flags());
        engine.flags_are_sound()?;
        if persona.name == "context-stash" {
            // Its seed works on the directory it was started in, never on the repository around it.
            engine.keep_entries_in_current_directory()?;
        }
        if persona.name == "lodestar" {
            engine.coordinate_in_nearest_folder();
        }
        let _logging = logging::start(&engine)?;
        engine.warn_of_problems();
        let outcome = runtime.block_on(async {
            let closing = CancellationToken::new();
            let server = Server::new(Arc::clone(&engine), persona, &choice(&engine)?, closing.clone())
                .map_err(|error| engine.with_source_of_tool_names(error))?;
            tokio::spawn(stop_on_signal(signals, closing.clone()));
            tokio::spawn(watch(server.clone(), closing.clone()));
            server.follow_events(closing.clone());
            let feed = server.offers_drift().then(becket_web::Feed::default);
            let outlet = feed.clone().map(|feed| Arc::new(Listeners(feed)) as Arc<dyn Outlet>);
            server.follow_drift(outlet, closing.clone());
            // A file of the repository may say where, but never whether: a host that speaks on stdio must be answered.
            if self.http.is_some() || (engine.http_is_asked_for() && !self.stdio) {
                let exposure = if self.http_expose { Exposure::Network } else { Exposure::LoopbackOnly };
                let address = engine.http_listen().unwrap_or("127.0.0.1:0");
                serve_http(context, &engine, &server, (address, exposure), feed, closing).await
            } else {
                serve_stdio(&engine, &server, closing).await
            }
        });
        // What was answered reaches spec.yaml before the process ends.
        if let Err(error) = engine.settle_tasks() {
            tracing::warn!(%error, "spec.yaml is not up to date; the next process brings it there");
        }
        // A call that does not end (a hung file system) must not keep the process.
        runtime.shutdown_timeout(std::time::Duration::from_secs(2));
        outcome
    }

    /// What was given, by the name that the settings have for it.
    fn flags(&self) -> Vec<(&'static str, String)> {
        let mut flags = Vec::new();
        for (flag, values) in [
            ("--toolsets", &self.toolsets),
            ("--tools", &self.tools),
            ("--exclude", &self.exclude),
            ("--allowed-hosts", &self.allowed_hosts),
            ("--allowed-origins", &self.allowed_origins),
        ] {
            if !values.is_empty() {
                flags.push((flag, values.join(",")));
            }
        }
        for (flag, value) in [
            ("--tool-names", &self.tool_names),
            ("--http-token-file", &self.http_token_file),
            ("--http", &self.http),
            ("--allowed-paths", &self.allowed_paths),
        ] {
            if let Some(value) = value.as_ref().filter(|value| !value.is_empty()) {
                flags.push((flag, value.clone()));
            }
        }
        if self.read_only {
            flags.push(("--read-only", "true".to_owned()));
        }
        if self.dev {
            flags.push(("--log-level", "debug".to_owned()));
        }
        flags
    }
}

fn choice(engine: &Engine) -> Result<Choice, Error> {
    let settings = engine.mcp_settings();
    Ok(Choice {
        toolsets: Toolset::parse_list(&settings.toolsets)?,
        tools: settings.tools,
        exclude: settings.exclude,
        read_only: settings.read_only,
        names: if settings.dotted_names { NameStyle::Dotted } else { NameStyle::Underscore },
    })
}

async fn serve_stdio(engine: &Engine, server: &Server, closing: CancellationToken) -> Result<(), Error> {
    let (input, output) = transport::stdio();
    let max_message_bytes = engine.mcp_settings().max_message_bytes;
    let limits = transport::Limits { max_message_bytes, ..transport::Limits::default() };
    transport::serve(server.connection(), input, output, limits, closing)
        .await
        .map_err(|error| Error::unavailable("stdio", "The connection to the host broke.").with_source(error))
}

async fn serve_http(
    context: &Context,
    engine: &Engine,
    server: &Server,
    (address, exposure): (&str, Exposure),
    feed: Option<Feed>,
    closing: CancellationToken,
) -> Result<(), Error> {
    let settings = engine.http_settings();
    let token = engine.http_token()?;
    let options = Secret::new(&token.value)
        .map(Options::new)
        .and_then(|options| options.with_allowed_hosts(&settings.allowed_hosts))
        .and_then(|options| options.with_allowed_origins(&settings.allowed_origins))
        .map_err(web_error)?
        .with_max_body_bytes(settings.max_body_bytes);
    let options = match feed {
        Some(feed) => options.with_feed(feed),
        None => options,
    };
    let address = becket_web::parse_address(address).map_err(web_error)?;
    let bound = becket_web::bind(address, exposure).await.map_err(web_error)?;
    context.ui.say(format_args!("listening on {}", bound.url()));
    if bound.address().ip().is_unspecified() {
        context.ui.say(format_args!("bound to {}, every interface of this machine", bound.address()));
    }
    if let Some(file) = &token.file {
        context.ui.say(format_args!("token file: {}", file.display()));
    }
    // Answers in flight are lost with their sessions, so these end after the last connection and not at `closing`.
    let ended = CancellationToken::new();
    let _at_return = ended.clone().drop_guard();
    let service = becket_mcp::http::service(server.clone(), settings.max_body_bytes, ended);
    becket_web::serve(bound, service, options, closing).await;
    Ok(())
}

/// Those who listen to the feed over WebSocket.
#[derive(Debug)]
struct Listeners(Feed);

impl Outlet for Listeners {
    fn is_wanted(&self) -> bool {
        self.0.is_wanted()
    }

    fn send(&self, text: String) {
        self.0.send(text);
    }

    fn greet(&self, greeting: Option<Greeting>) {
        self.0.greet(greeting);
    }
}

fn web_error(error: WebError) -> Error {
    let kind = match error {
        WebError::InvalidAddress { .. }
        | WebError::UnusableToken { .. }
        | WebError::InvalidAllowedHost { .. }
        | WebError::InvalidAllowedOrigin { .. } => ErrorKind::Invalid,
        WebError::NotLoopback { .. } => ErrorKind::Denied,
        WebError::AddressInUse { .. } | WebError::Bind { .. } => ErrorKind::Unavailable,
    };
    Error::new(kind, error.code(), format!("The server cannot listen: {error}."))
        .with_hint(error.hint())
        .with_source(error)
}

/// SIGTERM and Ctrl-C end the server cleanly: answers in flight are given first.
async fn stop_on_signal(signals: Signals, closing: CancellationToken) {
    signals.asked_to_end().await;
    tracing::info!("asked to stop");
    closing.cancel();
}

/// Tells subscribers of `becket://status` when branch or worktrees change; looks only while somebody subscribed.
async fn watch(server: Server, closing: CancellationToken) {
    let mut tick = tokio::time::interval(std::time::Duration::from_millis(250));
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = closing.cancelled() => return,
            _ = tick.tick() => server.look_for_changes(),
        }
    }
}
