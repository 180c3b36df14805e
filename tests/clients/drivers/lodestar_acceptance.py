"""Two Python clients on one repository: the acceptance criteria of the coordinate plane, one after the other.

Arguments: a JSON object on stdin with `first` and `second`, the two servers. Reports what it saw as JSON on stdout.
"""

import json
import sys
from contextlib import AsyncExitStack
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import Implementation, LoggingMessageNotification, ResourceUpdatedNotification

LIMIT_SECONDS = 90
PUSH_LIMIT_SECONDS = 10


class Agent:
    """One client with an identity of its own."""

    def __init__(self, client: Client, told: Any) -> None:
        self.client = client
        self.told = told
        self.id = ""

    async def call(self, verb: str, **arguments: Any) -> Any:
        result = await self.client.call_tool(f"lodestar.{verb}", arguments)
        assert not result.is_error, f"{verb} {arguments}: {result.content}"
        return result.structured_content

    async def refused(self, verb: str, **arguments: Any) -> str:
        result = await self.client.call_tool(f"lodestar.{verb}", arguments)
        assert result.is_error, f"{verb} {arguments} was not refused: {result.structured_content}"
        return result.structured_content["error"]["code"]

    async def until_told(self, kind: str) -> dict[str, Any]:
        with anyio.fail_after(PUSH_LIMIT_SECONDS):
            while True:
                data = await self.told.receive()
                if data.get("event", {}).get("type") == kind:
                    return data["event"]


async def main() -> None:
    script = json.load(sys.stdin)
    async with AsyncExitStack() as stack:
        a = await connect(stack, script["first"], "a")
        b = await connect(stack, script["second"], "b")
        with anyio.fail_after(LIMIT_SECONDS):
            seen = await criteria(a, b)
    json.dump(seen, sys.stdout)


async def connect(stack: AsyncExitStack, server: dict[str, Any], name: str) -> Agent:
    tell, told = anyio.create_memory_object_stream[dict[str, Any]](1024)

    async def receive(message: Any) -> None:
        if isinstance(message, LoggingMessageNotification) and isinstance(message.params.data, dict):
            await tell.send(message.params.data)
        if isinstance(message, ResourceUpdatedNotification):
            await tell.send({"resource": str(message.params.uri)})

    client = await stack.enter_async_context(
        Client(
            stdio_client(StdioServerParameters(**server), errlog=open("/dev/null", "w")),
            mode="legacy",
            client_info=Implementation(name=name, version="1.0.0"),
            message_handler=receive,
            read_timeout_seconds=60,
        )
    )
    return Agent(client, told)


async def criteria(a: Agent, b: Agent) -> dict[str, Any]:
    # 1 and 2: the handshake is done; the tools of the seed are listed and can be called one after the other.
    names = [tool.name for tool in (await a.client.list_tools()).tools]
    for agent, name in ((a, "Ada"), (b, "Bob")):
        joined = await agent.call("agent.join", name=name, capabilities={"supportsPush": True}, ttlSeconds=600)
        agent.id = joined["agentId"]
    for title, needs in (("Foundation", []), ("Walls", ["T001"])):
        await a.call("task.create", title=title, dependsOn=needs, agentId=a.id, acceptanceCriteria=["stands"])
    assert [task["id"] for task in (await a.call("task.next", agentId=a.id))["candidates"]] == ["T001"]
    claim = await a.call("task.claim", taskId="T001", agentId=a.id, ttlSeconds=120)
    assert claim["ok"] and claim["lease"]["ttlSeconds"] == 120, claim

    # 4: the other client cannot have it, and is told who does.
    conflict = await b.call("task.claim", taskId="T001", agentId=b.id)
    assert conflict["ok"] is False and conflict["conflict"]["claimedByAgentId"] == a.id, conflict
    assert await b.refused("task.done", taskId="T001", agentId=b.id) == "task_claimed"
    event = await b.until_told("task.claimed")
    assert event["taskId"] == "T001" and event["actorAgentId"] == a.id, event
    assert (await a.call("task.claim", taskId="T001", agentId=a.id)).get("renewed"), "re-claiming renews"
    await a.call("task.release", taskId="T001", agentId=a.id)
    assert (await b.call("task.claim", taskId="T001", agentId=b.id))["ok"], "free after the release"

    # 2 and 3: get, context, done, verify; what depends on it becomes free.
    assert (await b.call("task.get", taskId="T001"))["runtime"]["claimedBy"] == b.id
    assert (await b.call("task.context", taskId="T001"))["taskId"] == "T001"
    assert (await b.call("task.done", taskId="T001", agentId=b.id, note="poured"))["status"] == "done"
    verified = await b.call("task.verify", taskId="T001", agentId=b.id)
    assert verified["newlyReadyTaskIds"] == ["T002"], verified

    # 4: a message, read and acknowledged.
    sent = await a.call("message.send", fromAgentId=a.id, toAgentId=b.id, body="your turn", severity="handoff")
    assert sent["deliveredTo"] == [b.id], sent
    inbox = (await b.call("message.list", agentId=b.id))["messages"]
    assert [message["body"] for message in inbox] == ["your turn"], inbox
    assert (await b.call("message.ack", agentId=b.id, messageIds=[inbox[0]["id"]]))["updated"] == 1
    assert (await b.call("message.list", agentId=b.id))["messages"] == []

    # 5 and 7: the stream by a cursor, monotonic and each event once; enough for a host without push.
    events, cursor = [], 0
    while True:
        page = await a.call("events.pull", sinceCursor=cursor, limit=3)
        if not page["events"]:
            break
        events += page["events"]
        cursor = page["nextCursor"]
    ids = [event["id"] for event in events]
    assert ids == sorted(set(ids)), ids

    # An idle agent is woken by a call that blocks.
    woken: dict[str, Any] = {}

    async def wait() -> None:
        woken.update(await b.call("events.wait", agentId=b.id, sinceCursor=cursor, timeoutSeconds=30))

    async with anyio.create_task_group() as group:
        group.start_soon(wait)
        await a.call("message.send", fromAgentId=a.id, body="to everybody")
    assert any(event["type"] == "message.sent" for event in woken["events"]), woken
    since = (await b.call("task.claim_next", agentId=b.id)).get("sinceLastCall", {})
    assert since.get("unreadMessages") == 1, since

    # Limits and strict agents.
    assert await a.refused("message.send", fromAgentId=a.id, body="x" * 20_000) == "invalid_arguments"
    assert await a.refused("task.claim", taskId="T002", agentId="A00000000") == "unknown_agent"
    assert await a.refused("task.get", taskId="T404") == "unknown_task"
    assert (await a.call("agent.heartbeat", agentId="A00000000"))["ok"] is False
    return {
        "tools": names,
        "types": [event["type"] for event in events],
        "status": (await a.call("repo.status"))["counts"],
        "task": (await a.client.read_resource("lodestar://task/T001")).contents[0].text,
        "spec": (await a.client.read_resource("lodestar://spec")).contents[0].text,
        "prompts": [prompt.name for prompt in (await a.client.list_prompts()).prompts],
    }


anyio.run(main)
