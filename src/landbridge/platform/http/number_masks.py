"""Masks of tax, bank and identity numbers in the responses to analysts and to keys that only read.

Numbers are masked only here: the dashboard's pages, its exports and the API get their data from the
same routes. Numbers are recognised by the names of their members anywhere in a response, including
events and snapshots that repeat a record. A test fails on a member that looks like a number and is
neither masked nor listed as one that everyone may see.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from itertools import groupby
from typing import Any, Final, cast

import msgspec
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from landbridge.platform.core.masks import mask
from landbridge.platform.http.caller import Caller
from landbridge.platform.http.responses import encode

# Members that are masked except for the last characters. `number` belongs to a document;
# `corrected` is what a bank says instead of an account number.
MASKED: Final = frozenset(
    {
        "accountNumber",
        "additionalIdNumber",
        "certificateNumber",
        "corrected",
        "govIdNumber",
        "iban",
        "idNumber",
        "incorporationNumber",
        "leiNumber",
        "number",
        "partyAccount",
        "pix",
        "pixKey",
        "registrationNumber",
        "speiClabe",
        "taxIdentificationNumber",
    }
)
# URLs that do not lead to a document. Every other member ending in `Url` is withheld, because
# clients may store a link to a document in it.
SHOWN_URLS: Final = frozenset(
    {"docUrl", "downloadUrl", "explorerUrl", "jwksUrl", "kycLinkUrl", "redirectUrl"}
)
# Members with sentences that may name an account: how to pay an onramp or a virtual account.
_SENTENCES: Final = frozenset({"instruction"})
# Words that follow each other, as the groups of an IBAN, and the colon after them. A pattern that
# looks for their digits too takes time with the square of the length.
_WORDS: Final = re.compile(r"([\w-]+(?: [\w-]+)*)(:?)")
# The length from which on words with digits are masked.
_NUMBER_LENGTH_MIN: Final = 6
# Members withheld if the object also has the second member: the link to a document, and the
# response of a webhook's receiver, which may repeat the event.
_WITHHELD_BESIDE: Final = {"url": "fileId", "answer": "milliseconds"}
_WITHHELD: Final = "****"

# Decimal keeps all digits of an amount.
_decoder = msgspec.json.Decoder(Any, float_hook=Decimal)


def masking(app: ASGIApp) -> ASGIApp:
    """Return ASGI middleware that masks the JSON responses to read-only callers."""

    async def masked(scope: Scope, receive: Receive, send: Send) -> None:
        await app(scope, receive, _Masking(scope, send).send)

    return masked


class _Masking:
    """Forwards a response; JSON for a read-only caller is held back until it is complete."""

    __slots__ = ("_chunks", "_scope", "_send", "_start")

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self._start: Message | None = None
        self._chunks: list[bytes] = []

    async def send(self, message: Message) -> None:
        """Forward a message, or keep it until the JSON is complete."""
        if message["type"] == "http.response.start" and self._is_masked(message):
            self._start = message
        elif message["type"] == "http.response.body" and self._start is not None:
            self._chunks.append(message["body"])
            if not message["more_body"]:
                await self._finish(self._start)
        else:
            await self._send(message)

    def _is_masked(self, start: Any) -> bool:
        caller = cast("Mapping[str, Any]", self._scope).get("user")
        return (
            isinstance(caller, Caller)
            and caller.is_read_only
            and any(
                name.lower() == b"content-type" and value.startswith(b"application/json")
                for name, value in start["headers"]
            )
        )

    async def _finish(self, start: Any) -> None:
        body = masked_json(b"".join(self._chunks))
        start["headers"] = [
            (name, str(len(body)).encode() if name.lower() == b"content-length" else value)
            for name, value in start["headers"]
        ]
        await self._send(start)
        await self._send({"type": "http.response.body", "body": body, "more_body": False})


def masked_json(body: bytes) -> bytes:
    """Return a JSON text with its numbers masked."""
    return encode(_masked(_decoder.decode(body))) if body else body


def has_number(value: Any) -> bool:
    """Return whether a stored JSON value, with members in snake case, has a number to mask."""
    match value:
        case dict():
            members = cast("dict[str, Any]", value)
            return any(
                has_number(each) or (bool(each) and _camel(name) in MASKED)
                for name, each in members.items()
            )
        case list():
            return any(map(has_number, cast("list[Any]", value)))
        case _:
            return False


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.title, rest))


def _masked(value: Any) -> Any:
    match value:
        case dict():
            members = cast("dict[str, Any]", value)
            return {name: _member(name, each, members) for name, each in members.items()}
        case list():
            return [_masked(each) for each in cast("list[Any]", value)]
        case _:
            return value


def _member(name: str, value: Any, members: Mapping[str, Any]) -> Any:
    if not isinstance(value, str):
        return _masked(value)
    if name in MASKED:
        return mask(value)
    if name in _SENTENCES:
        return _WORDS.sub(_with_masked_numbers, value)
    if _is_link(name, value) or _WITHHELD_BESIDE.get(name) in members:
        return _WITHHELD
    return value


def _with_masked_numbers(found: re.Match[str]) -> str:
    """Return words with those masked that have digits; a time stays: its words end at a colon."""
    groups = [
        (has_digit, " ".join(words))
        for has_digit, words in groupby(found[1].split(" "), key=_has_digit)
    ]
    last = len(groups) - 1
    return (
        " ".join(
            _masked_group(words) if has_digit and not (found[2] and at == last) else words
            for at, (has_digit, words) in enumerate(groups)
        )
        + found[2]
    )


def _has_digit(word: str) -> bool:
    return any(map(str.isdecimal, word))


def _masked_group(words: str) -> str:
    number = words.lstrip("-").replace(" ", "")
    return mask(number) if len(number) >= _NUMBER_LENGTH_MIN else words


def _is_link(name: str, value: str) -> bool:
    """Return whether a member may link to a document; the id of an uploaded file does not."""
    return name.endswith("Url") and name not in SHOWN_URLS and ":" in value
