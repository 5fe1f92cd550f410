"""Messages of the Travel Rule Protocol (TRP), version 3: reading and writing.

Source: the stored implementation and documentation of TRISA (pkg/openvasp/trp/v3, "TRP Bridge"),
which follow the specification of the OpenVASP Association. docs/reference/trp.md lists what could
not be confirmed.
"""

from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any, Final, TypeVar, cast

import msgspec

from landbridge.platform.core.errors import FieldInvalid
from landbridge.providers.trp.port import (
    InquiryAnswer,
    InquiryResolution,
    TransferConfirmation,
    TransferInquiry,
)

T = TypeVar("T")

API_VERSION: Final = "3.2.1"
VERSION_HEADER: Final = "api-version"
KEY_HEADER: Final = "request-identifier"
# Upper bound of amounts: the ledger has 38 digits, and no asset here more than 18 decimals.
_AMOUNT_END: Final = Decimal(10) ** 38
_EXPONENT_MIN: Final = -18
_TOKEN_LENGTH_MAX: Final = 100
_ADDRESS_LENGTH_MAX: Final = 100
_KEY_LENGTH_MAX: Final = 100
_HASH_LENGTH_MAX: Final = 200
_COMMENT_LENGTH_MAX: Final = 1_000
# Maximum depth of IVMS101, in which a person is eight levels deep. Deeper data could be stored but
# not decoded later, because the possible depth depends on the caller's stack.
_DEPTH_MAX: Final = 16
_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")


class AssetMessage(msgspec.Struct, frozen=True):
    """Asset: a digital token identifier, or a coin type of SLIP-0044."""

    dti: str | None = None
    slip0044: int | None = None


class InquiryMessage(msgspec.Struct, frozen=True):
    """Inquiry. `ivms101` is not validated here: the code that uses its members validates them."""

    asset: AssetMessage
    amount: Decimal
    callback: str
    ivms101: dict[str, Any] = msgspec.field(name="IVMS101")


class ApprovalMessage(msgspec.Struct, frozen=True):
    """Approval, with the address to pay to and the URL for the confirmation."""

    address: str
    callback: str


class ResolutionMessage(msgspec.Struct, frozen=True):
    """Answer to an inquiry, with exactly one of its members."""

    version: str | None = None
    approved: ApprovalMessage | None = None
    rejected: str | None = None


class ConfirmationMessage(msgspec.Struct, frozen=True):
    """Result of a transfer, with exactly one of its members."""

    txid: str | None = None
    canceled: str | None = None


class _AccountsData(msgspec.Struct, frozen=True):
    accounts: list[str] = msgspec.field(name="accountNumber", default=[])


class _BeneficiaryData(msgspec.Struct, frozen=True):
    beneficiary: _AccountsData = _AccountsData()


def write_inquiry(inquiry: TransferInquiry) -> bytes:
    """Return the body of an inquiry, which is the same for the same inquiry."""
    return _ENCODER.encode(
        {
            "asset": {"dti": inquiry.token},
            "amount": inquiry.amount,
            "callback": inquiry.callback,
            "IVMS101": inquiry.ivms101,
        }
    )


def write_resolution(resolution: InquiryResolution) -> bytes:
    """Return the body of an answer to an inquiry."""
    match resolution.answer:
        case InquiryAnswer.PENDING:
            body: dict[str, Any] = {"version": API_VERSION}
        case InquiryAnswer.APPROVED:
            approved = {"address": resolution.address, "callback": resolution.callback}
            body = {"approved": approved}
        case InquiryAnswer.REJECTED:
            body = {"rejected": resolution.comment or "rejected"}
    return _ENCODER.encode(body)


def write_confirmation(confirmation: TransferConfirmation) -> bytes:
    """Return the body of a confirmation."""
    if confirmation.transaction_hash is None:
        return _ENCODER.encode({"canceled": "the transfer was not sent"})
    return _ENCODER.encode({"txid": confirmation.transaction_hash})


def read_inquiry(body: bytes) -> InquiryMessage:
    """Parse an inquiry. Raises `FieldInvalid`, naming the member."""
    found = _decode(body, InquiryMessage)
    amount = found.amount
    exponent = amount.as_tuple().exponent
    is_finite = isinstance(exponent, int) and exponent >= _EXPONENT_MIN
    if not is_finite or not 0 < amount < _AMOUNT_END:
        raise FieldInvalid("amount must be positive, with at most 38 digits", field="amount")
    dti = found.asset.dti
    if dti is not None and not _is_line(dti, _TOKEN_LENGTH_MAX):
        raise FieldInvalid("dti must be ASCII, with at most 100 characters", field="asset")
    check_depth(found.ivms101)
    if dti is None and found.asset.slip0044 is None:
        raise FieldInvalid("asset must have dti or slip0044", field="asset")
    return found


def read_resolution(body: bytes) -> InquiryResolution:
    """Parse an answer to an inquiry. Raises `FieldInvalid` unless it has exactly one meaning."""
    found = _decode(body, ResolutionMessage)
    _check_one("resolution", found.version, found.approved, found.rejected)
    if found.approved is not None:
        if not _is_line(found.approved.address, _ADDRESS_LENGTH_MAX):
            raise FieldInvalid(
                "address must be ASCII, with at most 100 characters", field="address"
            )
        return InquiryResolution(
            answer=InquiryAnswer.APPROVED,
            address=found.approved.address,
            callback=found.approved.callback,
        )
    if found.rejected is not None:
        return InquiryResolution(
            answer=InquiryAnswer.REJECTED, comment=found.rejected[:_COMMENT_LENGTH_MAX]
        )
    return InquiryResolution(answer=InquiryAnswer.PENDING)


def read_confirmation(body: bytes) -> TransferConfirmation:
    """Parse the confirmation of a transfer. Raises `FieldInvalid`."""
    found = _decode(body, ConfirmationMessage)
    _check_one("confirmation", found.txid, found.canceled)
    if found.txid is not None and not _is_line(found.txid, _HASH_LENGTH_MAX):
        raise FieldInvalid("txid must be ASCII, with at most 200 characters", field="txid")
    return TransferConfirmation(transaction_hash=found.txid)


def beneficiary_wallet(message: Mapping[str, Any]) -> str | None:
    """Return the wallet to pay: the beneficiary's only account number; None unless there is one."""
    try:
        accounts = msgspec.convert(message, _BeneficiaryData).beneficiary.accounts
    except msgspec.ValidationError:
        return None
    if len(accounts) != 1 or not _is_line(accounts[0], _ADDRESS_LENGTH_MAX):
        return None
    return accounts[0]


def headers(key: str) -> dict[str, str]:
    """Return the headers of a message that carries our key."""
    return {
        "content-type": "application/json",
        "accept": "application/json",
        VERSION_HEADER: API_VERSION,
        KEY_HEADER: key,
    }


def check_headers(values: Mapping[str, str]) -> str:
    """Return the request identifier in the headers of a message. Raises `FieldInvalid`.

    Names are in lower case. Another major version of the protocol is refused.
    """
    version = values.get(VERSION_HEADER, "")
    if version.partition(".")[0] != API_VERSION.partition(".")[0]:
        raise FieldInvalid(f"{VERSION_HEADER} must be 3, as in {API_VERSION}", field=VERSION_HEADER)
    key = values.get(KEY_HEADER, "")
    if not _is_line(key, _KEY_LENGTH_MAX):
        raise FieldInvalid(
            f"{KEY_HEADER} must have from 1 to 100 printable characters", field=KEY_HEADER
        )
    if values.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise FieldInvalid("content-type must be application/json", field="content-type")
    return key


def _is_line(text: str, length_max: int) -> bool:
    """Return whether a text is printable ASCII of this length, which a database can store."""
    return 0 < len(text) <= length_max and text.isascii() and text.isprintable()


def check_depth(message: Mapping[str, Any]) -> None:
    """Raise `FieldInvalid` for IVMS101 data that are nested too deeply to be decoded again."""
    level: list[Any] = [message]
    for _ in range(_DEPTH_MAX):
        level = [child for each in level for child in _children(each)]
    if any(isinstance(each, dict | list) for each in level):
        raise FieldInvalid("IVMS101 must have at most 16 levels", field="IVMS101")


def _children(value: Any) -> Collection[Any]:
    match value:
        case dict():
            return cast("dict[str, Any]", value).values()
        case list():
            return cast("list[Any]", value)
        case _:
            return ()


def _check_one(name: str, *members: object) -> None:
    if sum(each is not None for each in members) != 1:
        raise FieldInvalid(f"a {name} has exactly one member", field=name)


def _decode(body: bytes, type_: type[T]) -> T:
    """Decode a message. Raises `FieldInvalid` with a text that has nothing of the body."""
    try:
        return msgspec.json.decode(body, type=type_)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise FieldInvalid(
            "the body must be the JSON of a message of the Travel Rule Protocol", field="body"
        ) from None
