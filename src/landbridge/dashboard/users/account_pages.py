"""Bank accounts of a user, for payouts and pay-ins."""

import asyncio
from collections.abc import Mapping

from litestar import Controller, Response, get, post
from litestar.params import FromPath
from msgspec import to_builtins

from landbridge.customers.bank_accounts.schemas import (
    AccountReply,
    AccountStatusReply,
    BankAccountPageReply,
    bank_of,
)
from landbridge.customers.bank_accounts.types import BY_TYPE
from landbridge.customers.users.api import UserDetailsReply
from landbridge.dashboard.countries import countries, country_name
from landbridge.dashboard.list_queries import PAGE_SIZE, load_list, read_list_query
from landbridge.dashboard.page_request import Page, PageRequest, new_request_id, read_form, redirect
from landbridge.dashboard.page_visitor import check_may_edit
from landbridge.dashboard.users.account_forms import HOLDER, account_body, account_form
from landbridge.dashboard.users.account_labels import (
    HOLDER_LABELS,
    RAMP_LABELS,
    choice_label,
    field_label,
    type_label,
)
from landbridge.dashboard.users.nested_fields import flatten, submitted_values
from landbridge.dashboard.users.page_context import page_path, user_context, user_path
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.internal_client import InternalClient

_FILTERS = ("rail", "type", "currency")
# Details that are codes of countries.
_COUNTRIES = frozenset({"country", "bankCountry"})


class AccountPages(Controller):
    """`/dashboard/users/{userId}/accounts`."""

    path = "/users/{user_id:str}/accounts"

    @get("/")
    async def page(self, request: PageRequest, user_id: FromPath[str]) -> Response[str]:
        """List accounts, newest first, including deleted ones; account numbers are masked."""
        values, query = (
            await user_context(request.interface, user_id),
            read_list_query(request, *_FILTERS),
        )
        path = f"{user_path(user_id)}/accounts"
        found, filter_error = await load_list(
            request.interface.read(
                BankAccountPageReply, path, **query.filters, cursor=query.cursor, limit=PAGE_SIZE
            ),
            BankAccountPageReply(count=0, banks=[]),
        )
        is_full = len(found.banks) == PAGE_SIZE
        return request.page(
            "users/accounts.html",
            **values,
            accounts=found.banks,
            older=query.older(found.next_cursor if is_full else None),
            newest=query.newest,
            list_query=query,
            types=_types(),
            ramp_labels=RAMP_LABELS,
            type_label=type_label,
            filter_error=filter_error,
        )

    @get("/new")
    async def new(self, request: PageRequest, user_id: FromPath[str]) -> Response[str]:
        """Show the form for the chosen account type; the user is the default account holder."""
        check_may_edit(request.user)
        values = await user_context(request.interface, user_id)
        submitted = dict(request.query_params)
        submitted.setdefault("holder", values["user"].type)
        known = await request.interface.read(UserDetailsReply, f"{user_path(user_id)}/particulars")
        submitted |= flatten(to_builtins(known.address), f"{HOLDER}.address")
        submitted |= {f"{HOLDER}.name": values["user"].name, "requestId": new_request_id()}
        return request.page("users/account_new.html", **values, **_form(request, submitted))

    @post("/new")
    async def create(self, request: PageRequest, user_id: FromPath[str]) -> Page:
        """Add the account; a number that fails its check is stored as rejected, with a reason."""
        submitted = submitted_values(await read_form(request))
        path = f"{user_path(user_id)}/accounts"
        try:
            created = await request.interface.submit(
                AccountStatusReply, path, account_body(account_form(submitted), submitted)
            )
        except Refused as problem:
            values = await user_context(request.interface, user_id)
            return request.with_problem(
                "users/account_new.html", problem, **values, **_form(request, submitted)
            )
        is_good = created.status == "ACTIVE"
        message = _("Account added") if is_good else _("Account added. Check its status.")
        return redirect(f"{page_path(user_id)}/accounts/{created.id}", notice=message)

    @get("/{account_id:str}")
    async def show(
        self, request: PageRequest, user_id: FromPath[str], account_id: FromPath[str]
    ) -> Response[str]:
        """Show an account with all its details."""
        values = await _account(request.interface, user_id, account_id, request.user.language)
        return request.page("users/account.html", **values)

    @post("/{account_id:str}/delete")
    async def delete(
        self, request: PageRequest, user_id: FromPath[str], account_id: FromPath[str]
    ) -> Page:
        """Delete the account permanently."""
        try:
            await request.interface.delete(f"{user_path(user_id)}/accounts/{account_id}")
        except Refused as problem:
            values = await _account(request.interface, user_id, account_id, request.user.language)
            return request.with_problem("users/account.html", problem, **values)
        return redirect(f"{page_path(user_id)}/accounts", notice=_("Account deleted"))


async def _account(
    interface: InternalClient, user_id: str, account_id: str, language: str
) -> dict[str, object]:
    values, account = await asyncio.gather(
        user_context(interface, user_id),
        interface.read(AccountReply, f"{user_path(user_id)}/accounts/{account_id}"),
    )
    return values | {
        "account": account,
        "holder": _details(to_builtins(account.account_holder), language),
        "bank": _details(bank_of(account), language),
        "type_label": type_label,
        "ramp_labels": RAMP_LABELS,
    }


def _details(details: object, language: str) -> list[tuple[str, str, str | None]]:
    """Return label, value and value label of each detail, in the order of the API."""
    return [
        (
            field_label(path.rpartition(".")[2]),
            value,
            country_name(value, language)
            if path.rpartition(".")[2] in _COUNTRIES
            else choice_label(path, value),
        )
        for path, value in flatten(details).items()
    ]


def _form(request: PageRequest, submitted: Mapping[str, str]) -> dict[str, object]:
    return {
        "form": account_form(submitted),
        "form_values": submitted,
        "kinds": [(f"{name}:{ramp}", type_label(name), ramp.value) for name, ramp in BY_TYPE],
        "ramp_labels": RAMP_LABELS,
        "holder_labels": HOLDER_LABELS,
        "field_label": field_label,
        "choice_label": choice_label,
        "countries": countries(request.user.language),
    }


def _types() -> list[str]:
    return list(dict.fromkeys(name for name, _ramp in BY_TYPE))
