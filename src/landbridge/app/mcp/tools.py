"""Tools of the MCP server. Only `_send` sends requests, and only in three forms."""

import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote, urlencode
from uuid import UUID

import msgspec

from landbridge.app.mcp.operations import ApiOperations, Operation
from landbridge.app.mcp.protocol import Tool, ToolRefused
from landbridge.developers.request_log.redaction import redact_reply
from landbridge.platform.core.errors import LandbridgeError
from landbridge.platform.core.ids import derived_id
from landbridge.sandbox.scenarios.client import Send, ServerUnavailable

APPROVAL = "requireApproval"
# Only a key that may approve is answered here.
_APPROVALS = "/v2/transfer-approvals?limit=1"
_JSON = {"Content-Type": "application/json"}
# Parent of the request ids of proposals; any fixed id does.
_PROPOSALS = UUID("7f6a0b54-5f1e-4d5e-9f0c-2b6f0a3c51d7")
_TEXT = {"type": "string", "maxLength": 200}
_OPERATION = {"operation": {**_TEXT, "description": "Id of an operation, as in transfers.list."}}
_PARAMETERS = {
    "parameters": {
        "type": "object",
        "description": "Parameters of the path and the query, by name.",
        "additionalProperties": {"type": ["string", "number", "boolean"]},
    }
}
_BODY = {"body": {"type": "object", "description": "The body, as `describe` shows it."}}
_REFERENCE = {
    "reference": {
        **_TEXT,
        "description": "What the payment is for, as in an invoice number. The same body with the "
        "same reference is proposed once.",
    }
}


class KeyTooStrong(LandbridgeError):
    """The key may approve payments, so an assistant must not have it."""


class ApiTools:
    """Tools over one server, with one key."""

    def __init__(self, send: Send, operations: ApiOperations) -> None:
        self._transport = send
        self._operations = operations

    def tools(self, *, may_propose: bool) -> Sequence[Tool]:
        """Return the tools that the client is offered."""
        found = [
            _tool("search_api", _SEARCH, {"words": _TEXT}, self._search),
            _tool("describe", _DESCRIBE, _OPERATION, self._describe),
            _tool("read", _READ, _OPERATION | _PARAMETERS, self._read, optional="parameters"),
            _tool("dry_run", _DRY_RUN, _OPERATION | _BODY, self._dry_run),
        ]
        if may_propose:
            schema = _OPERATION | _BODY | _REFERENCE
            found.append(_tool("propose", _PROPOSE, schema, self._propose, is_read_only=False))
        return found

    async def check_key(self) -> None:
        """Raise `KeyTooStrong` if the key may approve; to be called before proposing."""
        status, _ = await self._transport("GET", _APPROVALS, content=None, headers=_JSON)
        if status != HTTPStatus.FORBIDDEN:
            raise KeyTooStrong(
                "--propose takes a key that may not approve: create one by `landbridge keys create "
                f"--scope pay` (the check was answered with {status})"
            )

    async def _search(self, arguments: dict[str, Any]) -> str:
        found = self._operations.search(_string(arguments, "words"))
        lines = [f"{each.id}: {each.description.get('summary')}" for each in found]
        return "\n".join(lines) or "nothing found; try other words"

    async def _describe(self, arguments: dict[str, Any]) -> str:
        operation = self._operation(arguments)
        return msgspec.json.encode(self._operations.describe(operation)).decode()

    async def _read(self, arguments: dict[str, Any]) -> str:
        operation = self._operation(arguments)
        if not operation.is_readable:
            raise ToolRefused("this tool only reads; see dry_run")
        parameters = _object(arguments, "parameters")
        return await self._send(operation, _path(operation, parameters), None)

    async def _dry_run(self, arguments: dict[str, Any]) -> str:
        operation = self._payment(arguments)
        return await self._try_out(operation, _object(arguments, "body"))

    async def _propose(self, arguments: dict[str, Any]) -> str:
        operation = self._payment(arguments)
        if not self._operations.has_member(operation, APPROVAL):
            raise ToolRefused("this kind of payment can't wait for an approval: a person starts it")
        body = {**_object(arguments, "body"), APPROVAL: True}
        body.pop("requestId", None)
        canonical = msgspec.json.encode(body, order="deterministic").decode()
        name = f"{operation.id} {_string(arguments, 'reference')} {canonical}"
        body["requestId"] = str(derived_id(_PROPOSALS, name))
        await self._try_out(operation, body)
        created = await self._send(operation, operation.path, body)
        return f"A person must approve it before anything is sent.\n{created}"

    async def _try_out(self, operation: Operation, body: dict[str, Any]) -> str:
        body = {"requestId": str(derived_id(_PROPOSALS, "dry run")), **body}
        return await self._send(operation, f"{operation.path}?dryRun=true", body)

    def _operation(self, arguments: dict[str, Any]) -> Operation:
        return self._operations.get(_string(arguments, "operation"))

    def _payment(self, arguments: dict[str, Any]) -> Operation:
        operation = self._operation(arguments)
        if not operation.has_dry_run:
            raise ToolRefused("this operation creates no payment, so it has no dry run")
        return operation

    async def _send(self, operation: Operation, path: str, body: dict[str, Any] | None) -> str:
        """Send a GET, a dry run or a payment that waits for approval; return the redacted reply."""
        is_dry_run = operation.has_dry_run and path.endswith("?dryRun=true")
        waits = (
            operation.has_dry_run
            and self._operations.has_member(operation, APPROVAL)
            and body is not None
            and body.get(APPROVAL) is True
        )
        if not (operation.is_readable or is_dry_run or waits):
            raise ToolRefused("this request would do more than this server may")
        content = None if body is None else msgspec.json.encode(body)
        try:
            status, reply = await self._transport(
                operation.method, path, content=content, headers=_JSON
            )
        except ServerUnavailable as error:
            raise ToolRefused(str(error)) from error
        is_refusal = status >= HTTPStatus.BAD_REQUEST
        text = redact_reply(reply, is_refusal=is_refusal)
        if is_refusal:
            raise ToolRefused(f"{status} {text}")
        return text


def _tool(
    name: str,
    description: str,
    properties: Mapping[str, Any],
    call: Any,
    *,
    optional: str = "",
    is_read_only: bool = True,
) -> Tool:
    schema = {
        "type": "object",
        "properties": properties,
        "required": [each for each in properties if each != optional],
        "additionalProperties": False,
    }
    return Tool(name, description, schema, call, is_read_only)


def _path(operation: Operation, parameters: Mapping[str, Any]) -> str:
    in_path = operation.names("path")
    unknown = parameters.keys() - {*in_path, *operation.names("query")}
    missing = set(in_path) - parameters.keys()
    if unknown or missing:
        raise ToolRefused(f"parameters missing: {sorted(missing)}, unknown: {sorted(unknown)}")

    path = re.sub(r"{(\w+)}", lambda name: _segment(parameters[name[1]]), operation.path)
    query = {name: _text(each) for name, each in parameters.items() if name not in in_path}
    return f"{path}?{urlencode(query)}" if query else path


def _text(value: Any) -> str:
    """Return a parameter as it is written in addresses."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str | int) or not str(value).strip("."):
        raise ToolRefused("a parameter must be a text, a whole number or true or false")
    return str(value)


def _segment(value: Any) -> str:
    """Return a parameter of the path; a slash in it would make the path another operation's."""
    text = _text(value)
    if "/" in text:
        raise ToolRefused("a parameter of the path must not have a slash")
    return quote(text, safe="")


def _string(arguments: dict[str, Any], name: str) -> str:
    found = arguments.get(name)
    if not isinstance(found, str) or not found:
        raise ToolRefused(f"{name} must be a text")
    return found


def _object(arguments: dict[str, Any], name: str) -> dict[str, Any]:
    found = arguments.get(name, {})
    if not isinstance(found, dict):
        raise ToolRefused(f"{name} must be an object")
    return cast("dict[str, Any]", found)


_SEARCH = "Find operations of the Landbridge API by words, as in `list offramps`."
_DESCRIBE = "Show parameters and body of an operation."
_READ = (
    "Read data: users, balances, payments, reports. Personal data and texts written by customers "
    "appear as [redacted]. Long replies are cut; ask for fewer with `limit`."
)
_DRY_RUN = (
    "Try a payment out: fees, journals, limits and whether it needs approval. Nothing is created."
)
_PROPOSE = (
    "Create a payment that waits for the approval of a person. It is tried out first, and it "
    "never moves money by itself."
)
