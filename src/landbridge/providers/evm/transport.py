"""JSON-RPC 2.0 over HTTP: one request to one node.

Guarantees: the size of an answer is bounded, redirects are not followed, nothing is decompressed,
proxies of the environment are not used. Answers are matched by id: an id that is missing, unknown
or twice makes the whole request fail. No error has more of the URL than the caller adds to it.
"""

from collections.abc import Sequence
from typing import Any, cast

import aiohttp
import msgspec

from landbridge.providers.evm.errors import AnswerTooLarge, NodeError, NodeFailure
from landbridge.providers.evm.node_url import NodeUrl

# Statuses that may have a JSON-RPC answer as their body: some nodes answer request errors with 400.
_WITH_ANSWER = frozenset({200, 400})
# Statuses of requests refused before they reached a node: missing or wrong key, or too many
# requests.
_UNSENT = frozenset({401, 403, 429})
_CHUNK_BYTES = 64 * 1024
_TEXT_LENGTH_MAX = 1_000
_HEADERS = {
    "Content-Type": "application/json",
    "Accept-Encoding": "identity",
    "User-Agent": "landbridge",
}
# Seconds after which a connection that could not be opened counts as refused.
_CONNECT_TIMEOUT_S = 3


class RpcCall(msgspec.Struct, frozen=True):
    """Method and parameters of a call."""

    method: str
    params: tuple[Any, ...] = ()


def open_session() -> aiohttp.ClientSession:
    """Return a session for all nodes of a chain; the caller closes it."""
    return aiohttp.ClientSession(
        headers=_HEADERS,
        # No limit here, because each node has its own limit and deadline.
        connector=aiohttp.TCPConnector(limit=0),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_TIMEOUT_S),
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        trust_env=False,
    )


async def exchange(
    session: aiohttp.ClientSession,
    url: NodeUrl,
    calls: Sequence[RpcCall],
    *,
    first_id: int,
    bytes_max: int,
) -> list[Any]:
    """Return the result of each call, in order, with a `NodeError` in place of an error.

    A single call is sent as an object, several as a batch. Ids count up from `first_id`.

    Raises:
        NodeFailure: There is no usable answer.
    """
    requests = [
        {"jsonrpc": "2.0", "id": first_id + place, "method": call.method, "params": call.params}
        for place, call in enumerate(calls)
    ]
    body = msgspec.json.encode(requests if len(requests) > 1 else requests[0])
    raw = await _post(session, url, body, bytes_max)
    try:
        document = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise NodeFailure("answered something other than JSON") from None
    if len(requests) == 1:
        return [_result(document, first_id)]
    return _batch_results(document, [first_id + place for place in range(len(calls))])


async def _post(session: aiohttp.ClientSession, url: NodeUrl, body: bytes, bytes_max: int) -> bytes:
    try:
        async with session.post(url.secret_text, data=body, allow_redirects=False) as response:
            if response.status not in _WITH_ANSWER:
                raise NodeFailure(
                    f"answered HTTP status {response.status}",
                    is_unsent=response.status in _UNSENT,
                )
            if response.headers.get("Content-Encoding", "identity") != "identity":
                raise NodeFailure("answered something packed")
            content = bytearray()
            async for chunk in response.content.iter_chunked(_CHUNK_BYTES):
                content += chunk
                if len(content) > bytes_max:
                    raise AnswerTooLarge(f"answered more than {bytes_max} bytes")
            return bytes(content)
    # Error messages of the library may contain the URL, so no error is chained.
    except aiohttp.ClientConnectorError as error:
        raise NodeFailure(
            f"could not be connected ({type(error).__name__})", is_unsent=True
        ) from None
    except aiohttp.ConnectionTimeoutError:
        raise NodeFailure("could not be connected in time", is_unsent=True) from None
    except (aiohttp.ClientError, OSError) as error:
        raise NodeFailure(f"broke off the exchange ({type(error).__name__})") from None


def _batch_results(document: object, ids: list[int]) -> list[Any]:
    if isinstance(document, dict):
        # A node that refuses the whole batch answers with one object and the id null.
        error = cast("dict[str, Any]", document).get("error")
        code = cast("dict[str, Any]", error).get("code") if isinstance(error, dict) else None
        raise NodeFailure(f"refused a batch (error {code if isinstance(code, int) else 'unknown'})")
    if not isinstance(document, list):
        raise NodeFailure("answered a batch with no list")
    by_id: dict[int, object] = {}
    for each in cast("list[object]", document):
        number = cast("dict[str, Any]", each).get("id") if isinstance(each, dict) else None
        if not isinstance(number, int) or number in by_id:
            raise NodeFailure("answered a batch with a wrong id")
        by_id[number] = each
    if by_id.keys() != set(ids):
        raise NodeFailure("answered a batch with a wrong id")
    return [_result(by_id[number], number) for number in ids]


def _result(document: object, number: int) -> Any:
    """Return the result in an answer, or a `NodeError`."""
    if not isinstance(document, dict):
        raise NodeFailure("answered JSON that is no object")
    answer = cast("dict[str, Any]", document)
    error = answer.get("error")
    # The type is compared, because `True` and 1.0 equal 1.
    if type(answer.get("id")) is not int or answer["id"] != number:
        raise NodeFailure("answered with a wrong id")
    if error is not None:
        return _node_error(error)
    if "result" not in answer:
        raise NodeFailure("answered with neither result nor error")
    return answer["result"]


def _node_error(error: object) -> NodeError:
    members = cast("dict[str, Any]", error) if isinstance(error, dict) else {}
    code, text = members.get("code"), members.get("message")
    if type(code) is not int or not isinstance(text, str):
        raise NodeFailure("answered an error without code or message")
    return NodeError(code, text[:_TEXT_LENGTH_MAX], members.get("data"))
