//! The handler: both eras of the protocol over one catalogue, one registry and one engine.
#![expect(
    deprecated,
    reason = "peers before 2026-07-28 subscribe and set log levels in ways that it deprecates"
)]

use std::sync::Arc;

use becket_engine::{Engine, Error};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
        CustomRequest, CustomResult, DiscoverResult, ErrorCode, GetPromptRequestParams, GetPromptResponse,
        Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
        MetaObject, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
        ReadResourceResult, ServerCapabilities, ServerConfig, SetLevelRequestParams, SubscribeRequestParams,
        SubscriptionFilter, Tool, UnsubscribeRequestParams,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{
    call::Call,
    catalogue::{Catalogue, Choice, Missing},
    completion,
    drift::Outlet,
    instructions, listing,
    log_level::{self, Level},
    persona::Persona,
    prompts::Template,
    resources::{Source, drift},
    route::{failure, protocol_error},
    session::Session,
    subscriptions::{Notice, Subscriptions},
    watch::Watch,
};

/// Lists are fixed for the life of the process; a client may keep them for an hour.
pub(crate) const FIXED_FOR_MS: u64 = 3_600_000;

/// What every connection shares. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Server {
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub(crate) engine: Arc<Engine>,
    pub(crate) persona: Persona,
    pub(crate) catalogue: Catalogue,
    pub(crate) subscriptions: Subscriptions,
    watch: Watch,
    pub(crate) sources: Vec<&'static dyn Source>,
    pub(crate) prompts: Vec<&'static dyn Template>,
    implementation: Implementation,
    instructions: Option<String>,
    closing: CancellationToken,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Shared").field("persona", &self.persona.name).finish_non_exhaustive()
    }
}

impl Server {
    /// `closing` is cancelled when the process is about to end: long waits stop, answers in flight are still given.
    pub fn new(
        engine: Arc<Engine>,
        persona: Persona,
        choice: &Choice,
        closing: CancellationToken,
    ) -> Result<Self, Error> {
        let catalogue = Catalogue::choose(persona, choice)?;
        let offers = |toolset| catalogue.count(toolset) > 0;
        let sources = crate::resources::all().filter(|source| offers(source.toolset())).collect();
        let prompts = crate::prompts::all().filter(|prompt| offers(prompt.toolset())).collect();
        let name = engine.server_name().unwrap_or(persona.name);
        let shared = Shared {
            implementation: Implementation::new(name, env!("CARGO_PKG_VERSION")).with_title(persona.title),
            instructions: instructions::of(persona, &catalogue),
            engine,
            persona,
            catalogue,
            subscriptions: Subscriptions::default(),
            watch: Watch::default(),
            sources,
            prompts,
            closing,
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Tells every connected client that wants to know.
    pub fn publish(&self, notice: &Notice) {
        self.shared.subscriptions.publish(notice);
    }

    /// Tells those who subscribed to `becket://status` if the repository changed; costs nothing while there are none.
    pub fn look_for_changes(&self) {
        if self.is_watched() && self.shared.watch.look(&self.shared.engine) {
            self.publish(&Notice::ResourceUpdated(crate::STATUS_URI.to_owned()));
        }
    }

    /// Tells clients of what other processes commit to the store, where the plane is offered.
    pub fn follow_events(&self, closing: CancellationToken) {
        if self.shared.catalogue.count(crate::Toolset::Coordinate) > 0 {
            crate::follow::start(self.clone(), closing);
        }
    }

    /// Tells clients of drift while they edit, where the plane is offered; `outlet` are those who are no MCP clients.
    pub fn follow_drift(&self, outlet: Option<Arc<dyn Outlet>>, closing: CancellationToken) {
        if self.offers_drift() {
            crate::drift::start(self.clone(), outlet, closing);
        }
    }

    pub fn offers_drift(&self) -> bool {
        self.shared.catalogue.count(crate::Toolset::Understand) > 0
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.shared.engine
    }

    pub(crate) fn has_clients(&self) -> bool {
        self.shared.subscriptions.has_clients()
    }

    pub(crate) fn wants_resource(&self, uri: &str) -> bool {
        self.shared.subscriptions.wants_resource(uri)
    }

    /// Whether anybody subscribed to a resource.
    pub fn is_watched(&self) -> bool {
        self.shared.subscriptions.wants_resources()
    }

    /// The handler of one connection.
    pub fn connection(&self) -> Connection {
        let session = Arc::new(Session::new(self.shared.closing.child_token()));
        Connection { shared: Arc::clone(&self.shared), session }
    }

    /// `tools/list` as clients get it.
    pub fn listed_tools(&self) -> &[Tool] {
        self.shared.catalogue.definitions()
    }
}

/// One client of the handshake era, or one request of the stateless era.
#[derive(Debug)]
pub struct Connection {
    shared: Arc<Shared>,
    session: Arc<Session>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.session.closing.cancel();
        self.shared.subscriptions.disconnect(self.session.id);
    }
}

impl Connection {
    /// Cancelled by the transport when its input ends.
    pub fn closing(&self) -> CancellationToken {
        self.session.closing.clone()
    }

    fn call(&self, context: &RequestContext<RoleServer>) -> Call {
        Call::new(Arc::clone(&self.shared.engine), Arc::clone(&self.session), self.shared.persona, context)
    }

    /// From 2026-07-28 every result names the server.
    fn sign(&self, context: &RequestContext<RoleServer>, meta: &mut Option<MetaObject>) {
        if log_level::is_modern(context) {
            let info = json!(self.shared.implementation);
            meta.get_or_insert_default().0.insert("io.modelcontextprotocol/serverInfo".to_owned(), info);
        }
    }
}

impl ServerHandler for Connection {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_logging()
            .enable_completions()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tools()
            .build();
        let mut info = ServerConfig::new(capabilities).with_server_info(self.shared.implementation.clone());
        info.instructions.clone_from(&self.shared.instructions);
        info
    }

    async fn discover(&self, _context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info())
            .with_ttl_ms(FIXED_FOR_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.shared.subscriptions.connect(&self.session, context.peer);
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.shared.catalogue.definitions();
        let (tools, next) = listing::page(tools, |tool| tool.name.to_string(), request)?;
        let mut result = ListToolsResult::with_all_items(tools);
        (result.ttl_ms, result.cache_scope) = may_be_kept(&context, FIXED_FOR_MS, CacheScope::Public);
        result.next_cursor = next;
        self.sign(&context, &mut result.meta);
        Ok(result)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut response = match self.shared.catalogue.find(&request.name) {
            Ok(route) => route.call(self.call(&context), request, context.clone()).await?,
            Err(Missing::Withheld(error)) => CallToolResponse::Complete(failure(&error, self.shared.persona)),
            Err(Missing::Unknown(error)) => {
                let data = json!({"code": error.code(), "hint": error.hint()});
                return Err(ErrorData::invalid_params(error.message().to_owned(), Some(data)));
            }
        };
        if let CallToolResponse::Complete(result) = &mut response {
            self.sign(&context, &mut result.meta);
        }
        Ok(response)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.shared.catalogue.find(name).ok().map(|route| route.definition().clone())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources: Vec<_> = self.shared.sources.iter().flat_map(|source| source.resources()).collect();
        let (resources, next) = listing::page(&resources, |resource| resource.uri.clone(), request)?;
        let mut result = ListResourcesResult::with_all_items(resources);
        (result.ttl_ms, result.cache_scope) = may_be_kept(&context, FIXED_FOR_MS, CacheScope::Public);
        result.next_cursor = next;
        self.sign(&context, &mut result.meta);
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates: Vec<_> = self.shared.sources.iter().flat_map(|source| source.templates()).collect();
        let (templates, next) = listing::page(&templates, |template| template.uri_template.clone(), request)?;
        let mut result = ListResourceTemplatesResult::with_all_items(templates);
        (result.ttl_ms, result.cache_scope) = may_be_kept(&context, FIXED_FOR_MS, CacheScope::Public);
        result.next_cursor = next;
        self.sign(&context, &mut result.meta);
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let call = self.call(&context);
        for source in &self.shared.sources {
            if let Some(contents) = source.read(&call, &request.uri).await {
                let contents = contents.map_err(|error| protocol_error(&error))?;
                let scope = if source.fresh_for() > 0 { CacheScope::Public } else { CacheScope::Private };
                let mut result = ReadResourceResult::new(vec![contents]);
                (result.ttl_ms, result.cache_scope) = may_be_kept(&context, source.fresh_for(), scope);
                self.sign(&context, &mut result.meta);
                return Ok(ReadResourceResponse::Complete(result));
            }
        }
        Err(unknown_resource(&request.uri))
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.check_readable(&request.uri, &self.call(&context)).await?;
        self.watch();
        if request.uri == drift::URI {
            // The answer follows: from here on no edit may be missed.
            self.call(&context)
                .blocking(Engine::begin_drift)
                .await
                .map_err(|error| protocol_error(&error))?;
        }
        self.shared.subscriptions.subscribe(&self.session, context.peer, request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.shared.subscriptions.unsubscribe(self.session.id, &request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        // The acknowledgement follows: from here on no change may be missed.
        self.watch();
        if requested.resource_subscriptions.iter().flatten().any(|uri| uri == drift::URI) {
            self.begin_drift();
        }
        // rmcp cuts this down to what `get_info` advertises.
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.shared.subscriptions.listen(&self.session, context).await;
        Ok(())
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts: Vec<_> = self.shared.prompts.iter().map(|prompt| prompt.definition()).collect();
        let (prompts, next) = listing::page(&prompts, |prompt| prompt.name.clone(), request)?;
        let mut result = ListPromptsResult::with_all_items(prompts);
        (result.ttl_ms, result.cache_scope) = may_be_kept(&context, FIXED_FOR_MS, CacheScope::Public);
        result.next_cursor = next;
        self.sign(&context, &mut result.meta);
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let Some(prompt) = self.shared.prompts.iter().find(|prompt| prompt.definition().name == request.name)
        else {
            let data = json!({"code": "unknown_prompt", "hint": "prompts/list names all of them."});
            let message = format!("There is no prompt `{}`.", becket_base::clip(&request.name, 80));
            return Err(ErrorData::invalid_params(message, Some(data)));
        };
        crate::prompts::check(&prompt.definition(), &request).map_err(|error| protocol_error(&error))?;
        let mut response = prompt.get(self.call(&context), request, context.clone()).await?;
        if let GetPromptResponse::Complete(result) = &mut response {
            self.sign(&context, &mut result.meta);
        }
        Ok(response)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let mut result =
            completion::complete(&self.shared, &request).map_err(|error| protocol_error(&error))?;
        self.sign(&context, &mut result.meta);
        Ok(result)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let message = format!("There is no method `{}`.", becket_base::clip(&request.method, 80));
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if log_level::is_modern(&context) {
            return Err(ErrorData::method_not_found::<rmcp::model::SetLevelRequestMethod>());
        }
        self.session.set_level(Level::from(request.level));
        Ok(())
    }
}

impl Connection {
    /// Others who are subscribed already keep what they compare with.
    fn watch(&self) {
        if !self.shared.subscriptions.wants_resources() {
            self.shared.watch.begin(&self.shared.engine);
        }
    }

    /// In a place that cannot wait: the other threads of the runtime go on where it has some.
    fn begin_drift(&self) {
        let begin = || self.shared.engine.begin_drift();
        let several = tokio::runtime::Handle::try_current()
            .is_ok_and(|handle| handle.runtime_flavor() == tokio::runtime::RuntimeFlavor::MultiThread);
        let begun = if several { tokio::task::block_in_place(begin) } else { begin() };
        if let Err(error) = begun {
            tracing::warn!(%error, "edits cannot be followed yet");
        }
    }

    /// One that cannot be read just now is not one that does not exist: its own error says which.
    async fn check_readable(&self, uri: &str, call: &Call) -> Result<(), ErrorData> {
        for source in &self.shared.sources {
            if source.resources().iter().any(|resource| resource.uri == uri) {
                return Ok(());
            }
            if let Some(read) = source.read(call, uri).await {
                return read.map(drop).map_err(|error| protocol_error(&error));
            }
        }
        Err(unknown_resource(uri))
    }
}

/// How long a client may keep a result, and who may share it: said from 2026-07-28 on, which has the words for it.
fn may_be_kept(
    context: &RequestContext<RoleServer>,
    milliseconds: u64,
    scope: CacheScope,
) -> (Option<u64>, Option<CacheScope>) {
    if log_level::is_modern(context) { (Some(milliseconds), Some(scope)) } else { (None, None) }
}

fn unknown_resource(uri: &str) -> ErrorData {
    let data: Value = json!({
        "code": "unknown_resource",
        "uri": becket_base::clip(uri, 200).to_string(),
        "hint": "resources/list and resources/templates/list name what can be read.",
    });
    ErrorData::resource_not_found(
        format!("There is no resource `{}`.", becket_base::clip(uri, 200)),
        Some(data),
    )
}
