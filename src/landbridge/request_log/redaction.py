"""What of a request may be kept: ids, amounts, moments and words of ours; nothing else.

Guarantees: a text, number or claim is kept only if its member's name is in one of the lists below
*and* it has that list's form, so a personal field that is added tomorrow is never kept by an
oversight; a member's name, a part of a path or a word of a sentence is kept only if it is ours.
All else that says something becomes `[redacted]`. What is null or empty stays, for it says nothing.

A sentence that explains a refusal is kept without the words that stand in the request, and without
those that have a digit: so it says what was wrong, and not with whom.
"""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar, cast
from urllib.parse import parse_qsl

import msgspec

from landbridge.chains import tokens
from landbridge.core.errors import Refused
from landbridge.rails import currencies
from landbridge.request_log.model import Heard
from landbridge.web.reply import WireStruct

T = TypeVar("T")

REDACTED = "[redacted]"
# Of a kept body; what is longer is cut where a value or a member would begin.
_VALUES_MAX = 200
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
# Words of ours that are in no enumeration: kinds of records, rails, types of accounts and of fees.
_MORE_WORDS = _names(
    "DISBURSEMENT OFFRAMP ONRAMP RECEIVABLE RESOLUTION",
    "WALLET.BRIDGE WALLET.DEPOSIT WALLET.SWAP WALLET.TRANSFER WALLET.TRANSFER.BATCH",
    "ach rtp sepa sepaInstant swift wire fps pix spei chats bankTransfer momo",
    "EXCHANGE_FEE ON_TRANSACTION",
    "us brazil colombia argentina mexico africa brazilGlobalNetwork chinaGlobalNetwork",
    "europeGlobalNetwork hongKongGlobalNetwork mexicoGlobalNetwork nigeriaGlobalNetwork",
    "singaporeGlobalNetwork",
)
# What callers put there is their own, whatever its members are called.
_OPAQUE_NAMES = frozenset({"metadata"})

_ID = re.compile(r"(?:file_)?[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}")
_AMOUNT = re.compile(r"-?[0-9]{1,30}(?:\.[0-9]{1,20})?")
_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:]{5,8}(?:\.[0-9]{1,9})?(?:Z|[+ -][0-9:]{4,6}))?"
)
# More parameters than any route has.
_PARAMETERS_MAX = 200
# Where a sentence may repeat what was sent, besides path, query and body.
_QUOTED_HEADERS = frozenset({b"idempotency-key", b"landbridge-sandbox"})
# An id, or a word; bounds and counts have no more than three digits.
_PIECE = re.compile(rf"\b{_ID.pattern}\b|\w+")
_SMALL = re.compile(r"[0-9]{1,3}")
_WORD = re.compile(r"\w+")


class Told(msgspec.Struct, frozen=True):
    """What may be kept of a request: path and texts of JSON, and the id found in them."""

    path: str
    query: str
    request_body: str | None
    answer_body: str | None
    request_id: str | None


def told(heard: Heard) -> Told:
    """What may be kept of it."""
    asked = _decoded(heard.request_body)
    answer = _decoded(heard.answer_body)
    query = _query(heard.query)
    # Whoever's words a sentence might repeat, where all of them are known.
    is_known = heard.method == "GET" or heard.request_body is not None
    spoken = _spoken(heard, asked, query) if is_known and heard.status >= 400 else None  # noqa: PLR2004  the first refusal
    kept = _Redaction(None).kept("", asked)
    kept_answer = _Redaction(spoken).kept("", answer)
    return Told(
        path=kept_path(heard.route, heard.path_params),
        query=msgspec.json.encode(_Redaction(None).kept("", query)).decode(),
        request_body=_text(kept) if asked is not None else None,
        answer_body=_text(kept_answer) if answer is not None else None,
        # In the answer alone where it came by the header `Idempotency-Key`.
        request_id=_request_id(kept) or _request_id(kept_answer),
    )


def bare(heard: Heard) -> Told:
    """What may be kept of a request that nobody can read."""
    path = kept_path(heard.route, heard.path_params)
    return Told(path=path, query="{}", request_body=None, answer_body=None, request_id=None)


def kept_path(route: str, path_params: Mapping[str, object]) -> str:
    """The path as it was asked for, but for what is no id and no word of ours."""
    path = route
    for name, value in path_params.items():
        text = str(value)
        is_ours = _ID.fullmatch(text.lower()) or text in our_words()
        path = path.replace(f"{{{name}}}", text if is_ours else REDACTED)
    return path


def _query(query: bytes) -> dict[str, str]:
    """The parameters; nothing of a query that has absurdly many."""
    try:
        return dict(
            parse_qsl(
                query.decode("latin-1"), keep_blank_values=True, max_num_fields=_PARAMETERS_MAX
            )
        )
    except ValueError:
        return {}


class _Redaction:
    """Of one body; `spoken` are the words that no sentence may repeat, None: no sentence at all."""

    def __init__(self, spoken: frozenset[str] | None) -> None:
        self._spoken = spoken
        self._values = 0

    def kept(self, name: str, value: Any, *, depth: int = 0) -> Any:
        """`value` as the member `name` may show it."""
        self._values += 1
        match value:
            case None | "":
                return value
            case _ if depth > _DEPTH_MAX or self._values > _VALUES_MAX:
                return REDACTED
            case dict():
                return self._members(name, cast("dict[str, Any]", value), depth)
            case list():
                elements = cast("list[Any]", value)
                room = max(0, _VALUES_MAX - self._values)
                return [self.kept(name, each, depth=depth + 1) for each in elements[:room]]
            case _:
                return self._scalar(name, value)

    def _members(self, name: str, members: dict[str, Any], depth: int) -> Any:
        if name in _OPAQUE_NAMES:
            return REDACTED
        found: dict[str, Any] = {}
        for key, value in members.items():
            if key in our_names() or key in our_words():
                found[key] = self.kept(key, value, depth=depth + 1)
            else:
                found[REDACTED] = REDACTED
        return found

    def _scalar(self, name: str, value: Any) -> Any:
        if name in _SENTENCE_NAMES and isinstance(value, str):
            return _without(value, self._spoken) if self._spoken is not None else REDACTED
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
        # A number that names an error, and a word that does in reporting.
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
    """The name of every member of every struct, requests and replies among them.

    Those of queries are in the lists above.
    """
    structs = [each for each in _heirs(msgspec.Struct) if _is_of_ours(each)]
    members = {name for struct in structs for name in struct.__struct_encode_fields__}
    told = _ID_NAMES | _AMOUNT_NAMES | _WORD_NAMES | _MOMENT_NAMES | _CLAIM_NAMES
    return told | members


@cache
def our_words() -> frozenset[str]:
    """Every word that the interface speaks: statuses, types, chains, currencies, errors."""
    enums = [each for each in _heirs(StrEnum) if _is_of_ours(each)]
    structs = [each.__struct_config__.tag for each in _heirs(WireStruct)]
    coins = {each.asset.currency for each in tokens.TOKENS.values()}
    fiat = set(currencies.FIAT)
    told = _MORE_WORDS | {str(member) for each in enums for member in each}
    told |= {str(tag) for tag in structs if tag is not None}
    told |= coins | fiat | {each.upper() for each in coins | fiat}
    told |= {each.name for each in _heirs(Refused) if hasattr(each, "name")}
    return frozenset(told)


def _is_of_ours(each: type[Any]) -> bool:
    return each.__module__.startswith("landbridge.")


def _heirs(of: type[T]) -> Iterator[type[T]]:
    """Every class below this one."""
    for each in of.__subclasses__():
        yield each
        yield from _heirs(each)


def _spoken(heard: Heard, asked: Any, query: Mapping[str, str]) -> frozenset[str]:
    """All words of a request but those of its route, also as they are written in it."""
    texts: list[str] = [
        *map(str, heard.path_params.values()),
        *query,
        *query.values(),
        *_texts(asked),
    ]
    if heard.request_body is not None:
        texts.append(heard.request_body.decode(errors="replace"))
    texts += [value.decode("latin-1") for name, value in heard.headers if name in _QUOTED_HEADERS]
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


def _without(sentence: str, spoken: frozenset[str]) -> str:
    """The sentence without words that are in the request, but for ids and names of ours.

    A word that was cut short is compared by its beginning.
    """

    def kept(piece: re.Match[str]) -> str:
        text = piece[0]
        if text in our_names() or text in our_words() or _is_id(text):
            return text
        is_cut = sentence[piece.end() : piece.end() + 1] == "…"
        word = text.casefold()
        is_spoken = word in spoken or (is_cut and any(each.startswith(word) for each in spoken))
        is_plain = text.isascii() and (text.isalpha() or _SMALL.fullmatch(text) is not None)
        return text if is_plain and not is_spoken else REDACTED

    return _PIECE.sub(kept, sentence)


def _decoded(body: bytes | None) -> Any:
    """What the JSON says; None where it is none."""
    if not body:
        return None
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None


def _text(kept: Any) -> str:
    text = msgspec.json.encode(kept).decode()
    return text if len(text) <= _BODY_LENGTH_MAX else f'"{REDACTED}"'


def _request_id(kept: Any) -> str | None:
    """The id by which the caller's request is known, out of a body that was redacted."""
    if not isinstance(kept, dict):
        return None
    members = cast("dict[str, Any]", kept)
    if "transferDetails" in members:
        return _request_id(members["transferDetails"])
    found = members.get("requestId") or members.get("idempotencyKey")
    return found if isinstance(found, str) and len(found) == 36 and _is_id(found) else None  # noqa: PLR2004  a UUID
