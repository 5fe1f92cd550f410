"""Request and response schemas of accounts; bank objects are generated from the tables.

A struct per type, for the OpenAPI document; `parsing.py` validates the content, because the tables
are more precise than a type can be.
"""

from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias
from uuid import UUID

import msgspec
from litestar.params import BodyKwarg

from landbridge.customers.bank_accounts.field_tables import (
    AccountField,
    AddressField,
    ChoiceField,
    DependentChoiceField,
    DependentNumberField,
    PastDateField,
    Ramp,
    TextField,
)
from landbridge.customers.bank_accounts.model import BankAccount
from landbridge.customers.bank_accounts.types import NAMES, TABLES
from landbridge.customers.bank_accounts.types.holders import ID_TYPES
from landbridge.customers.users.model import UserType
from landbridge.platform.formats.addresses import Address
from landbridge.platform.formats.bank_numbers import BankNumber
from landbridge.platform.formats.schemas import (
    CountryText,
    EmailText,
    LineText,
    NameText,
    PhoneText,
)
from landbridge.platform.http.constraints import with_schema
from landbridge.platform.http.responses import Moment, WireStruct, moment, or_unset, reply_of
from landbridge.platform.metadata.model import Metadata


class AccountHolder(WireStruct, frozen=True, omit_defaults=True):
    """Holder of an account; the required members depend on the type of account."""

    type: Annotated[str, BodyKwarg(schema_extra={"enum": [*UserType]})] | None = None
    name: NameText | None = None
    email: EmailText | None = None
    phone: PhoneText | None = None
    address: Address | None = None
    id_type: Annotated[str, BodyKwarg(schema_extra={"enum": [*ID_TYPES.values]})] | None = None
    id_number: LineText | None = None
    nationality: CountryText | None = None
    date_of_birth: date | None = None
    formation_date: date | None = None


class RailReply(WireStruct, frozen=True):
    """Currency of an account, its ramp, and its payment method."""

    currency: str
    rail_type: str
    payment_rail: str | None


class NewAccountHead(WireStruct, frozen=True):
    """New account. The member named like `type` holds the bank data, and no other does.

    `requestId` is an optional extension of the contract: the same id with the same body creates one
    account.
    """

    rail: Ramp
    type: Annotated[str, BodyKwarg(schema_extra={"enum": [*NAMES]})]
    account_holder: AccountHolder | None = None
    request_id: UUID | None = None
    metadata: Metadata | None = None


class AccountReplyHead(WireStruct, frozen=True, omit_defaults=True):
    """Bank account; the field named after its `type` holds the bank data.

    `isValid` is true while the account is usable. Otherwise, `reason` states why it is not.
    `status`, `type` and `metadata` are extensions of the contract.
    """

    id: UUID
    user_id: UUID
    type: str
    status: str
    created_at: Moment
    updated_at: Moment
    account_holder: AccountHolder | None
    rail: RailReply
    is_valid: bool
    reason: str | None
    invalid_fields: list[str]
    metadata: dict[str, str] | msgspec.UnsetType = msgspec.UNSET


def _annotation(field: AccountField) -> Any:
    match field.kind:
        case AddressField():
            return Address
        case PastDateField():
            return date
        case ChoiceField(values) | DependentChoiceField(all=values):
            # The document lists the values as an enum; parsing accepts them in any letter case.
            return Annotated[str, BodyKwarg(schema_extra={"enum": [*values]})]
        case TextField(form=keywords) | BankNumber(form=keywords):
            return Annotated[str, with_schema(keywords)]
        case DependentNumberField(numbers=numbers):
            # The value of another member determines which of these forms applies.
            forms = [each.form for each in numbers.values()]
            return Annotated[str, with_schema({"type": "string", "anyOf": forms})]


def _bank_struct(name: str) -> Any:
    """Return the bank object of a type: the union of its tables' members, all optional."""
    fields = {field.name: field for table in TABLES if table.name == name for field in table.fields}
    return msgspec.defstruct(
        f"{name[:1].upper()}{name[1:]}Bank",
        [(field.name, _annotation(field) | None, None) for field in fields.values()],
        module=__name__,
        namespace={"__doc__": f"The bank data of an account of type `{name}`."},
        frozen=True,
        kw_only=True,
        omit_defaults=True,
    )


_BANKS: list[tuple[str, Any, None]] = [(name, _bank_struct(name) | None, None) for name in NAMES]


def _with_banks(name: str, head: type[msgspec.Struct]) -> Any:
    return msgspec.defstruct(
        name,
        _BANKS,
        bases=(head,),
        module=__name__,
        namespace={"__doc__": head.__doc__},
        frozen=True,
        kw_only=True,
    )


if TYPE_CHECKING:
    NewAccount: TypeAlias = NewAccountHead
    AccountReply: TypeAlias = AccountReplyHead
else:
    NewAccount = _with_banks("NewAccount", NewAccountHead)
    AccountReply = _with_banks("AccountReply", AccountReplyHead)


def bank_of(account: AccountReply) -> dict[str, str | dict[str, str]]:
    """Return the bank data of an account by the members' names; none once it was erased."""
    return msgspec.to_builtins(getattr(account, account.type)) or {}


class AccountStatusReply(WireStruct, frozen=True):
    """Status of an account; `invalidFields` names the inconsistent numbers."""

    id: UUID
    status: str
    message: str
    invalid_fields: list[str]


class ListedAccount(WireStruct, frozen=True, kw_only=True):
    """Account in a list, flat; its number is masked. `type` is an extension of the contract."""

    account_id: UUID
    user_id: UUID
    created_at: Moment
    status: str
    type: str
    account_type: str | None
    business_identifier_code: str | msgspec.UnsetType = msgspec.UNSET
    account_number: str | None
    routing_number: str | None
    account_holder_name: str | None
    account_holder_city: str | None
    account_holder_country: str | None
    account_holder_street_line1: str | None
    account_holder_state_province_region: str | None
    account_holder_postal_code: str | None
    bank_name: str | None
    bank_country: str | None
    rail: RailReply
    metadata: dict[str, str] | msgspec.UnsetType = msgspec.UNSET


class BankAccountPageReply(WireStruct, frozen=True):
    """Page of accounts, newest first; pass `nextCursor` as `createdBefore`."""

    count: int
    banks: list[ListedAccount]
    next_cursor: Moment | msgspec.UnsetType = msgspec.UNSET


def account_reply(account: BankAccount) -> AccountReply:
    """Return an account with its full number."""
    bank: dict[str, Any] = {account.type: account.bank} if account.secret else {}
    holder = account.holder
    return AccountReply(
        id=account.id,
        user_id=account.user_id,
        type=account.type,
        status=account.status,
        created_at=moment(account.created_at),
        updated_at=moment(account.updated_at),
        account_holder=None if holder is None else msgspec.convert(holder, AccountHolder),
        rail=rail_reply(account),
        is_valid=account.reason is None,
        reason=account.reason,
        invalid_fields=account.invalid_fields,
        metadata=account.metadata or msgspec.UNSET,
        **bank,
    )


def rail_reply(account: BankAccount) -> RailReply:
    """Return the rail of an account."""
    return RailReply(
        currency=account.currency, rail_type=account.ramp, payment_rail=account.payment_rail
    )


def listed(account: BankAccount) -> ListedAccount:
    """Return an account as an element of a list, with a masked number."""
    bank, holder = account.bank, account.holder or {}
    address: dict[str, str] = holder.get("address", {})
    return reply_of(
        account,
        ListedAccount,
        account_id=account.id,
        account_type=bank.get("accountType"),
        business_identifier_code=or_unset(bank.get("swiftCode")),
        account_number=account.number,
        routing_number=bank.get("routingNumber"),
        account_holder_name=holder.get("name"),
        account_holder_city=address.get("city"),
        account_holder_country=address.get("country"),
        account_holder_street_line1=address.get("addressLine1"),
        account_holder_state_province_region=address.get("stateProvinceRegion"),
        account_holder_postal_code=address.get("postalCode"),
        rail=rail_reply(account),
        metadata=account.metadata or msgspec.UNSET,
    )


_USABLE = "The account can be used."
# The ACTIVE message is for accounts with a `reason`: their data lack what a payment requires.
_MESSAGES = {
    "ACTIVE": "The account can't be used: {reason}. Delete it, and add it anew with that.",
    "PENDING": "The account is being reviewed.",
    "REJECTED": "The account can't be used: {reason}.",
    "INACTIVE": "The account was deleted and can't be used any more.",
}


def status_reply(account: BankAccount) -> AccountStatusReply:
    """Return the status of an account with a sentence."""
    reason = account.reason
    message = _MESSAGES[account.status].format(reason=reason) if reason else _USABLE
    return reply_of(account, AccountStatusReply, message=message)
