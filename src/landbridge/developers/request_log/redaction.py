"""Redaction of logged requests: keeps ids, amounts, times and our own vocabulary only.

Guarantees: a text, number or boolean is kept only if its field is in one of the lists below *and*
it has that list's form, so a personal field added later is never kept by oversight. A field name, a
part of a path or a word of a sentence is kept only if it is ours. All other values become
`[redacted]`. Null and empty values stay, since they carry no information.

An error message is kept without words that occur in the request and without words that contain a
digit, so it states what was wrong and not about whom.
"""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar, cast
from urllib.parse import parse_qsl

import msgspec

from landbridge.developers.request_log.model import CapturedRequest
from landbridge.platform.core.errors import Refused
from landbridge.platform.http.responses import WireStruct
from landbridge.providers.chains import tokens
from landbridge.providers.rails import currencies

T = TypeVar("T")

REDACTED = "[redacted]"
# Limit of a stored body; a longer one is cut where a value or a field would begin.
_VALUES_MAX = 200
# Of a reply that is read at once and not stored.
_REPLY_VALUES_MAX = 1_000
_DEPTH_MAX = 12
_BODY_LENGTH_MAX = 8_000


def _names(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


_ID_NAMES = frozenset({"id", "requestId", "idempotencyKey"})
_AMOUNT_NAMES = _names(
    "amount amountIncludeDeveloperFee amountInUsd amount_in_usd availableBalance balance code",
    "conversionRate count decimals developerFee displayBalance documentsCount feeAmount",
    "feePercent limit max maxCount maxUsd min minAmount offset offsetSeconds rate rawAmount",
    "score seconds size unitAmount unreadCount used version",
)
_WORD_NAMES = _names(
    "action calculationModel chain chains currency decision destinationChain",
    "destinationCurrency error expand feeType fromCurrency kind over paymentRail program rail",
    "railType rails reviewAnswer reviewRejectType sourceCurrency status subType swiftCharges",
    "symbol timing toCurrency transferType type userType vote walletType",
)
_MOMENT_NAMES = _names(
    "answeredAt at clearsAt closedAt createdAfter createdAt createdBefore cursor depositBy",
    "erasedAt expiredAt expiresAt frozenAt nextCursor now receivedAt signedAt since submittedAt",
    "timestamp until updatedAt",
)
_CLAIM_NAMES = _names(
    "active collectable collected dryRun fromDashboard frozen includeHIFIFee isFinal isInstant",
    "isValid requireApproval sameDayAch signed success supportsBreakdowns",
)
_SENTENCE_NAMES = frozenset({"errorDetails", "message"})
# Our own words outside enumerations: record kinds, rails, account types and fee types.
_MORE_WORDS = _names(
    "DEPOSIT.SCREENING DISBURSEMENT OFFRAMP ONRAMP PAYMENT.SCREENING RECEIVABLE RESOLUTION "
    "TREASURY.DEPOSIT.REVERSAL",
    "WALLET.BRIDGE WALLET.DEPOSIT WALLET.DEPOSIT.REVERSAL WALLET.SWAP WALLET.TRANSFER",
    "WALLET.TRANSFER.BATCH",
    "ach rtp sepa sepaInstant swift wire fps pix spei chats bankTransfer momo",
    "EXCHANGE_FEE ON_TRANSACTION",
    "us brazil colombia argentina mexico africa brazilGlobalNetwork chinaGlobalNetwork",
    "europeGlobalNetwork hongKongGlobalNetwork mexicoGlobalNetwork nigeriaGlobalNetwork",
    "singaporeGlobalNetwork",
)
# Content that callers choose freely, whatever its field names.
_OPAQUE_NAMES = frozenset({"metadata"})

_ID = re.compile(r"(?:file_)?[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}")
_AMOUNT = re.compile(r"-?[0-9]{1,30}(?:\.[0-9]{1,20})?")
_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:]{5,8}(?:\.[0-9]{1,9})?(?:Z|[+ -][0-9:]{4,6}))?"
)
# More parameters than any route has.
_PARAMETERS_MAX = 200
# Request headers that an error message may repeat, besides path, query and body.
_QUOTED_HEADERS = frozenset({b"idempotency-key", b"landbridge-sandbox"})
# An id, or a word; bounds and counts have no more than three digits.
_PIECE = re.compile(rf"\b{_ID.pattern}\b|\w+")
_SMALL = re.compile(r"[0-9]{1,3}")
_WORD = re.compile(r"\w+")


class RedactedRequest(msgspec.Struct, frozen=True):
    """A redacted request: path, JSON texts and the request id found in them."""

    path: str
    query: str
    request_body: str | None
    response_body: str | None
    request_id: str | None


def redact(captured: CapturedRequest) -> RedactedRequest:
    """Return the redacted request."""
    request_body = _decoded(captured.request_body)
    response_body = _decoded(captured.response_body)
    query = _query(captured.query)
    # Words of the request that a message might repeat, if the whole request is known.
    is_known = captured.method == "GET" or captured.request_body is not None
    is_refusal = captured.status >= 400  # noqa: PLR2004  the first error status
    safe_words = _request_words(captured, request_body, query) if is_known and is_refusal else None
    redacted_request = _Redaction(None).redact("", request_body)
    redacted_response = _Redaction(safe_words).redact("", response_body)
    return RedactedRequest(
        path=redact_path(captured.route, captured.path_params),
        query=msgspec.json.encode(_Redaction(None).redact("", query)).decode(),
        request_body=_text(redacted_request) if request_body is not None else None,
        response_body=_text(redacted_response) if response_body is not None else None,
        # Only in the response if the id came in the `Idempotency-Key` header.
        request_id=_request_id(redacted_request) or _request_id(redacted_response),
    )


def redact_reply(body: bytes, *, is_refusal: bool) -> str:
    """Return a redacted reply as JSON text, for a reader who chose the request and not the data.

    The sentence of a refusal stays, since it is ours. What is not JSON is not returned.
    """
    redaction = _Redaction(frozenset() if is_refusal else None, values_max=_REPLY_VALUES_MAX)
    return msgspec.json.encode(redaction.redact("", _decoded(body))).decode()


def redact_unparsed(captured: CapturedRequest) -> RedactedRequest:
    """Return the redacted form of a request that cannot be parsed."""
    path = redact_path(captured.route, captured.path_params)
    return RedactedRequest(
        path=path, query="{}", request_body=None, response_body=None, request_id=None
    )


def redact_path(route: str, path_params: Mapping[str, object]) -> str:
    """Return the path without parts that are neither ids nor our own words."""
    path = route
    for name, value in path_params.items():
        text = str(value)
        is_ours = _ID.fullmatch(text.lower()) or text in our_words()
        path = path.replace(f"{{{name}}}", text if is_ours else REDACTED)
    return path


def _query(query: bytes) -> dict[str, str]:
    """Return the redacted parameters; nothing for a query with too many."""
    try:
        return dict(
            parse_qsl(
                query.decode("latin-1"), keep_blank_values=True, max_num_fields=_PARAMETERS_MAX
            )
        )
    except ValueError:
        return {}


class _Redaction:
    """Redaction of one body.

    `request_words` are the words that no message may repeat; None drops every message.
    """

    def __init__(
        self, request_words: frozenset[str] | None, *, values_max: int = _VALUES_MAX
    ) -> None:
        self._request_words = request_words
        self._values_max = values_max
        self._values = 0

    def redact(self, name: str, value: Any, *, depth: int = 0) -> Any:
        """Return `value` without what the field `name` may not contain."""
        self._values += 1
        match value:
            case None | "":
                return value
            case _ if depth > _DEPTH_MAX or self._values > self._values_max:
                return REDACTED
            case dict():
                return self._members(name, cast("dict[str, Any]", value), depth)
            case list():
                elements = cast("list[Any]", value)
                remaining = max(0, self._values_max - self._values)
                return [self.redact(name, each, depth=depth + 1) for each in elements[:remaining]]
            case _:
                return self._scalar(name, value)

    def _members(self, name: str, members: dict[str, Any], depth: int) -> Any:
        if name in _OPAQUE_NAMES:
            return REDACTED
        found: dict[str, Any] = {}
        for key, value in members.items():
            if key in our_names() or key in our_words():
                found[key] = self.redact(key, value, depth=depth + 1)
            else:
                found[REDACTED] = REDACTED
        return found

    def _scalar(self, name: str, value: Any) -> Any:
        if name in _SENTENCE_NAMES and isinstance(value, str):
            return (
                _without(value, self._request_words)
                if self._request_words is not None
                else REDACTED
            )
        return value if _may_stay(name, value) else REDACTED


def _may_stay(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return name in _CLAIM_NAMES
    text = str(value)
    forms = (
        (name in _ID_NAMES or name.endswith(("Id", "Ids")), _is_id),
        (name in _AMOUNT_NAMES, _is_amount),
        (name in _WORD_NAMES, _is_our_word),
        (name in _MOMENT_NAMES, _is_moment),
        # Error codes are numbers, and words in the reporting API.
        (name == "code", _is_our_word),
    )
    return any(is_named and has_form(text) for is_named, has_form in forms)


def _is_id(text: str) -> bool:
    return _ID.fullmatch(text.lower()) is not None


def _is_amount(text: str) -> bool:
    return _AMOUNT.fullmatch(text) is not None


def _is_moment(text: str) -> bool:
    return _MOMENT.fullmatch(text) is not None


def _is_our_word(text: str) -> bool:
    return text in our_words()


@cache
def our_names() -> frozenset[str]:
    """Return the field names of every struct, including requests and replies.

    Names of query parameters are in the lists above.
    """
    structs = [each for each in _subclasses(msgspec.Struct) if _is_of_ours(each)]
    members = {name for struct in structs for name in struct.__struct_encode_fields__}
    known = _ID_NAMES | _AMOUNT_NAMES | _WORD_NAMES | _MOMENT_NAMES | _CLAIM_NAMES
    return known | members


@cache
def our_words() -> frozenset[str]:
    """Return every word of the API: statuses, types, chains, currencies, errors."""
    enums = [each for each in _subclasses(StrEnum) if _is_of_ours(each)]
    structs = [each.__struct_config__.tag for each in _subclasses(WireStruct)]
    coins = {each.asset.currency for each in tokens.TOKENS.values()}
    fiat = set(currencies.FIAT)
    safe_words = _MORE_WORDS | {str(member) for each in enums for member in each}
    safe_words |= {str(tag) for tag in structs if tag is not None}
    safe_words |= coins | fiat | {each.upper() for each in coins | fiat}
    safe_words |= {each.name for each in _subclasses(Refused) if hasattr(each, "name")}
    return frozenset(safe_words)


def _is_of_ours(each: type[Any]) -> bool:
    return each.__module__.startswith("landbridge.")


def _subclasses(of: type[T]) -> Iterator[type[T]]:
    """Return every subclass, direct or indirect."""
    for each in of.__subclasses__():
        yield each
        yield from _subclasses(each)


def _request_words(
    captured: CapturedRequest, request_body: Any, query: Mapping[str, str]
) -> frozenset[str]:
    """Return all words of a request except its route's, also in their encoded forms."""
    texts: list[str] = [
        *map(str, captured.path_params.values()),
        *query,
        *query.values(),
        *_texts(request_body),
    ]
    if captured.request_body is not None:
        texts.append(captured.request_body.decode(errors="replace"))
    texts += [
        value.decode("latin-1") for name, value in captured.headers if name in _QUOTED_HEADERS
    ]
    return frozenset(word for text in texts for word in _WORD.findall(text.casefold()))


def _texts(value: Any) -> Iterator[str]:
    match value:
        case dict():
            for name, each in cast("dict[str, Any]", value).items():
                yield name
                yield from _texts(each)
        case list():
            for each in cast("list[Any]", value):
                yield from _texts(each)
        case _:
            yield str(value)


def _without(sentence: str, request_words: frozenset[str]) -> str:
    """Return the message without words of the request, except ids and names of ours.

    A truncated word is compared by its prefix.
    """

    def replacement(piece: re.Match[str]) -> str:
        text = piece[0]
        if text in our_names() or text in our_words() or _is_id(text):
            return text
        is_cut = sentence[piece.end() : piece.end() + 1] == "…"
        word = text.casefold()
        is_repeated = word in request_words or (
            is_cut and any(each.startswith(word) for each in request_words)
        )
        is_plain = text.isascii() and (text.isalpha() or _SMALL.fullmatch(text) is not None)
        return text if is_plain and not is_repeated else REDACTED

    return _PIECE.sub(replacement, sentence)


def _decoded(body: bytes | None) -> Any:
    """Decode JSON; return None if it is invalid."""
    if not body:
        return None
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None


def _text(redacted: Any) -> str:
    text = msgspec.json.encode(redacted).decode()
    return text if len(text) <= _BODY_LENGTH_MAX else f'"{REDACTED}"'


def _request_id(redacted: Any) -> str | None:
    """Return the caller's request id from a redacted body."""
    if not isinstance(redacted, dict):
        return None
    members = cast("dict[str, Any]", redacted)
    if "transferDetails" in members:
        return _request_id(members["transferDetails"])
    found = members.get("requestId") or members.get("idempotencyKey")
    return found if isinstance(found, str) and len(found) == 36 and _is_id(found) else None  # noqa: PLR2004  a UUID
