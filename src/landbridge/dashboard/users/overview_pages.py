"""Overview of a user, and actions on the user: edit, freeze, erase.

At the end, profile forms are converted to bodies of the API and back: name, date of birth,
address, owners.
"""

import asyncio
from collections.abc import Mapping, Sequence

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from msgspec import to_builtins

from landbridge.customers.bank_accounts.schemas import BankAccountPageReply
from landbridge.customers.users.api import UserDetailsReply
from landbridge.customers.users.model import UserType
from landbridge.customers.users.schemas import UserReply
from landbridge.customers.users.validation import OWNERS_MAX
from landbridge.customers.verification.api import ListedStatus
from landbridge.dashboard.compliance.kyc_data import RAIL_LABELS
from landbridge.dashboard.countries import countries
from landbridge.dashboard.json_text import JsonObject, JsonValue
from landbridge.dashboard.page_request import Page, PageRequest, parse_integer, read_form, redirect
from landbridge.dashboard.page_visitor import check_is_admin, check_may_edit
from landbridge.dashboard.payment_lines import read_lines
from landbridge.dashboard.usd_values import total_usd
from landbridge.dashboard.users.account_labels import type_label
from landbridge.dashboard.users.balances import CoinBalance, load_balances
from landbridge.dashboard.users.nested_fields import flatten, nest, submitted_values
from landbridge.dashboard.users.page_context import page_path, user_context, user_path
from landbridge.payments.transactions.model import CURRENCIES
from landbridge.payments.virtual_accounts.schemas import VirtualAccountPageReply
from landbridge.platform.core.errors import FieldInvalid, Refused
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.internal_client import InternalClient
from landbridge.providers.rates.valuation import Valuation

_ERASE = f"{page_path('{user_id}')}/erase"
_ITEMS_MAX = 5
_RAILS_MAX = 100


class UserPages(Controller):
    """`/dashboard/users/{userId}`."""

    path = "/users/{user_id:str}"

    @get("/")
    async def show(
        self, request: PageRequest, user_id: FromPath[str], valuation: NamedDependency[Valuation]
    ) -> Response[str]:
        """Show details, verification status, balances and recent payments."""
        balances, values = await _overview_values(request.interface, user_id)
        rates = await valuation.rates(CURRENCIES, request.now().date())
        balance_usd = total_usd(((each.total, each.currency) for each in balances), rates)
        values |= {"usd_rates": rates, "balance_usd": balance_usd}
        return request.page("users/overview.html", **values)

    @post("/freeze")
    async def freeze(self, request: PageRequest, user_id: FromPath[str]) -> Page:
        """Freeze the user: no new movement of funds."""
        form = await read_form(request)
        try:
            await request.interface.post(
                f"{user_path(user_id)}/freeze", {"reason": form.maybe("reason")}
            )
        except Refused as problem:
            _balances, values = await _overview_values(request.interface, user_id)
            return request.with_problem(
                "users/overview.html", problem, **values | {"reason": form.text("reason")}
            )
        return redirect(page_path(user_id), notice=_("User frozen"))

    @post("/unfreeze")
    async def unfreeze(self, request: PageRequest, user_id: FromPath[str]) -> Page:
        """Unfreeze the user: funds may move again."""
        try:
            await request.interface.post(f"{user_path(user_id)}/unfreeze")
        except Refused as problem:
            _balances, values = await _overview_values(request.interface, user_id)
            return request.with_problem("users/overview.html", problem, **values)
        return redirect(page_path(user_id), notice=_("User unfrozen"))

    @get("/edit")
    async def edit_form(self, request: PageRequest, user_id: FromPath[str]) -> Response[str]:
        """Show the form with the current details."""
        check_may_edit(request.user)
        return request.page("users/edit.html", **await _edit_values(request, user_id, None))

    @post("/edit")
    async def edit(self, request: PageRequest, user_id: FromPath[str]) -> Page:
        """Save changed fields; empty fields stay unchanged."""
        submitted = submitted_values(form := await read_form(request))
        if form.text("do") == "owner":
            submitted["owners"] = str(min(owner_count(submitted) + 1, OWNERS_SHOWN_MAX))
            values = await _edit_values(request, user_id, submitted)
            return request.page("users/edit.html", **values)
        current = await _particulars(request.interface, user_id)
        body = changed_fields(particulars_body(submitted, current.type), to_builtins(current))
        try:
            await request.interface.post(user_path(user_id), body)
        except Refused as problem:
            values = await _edit_values(request, user_id, submitted)
            return request.with_problem("users/edit.html", problem, **values)
        return redirect(page_path(user_id), notice=_("Changes saved"))

    @get("/erase", fresh=_ERASE)
    async def erase_form(self, request: PageRequest, user_id: FromPath[str]) -> Response[str]:
        """Explain what erasing does and what must happen before."""
        check_is_admin(request.user)
        return request.page("users/erase.html", **await _erase_values(request.interface, user_id))

    @post("/erase", fresh=_ERASE)
    async def erase(self, request: PageRequest, user_id: FromPath[str]) -> Page:
        """Erase personal data permanently, after the user's e-mail was entered to confirm."""
        form = await read_form(request)
        email = (await request.interface.read(UserReply, user_path(user_id))).email
        try:
            if form.text("email").casefold() != email.casefold():
                raise FieldInvalid("This does not match the user's e-mail.", field="email")
            await request.interface.delete(f"{user_path(user_id)}/personal-data")
        except Refused as problem:
            values = await _erase_values(request.interface, user_id)
            return request.with_problem(
                "users/erase.html", problem, **values | {"email": form.text("email")}
            )
        return redirect(page_path(user_id), notice=_("Personal data erased"))


async def _overview_values(
    interface: InternalClient, user_id: str
) -> tuple[Sequence[CoinBalance], dict[str, object]]:
    """Return the balances that are not zero, and the values of the page."""
    values = await user_context(interface, user_id)
    path = user_path(user_id)
    particulars, rails, balances, accounts, virtual, payments = await asyncio.gather(
        _particulars(interface, user_id),
        interface.read(list[ListedStatus], "/v2/kyc/status", userId=user_id, limit=_RAILS_MAX),
        load_balances(interface, values["user"]),
        interface.read(BankAccountPageReply, f"{path}/accounts", limit=_ITEMS_MAX),
        interface.read(VirtualAccountPageReply, f"{path}/virtual-accounts", limit=_ITEMS_MAX),
        read_lines(interface, userId=user_id, limit=_ITEMS_MAX),
    )
    balances = [each for each in balances if each.total]
    return balances, values | {
        "particulars": particulars,
        "rails": rails,
        "balances": balances,
        "accounts": accounts.banks,
        "virtual_accounts": virtual.data,
        "payments": payments.data,
        "balance_usd": None,
        "reason": "",
        "type_label": type_label,
        "rail_labels": RAIL_LABELS,
    }


async def _edit_values(
    request: PageRequest, user_id: str, submitted: Mapping[str, str] | None
) -> dict[str, object]:
    values = await user_context(request.interface, user_id)
    current = await _particulars(request.interface, user_id)
    owners = {"owners": str(len(current.ultimate_beneficial_owners))}
    form_values = flatten(to_builtins(current)) | owners if submitted is None else submitted
    return values | {
        "form_values": form_values,
        "owners": owner_count(form_values),
        "owners_max": OWNERS_SHOWN_MAX,
        "countries": countries(request.user.language),
        "particulars": current,
    }


async def _particulars(interface: InternalClient, user_id: str) -> UserDetailsReply:
    return await interface.read(UserDetailsReply, f"{user_path(user_id)}/particulars")


async def _erase_values(interface: InternalClient, user_id: str) -> dict[str, object]:
    values = await user_context(interface, user_id)
    balances, particulars = await asyncio.gather(
        load_balances(interface, values["user"]),
        _particulars(interface, user_id),
    )
    return values | {
        "balances": [each for each in balances if each.total],
        "particulars": particulars,
        "email": "",
    }


_OWNERS = "ultimateBeneficialOwners"
OWNERS_SHOWN_MAX = OWNERS_MAX
_COMMON = ("email", "address", "ipAddress")
_FIELDS_BY_TYPE = {
    UserType.INDIVIDUAL: ("firstName", "lastName", "dateOfBirth"),
    UserType.BUSINESS: ("businessName", _OWNERS),
}
_CHECKBOXES = ("hasControl", "isSigner")


def particulars_body(submitted: Mapping[str, str], type_: str) -> JsonObject:
    """Return the body for a user of this type; empty fields are left out."""
    body = nest(submitted, *_COMMON, *_FIELDS_BY_TYPE[UserType(type_)])
    owners = body.get(_OWNERS)
    if isinstance(owners, list):
        body[_OWNERS] = [
            {**each, **{name: bool(each.get(name)) for name in _CHECKBOXES}}
            for each in owners
            if isinstance(each, dict)
        ]
    elif owners is not None:
        del body[_OWNERS]
    return body


def owner_count(submitted: Mapping[str, str]) -> int:
    """Return the number of owners to show; 1 if the submitted number is invalid."""
    try:
        return parse_integer(
            submitted.get("owners", ""), "owners", minimum=1, maximum=OWNERS_SHOWN_MAX
        )
    except FieldInvalid:
        return 1


def changed_fields(submitted: JsonObject, current: JsonObject) -> JsonObject:
    """Return the fields that differ from the current ones."""
    return {
        name: value
        for name, value in submitted.items()
        if value != _without_nulls(current.get(name))
    }


def _without_nulls(value: JsonValue) -> JsonValue:
    """Return an object without its null fields, which forms do not have."""
    if not isinstance(value, Mapping):
        return value
    return {name: each for name, each in value.items() if each is not None}
