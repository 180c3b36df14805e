"""Drives the Python `mcp` client through one script (JSON on stdin) and reports what it saw (JSON on stdout)."""

import json
import sys
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

import anyio
import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import (
    Implementation,
    PromptReference,
    ResourceTemplateReference,
    ResourceUpdatedNotification,
)

NOTICE_LIMIT_SECONDS = 15


async def main() -> None:
    script = json.load(sys.stdin)
    updates, updated = anyio.create_memory_object_stream[str](16)

    async def receive(message: Any) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            await updates.send(str(message.params.uri))

    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(
            Client(
                await transport(stack, script["server"]),
                mode=script["mode"],
                client_info=Implementation(name="becket-python", version="1.0.0"),
                message_handler=receive,
                read_timeout_seconds=60,
            )
        )
        seen = await drive(client, script)
        if subscription := script.get("subscription"):
            seen["updates"] = await subscribe(client, subscription, updated)
    json.dump(seen, sys.stdout)


async def transport(stack: AsyncExitStack, server: dict[str, Any]) -> Any:
    if "url" in server:
        client = await stack.enter_async_context(
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {server['token']}"}, timeout=60)
        )
        return streamable_http_client(server["url"], http_client=client)
    return stdio_client(StdioServerParameters(**server), errlog=open("/dev/null", "w"))


async def drive(client: Client, script: dict[str, Any]) -> dict[str, Any]:
    tools = await client.list_tools()
    return {
        # A pinned version sends no discovery: the server names itself in the results that follow.
        "server": plain(client.server_info),
        "protocolVersion": client.protocol_version,
        "capabilities": plain(client.server_capabilities),
        "instructions": client.instructions,
        "tools": [plain(tool) for tool in tools.tools],
        "resources": [plain(resource) for resource in (await client.list_resources()).resources],
        "templates": [plain(template) for template in (await client.list_resource_templates()).resource_templates],
        "prompts": [plain(prompt) for prompt in (await client.list_prompts()).prompts],
        "calls": [await call(client, one) for one in script["calls"]],
        "reads": [await outcome(partial(client.read_resource, uri)) for uri in script["reads"]],
        "gets": [
            await outcome(partial(client.get_prompt, prompt["name"], prompt["arguments"]))
            for prompt in script["prompts"]
        ],
        "completions": [
            await outcome(partial(client.complete, reference(one["ref"]), one["argument"]))
            for one in script["completions"]
        ],
    }


async def call(client: Client, one: dict[str, Any]) -> dict[str, Any]:
    steps: list[dict[str, Any]] = []

    async def progressed(progress: float, total: float | None, message: str | None) -> None:
        steps.append({"progress": progress, "total": total, "message": message})

    reporting = {"progress_callback": progressed} if one.get("progress") else {}
    answer = await outcome(partial(client.call_tool, one["name"], one["arguments"], **reporting))
    return {**answer, "progress": steps} if reporting else answer


async def outcome(ask: Any) -> dict[str, Any]:
    try:
        return {"result": plain(await ask())}
    except MCPError as error:
        return {"error": plain(error.error)}


async def subscribe(client: Client, subscription: dict[str, Any], updated: Any) -> list[str]:
    uri = subscription["uri"]
    with anyio.fail_after(NOTICE_LIMIT_SECONDS):
        if client.protocol_version >= "2026-07-28":
            async with client.listen(resource_subscriptions=[uri]) as events:
                await change(subscription["change"])
                async for event in events:
                    return [event.uri]
        await client.subscribe_resource(uri)
        await change(subscription["change"])
        updates = [await updated.receive()]
        await client.unsubscribe_resource(uri)
        return updates


async def change(command: dict[str, Any]) -> None:
    await anyio.run_process([command["command"], *command["args"]], **command["options"])


def reference(ref: dict[str, str]) -> PromptReference | ResourceTemplateReference:
    return PromptReference(**ref) if ref["type"] == "ref/prompt" else ResourceTemplateReference(**ref)


def plain(model: Any) -> Any:
    return model and model.model_dump(by_alias=True, exclude_none=True, mode="json")


anyio.run(main)
