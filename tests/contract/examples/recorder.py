"""Records one successful request with its reply for each operation.

Ids, times, addresses and secrets of a run are replaced by stable ones, so that two recordings of
the same code are equal.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, cast
from urllib.parse import parse_qsl, unquote
from uuid import NAMESPACE_URL, uuid5

import httpx2
from typing_extensions import override

from landbridge.platform.core.clock import FrozenClock
from landbridge.providers.trp.travel_addresses import encode_travel_address
from tests.tenants import URL

_JSON = "application/json"
# Longer lists of texts are no clearer.
_TEXTS_MAX = 3
_STEP = timedelta(microseconds=100)


class SteppingClock(FrozenClock):
    """Frozen clock that moves a little at each reading, so that what is due becomes due.

    Times of a run differ by fractions of a second, if `next_minute` begins each part of it.
    """

    def next_minute(self) -> None:
        """Move to the beginning of a minute."""
        latest = max(self.at, self.stamp())
        self.at = latest.replace(second=0, microsecond=0) + timedelta(minutes=1)

    @override
    def _real_us(self) -> int:
        self.at += _STEP
        return super()._real_us()


@dataclass(slots=True)
class Recorder:
    """Records the first successful exchange of each operation while it is on.

    `refused` has the first refusal of each operation after `send_refused` has begun.
    """

    document: Mapping[str, Any]
    found: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    refused: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    is_on: bool = True
    is_for_refusals: bool = False

    async def hear(self, response: httpx2.Response) -> None:
        """Record an exchange; a hook of the client."""
        request = response.request
        operation, in_path = self._operation(request.method.lower(), request.url.path)
        name = operation.get("operationId", "")
        if self.is_for_refusals and name and response.is_client_error:
            await response.aread()
            refusal = {"status": str(response.status_code), "reply": json.loads(response.content)}
            self.refused.setdefault(name, refusal)
        if not self.is_on or not name or name in self.found or not response.is_success:
            return
        query = dict(parse_qsl(request.url.query.decode()))
        parameters = {**in_path, **dict(_typed(operation, query))}
        example: dict[str, Any] = {"parameters": parameters} if parameters else {}
        if request.headers.get("content-type") == _JSON and request.content:
            example["request"] = json.loads(request.content)
        await response.aread()
        media = response.headers.get("content-type", "").partition(";")[0]
        if media == _JSON:
            example["reply"] = json.loads(response.content)
        elif media == "text/csv":
            example["reply"] = response.text
        self.found[name] = example

    def _operation(self, method: str, path: str) -> tuple[Mapping[str, Any], dict[str, str]]:
        # A path without parameters is meant before one with some.
        for template in sorted(self.document["paths"], key=lambda each: each.count("{")):
            match = re.fullmatch(re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", template), path)
            operation = self.document["paths"][template].get(method)
            if match is not None and operation is not None:
                return operation, {name: unquote(each) for name, each in match.groupdict().items()}
        return {}, {}


def _typed(operation: Mapping[str, Any], query: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """Yield the parameters of the query as values of their types."""
    for each in operation.get("parameters", ()):
        if each["in"] == "query" and each["name"] in query:
            text, kind = query[each["name"]], each["schema"].get("type")
            is_json = kind in {"integer", "boolean"}
            value = text.split(",") if kind == "array" else text
            yield each["name"], json.loads(text) if is_json else value


def shortened(value: Any) -> Any:
    """Return a reply with the first element of each list of objects; counts follow."""
    if isinstance(value, list):
        listed = cast("list[Any]", value)
        most = 1 if any(isinstance(each, dict) for each in listed) else _TEXTS_MAX
        return [shortened(each) for each in listed[:most]]
    if not isinstance(value, dict):
        return value
    members = cast("dict[str, Any]", value)
    short = {name: shortened(each) for name, each in members.items()}
    for name, each in members.items():
        if isinstance(each, list) and members.get("count") == len(cast("list[Any]", each)):
            short["count"] = len(short[name])
    return short


_SHOWN_URL = "https://landbridge.example.com"
# Members that are measured in real time, and the number of pieces, which is drawn.
_PIECES = 6
_MEASURED = {"milliseconds": 4, "lagSeconds": 2, "pieces": _PIECES}
_HEX = "[0-9a-f]"
_CHANGING = re.compile(
    r"-----BEGIN PUBLIC KEY-----.*?-----END PUBLIC KEY-----"
    rf"|(?P<event>evt_{_HEX}{{42}})|(?P<file>file_{_HEX}{{32}})"
    rf"|(?P<uuid>{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}})"
    r"|(?P<code>(?<=\nCode: )[0-9a-f]{32})|(?P<signature>0x[0-9a-f]{130})"
    r"|(?P<hash>0x[0-9a-f]{64})|(?P<address>0x[0-9a-fA-F]{40})"
    r"|(?P<zeros>(?<=T\d\d:\d\d:\d\d\.)\d+|(?<=SANDBX9Z)\d{6})"
    r"|(?P<node>127\.0\.0\.1:\d+)|(?P<reference>\bLB[A-Z0-9]{10}\b)|(?P<account>\b9\d{15}\b)"
    r"|(?P<secret>(?<=session=)[\w-]{43}|^[\w-]{43}$)|(?P<digest>^[0-9a-f]{64}$)"
    r"|(?P<pieces>(?<=\"pieces\":)\d+)|(?P<root>(?<=(?:_digest|..\"root)\":\")[0-9a-f]{64})"
    r"|(?P<travel>^ta[1-9A-HJ-NP-Za-km-z]{60,}$)"
    r"|(?P<cursor>^[\w-]{39}$|^[0-9a-f]{48}$)",
    re.DOTALL,
)
_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_PUBLIC_KEY = "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0B...\n-----END PUBLIC KEY-----"


@dataclass(frozen=True, slots=True)
class Stable:
    """Replaces what differs from run to run. A value is named by where it appears first."""

    names: dict[str, str] = field(default_factory=dict[str, str])

    def of(self, value: Any, at: str) -> Any:
        """Return a value with stable parts; `at` is its place."""
        if isinstance(value, dict):
            members = cast("dict[str, Any]", value)
            return {name: self.of(each, f"{at}.{name}") for name, each in members.items()}
        if isinstance(value, list):
            listed = cast("list[Any]", value)
            return [self.of(each, f"{at}[{index}]") for index, each in enumerate(listed)]
        name = at.rpartition(".")[2]
        if name in _MEASURED and value is not None:
            return _MEASURED[name]
        if not isinstance(value, str):
            return value
        text = value.replace(URL, _SHOWN_URL).replace("http://127.0.0.1:9/", "https://example.com/")
        return _CHANGING.sub(lambda found: self._text(found, at), text)

    def _text(self, found: re.Match[str], at: str) -> str:
        text, kind = found[0], found.lastgroup
        if kind == "zeros":
            return "0" * len(text)
        if kind == "pieces":
            return str(_PIECES)
        if kind is None:
            return _PUBLIC_KEY
        if text not in self.names:
            self.names[text] = _named(kind, f"{at} {found.start()}")
        return self.names[text]


def _named(kind: str, place: str) -> str:
    """Return a text of this kind that follows from its place."""
    digest = hashlib.sha256(place.encode()).hexdigest()
    letters = "".join(_ALPHABET[int(digest[at : at + 2], 16) % 32] for at in range(0, 20, 2))
    return {
        "uuid": str(uuid5(NAMESPACE_URL, place)),
        "event": f"evt_{digest[:32]}0000000100",
        "file": f"file_{digest[:32]}",
        "code": digest[:32],
        "signature": f"0x{digest * 2}1b",
        "hash": f"0x{digest}",
        "address": f"0x{digest[:40]}",
        "reference": f"LB{letters}",
        "account": f"9{int(digest, 16) % 10**15:015d}",
        "secret": digest[:43],
        "cursor": digest[:48],
        "digest": digest,
        "root": digest,
        "node": "rpc.example.com",
        "travel": encode_travel_address(f"{_SHOWN_URL}/trp/{uuid5(NAMESPACE_URL, place)}"),
    }[kind]
