"""Virtual accounts of a user: bank details whose deposits are converted to stablecoins."""

import asyncio
from collections.abc import Awaitable, Mapping

from litestar import Controller, Response, get, post
from litestar.params import FromPath

from landbridge.customers.users.wallet_api import ExternalWalletPage
from landbridge.dashboard.list_queries import PAGE_SIZE, read_list_query
from landbridge.dashboard.page_request import Page, PageRequest, new_request_id, read_form, redirect
from landbridge.dashboard.page_visitor import check_may_edit
from landbridge.dashboard.sandbox_funding import simulate_deposit
from landbridge.dashboard.users.nested_fields import submitted_values
from landbridge.dashboard.users.page_context import chains_of, page_path, user_context, user_path
from landbridge.payments.virtual_accounts.destinations import DESTINATION_CURRENCIES
from landbridge.payments.virtual_accounts.rule_schemas import RulePage
from landbridge.payments.virtual_accounts.schemas import (
    VirtualAccountEnvelope,
    VirtualAccountPageReply,
    VirtualAccountReply,
)
from landbridge.platform.core.errors import FieldInvalid, Refused, ResourceNotFound
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.internal_client import InternalClient

_DETAIL = "users/virtual_account.html"
_FORM = f"{page_path('{user_id}')}/virtual-accounts/{{account_id}}"
_MANY_MAX = 100


class VirtualAccountPages(Controller):
    """`/dashboard/users/{userId}/virtual-accounts`."""

    path = "/users/{user_id:str}/virtual-accounts"

    @get("/")
    async def page(self, request: PageRequest, user_id: FromPath[str]) -> Response[str]:
        """List virtual accounts, newest first, including deactivated ones."""
        values, query = await user_context(request.interface, user_id), read_list_query(request)
        found = await request.interface.read(
            VirtualAccountPageReply, _path(user_id), cursor=query.cursor, limit=PAGE_SIZE
        )
        is_full = len(found.data) == PAGE_SIZE
        return request.page(
            "users/virtual_accounts.html",
            **values,
            accounts=found.data,
            older=query.older(found.next_cursor if is_full else None),
            newest=query.newest,
        )

    @get("/new")
    async def new(self, request: PageRequest, user_id: FromPath[str]) -> Response[str]:
        """Show the form: currency and delivery address."""
        check_may_edit(request.user)
        values = await _destination_values(request.interface, user_id, {}, account=None)
        return request.page("users/virtual_account_form.html", **values)

    @post("/new")
    async def create(self, request: PageRequest, user_id: FromPath[str]) -> Page:
        """Open the virtual account."""
        submitted = submitted_values(await read_form(request))
        try:
            created = await request.interface.submit(
                VirtualAccountEnvelope, _path(user_id), _body(submitted)
            )
        except Refused as problem:
            _name_input(problem)
            values = await _destination_values(request.interface, user_id, submitted, account=None)
            return request.with_problem("users/virtual_account_form.html", problem, **values)
        return _redirect(user_id, str(created.account_info.id), _("Virtual account opened"))

    @get("/{account_id:str}")
    async def show(
        self, request: PageRequest, user_id: FromPath[str], account_id: FromPath[str]
    ) -> Response[str]:
        """Show deposit instructions, conversion, settlement rule and micro-deposits."""
        return request.page(_DETAIL, **await _detail_values(request, user_id, account_id))

    @get("/{account_id:str}/edit", fresh=f"{_FORM}/edit")
    async def edit_form(
        self, request: PageRequest, user_id: FromPath[str], account_id: FromPath[str]
    ) -> Response[str]:
        """Show the form for the destination."""
        check_may_edit(request.user)
        account = await request.interface.read(
            VirtualAccountReply, f"{_path(user_id)}/{account_id}"
        )
        destination, external_id = account.destination, account.destination.external_wallet_id
        target = f"external:{external_id}" if external_id else f"chain:{destination.chain}"
        submitted = {"destinationCurrency": destination.currency, "deliverTo": target}
        values = await _destination_values(request.interface, user_id, submitted, account=account)
        return request.page("users/virtual_account_form.html", **values)

    @post("/{account_id:str}/edit", fresh=f"{_FORM}/edit")
    async def edit(
        self, request: PageRequest, user_id: FromPath[str], account_id: FromPath[str]
    ) -> Page:
        """Change the destination of future deposits."""
        submitted = submitted_values(await read_form(request))
        path = f"{_path(user_id)}/{account_id}"
        try:
            await request.interface.post(f"{path}/update", _body(submitted))
        except Refused as problem:
            _name_input(problem)
            account = await request.interface.read(VirtualAccountReply, path)
            values = await _destination_values(
                request.interface, user_id, submitted, account=account
            )
            return request.with_problem("users/virtual_account_form.html", problem, **values)
        return _redirect(user_id, account_id, _("Virtual account updated"))

    @post("/{account_id:str}/apply-rule", fresh=_FORM)
    async def apply_rule(
        self, request: PageRequest, user_id: FromPath[str], account_id: FromPath[str]
    ) -> Page:
        """Apply a settlement rule to future deposits."""
        return await _perform(request, user_id, account_id, "apply-rule")

    @post("/{account_id:str}/remove-rule", fresh=_FORM)
    async def remove_rule(
        self, request: PageRequest, user_id: FromPath[str], account_id: FromPath[str]
    ) -> Page:
        """Deliver future deposits whole."""
        return await _perform(request, user_id, account_id, "remove-rule")

    @post("/{account_id:str}/{action:str}")
    async def perform(
        self,
        request: PageRequest,
        *,
        user_id: FromPath[str],
        account_id: FromPath[str],
        action: FromPath[str],
    ) -> Page:
        """Perform another action of the account's page."""
        return await _perform(request, user_id, account_id, action)


async def _perform(request: PageRequest, user_id: str, account_id: str, action: str) -> Page:
    submitted = submitted_values(form := await read_form(request))
    try:
        values = submitted_values(form, "amount")
        operation, message = _action(request.interface, user_id, account_id, action, values)
        await operation
    except Refused as problem:
        values = await _detail_values(request, user_id, account_id)
        if action == "apply-rule" and isinstance(problem, ResourceNotFound):
            problem.field = "ruleId"
        # The submitted form keeps its request ID; other forms of the page get a new one.
        values["form_values"] = {"requestId": new_request_id(), **submitted}
        return request.with_problem(_DETAIL, problem, **values)
    return _redirect(user_id, account_id, message)


def _action(
    interface: InternalClient,
    user_id: str,
    account_id: str,
    action: str,
    submitted: Mapping[str, str],
) -> tuple[Awaitable[object], str]:
    path = f"{_path(user_id)}/{account_id}"
    match action:
        case "deactivate" | "reactivate":
            messages = {
                "deactivate": _("Virtual account deactivated"),
                "reactivate": _("Virtual account reactivated"),
            }
            return interface.post(f"{path}/{action}"), messages[action]
        case "apply-rule":
            if not submitted.get("ruleId"):
                raise FieldInvalid("Choose a settlement rule.", field="ruleId")
            operation = interface.post(f"{path}/settlement-rules/{submitted['ruleId']}")
            return operation, _("Settlement rule applied")
        case "remove-rule":
            operation = interface.delete(f"{path}/settlement-rules")
            return operation, _("Settlement rule removed")
        case "simulate-deposit":
            operation = simulate_deposit(interface, user_id, account_id, submitted)
            return operation, _("Deposit simulated. An onramp appears once it arrives.")
        case _:
            raise FieldInvalid("This action is not available for a virtual account.")


async def _detail_values(request: PageRequest, user_id: str, account_id: str) -> dict[str, object]:
    before = request.query_params.get("before") or None
    path = f"{_path(user_id)}/{account_id}"
    values, account = await asyncio.gather(
        user_context(request.interface, user_id),
        request.interface.read(VirtualAccountReply, path, createdBefore=before, limit=PAGE_SIZE),
    )
    rules = await request.interface.read(
        RulePage,
        "/v2/virtual-accounts/settlement-rules",
        chain=account.destination.chain,
        limit=_MANY_MAX,
    )
    micro = [] if account.micro_deposits is None else account.micro_deposits.data
    path = f"{page_path(user_id)}/virtual-accounts/{account_id}"
    return values | {
        "account": account,
        "rules": rules.rules,
        "micro_deposits": micro,
        "older": f"{path}?before={micro[-1].id}" if len(micro) == PAGE_SIZE else None,
        "newest": path if before else None,
        "form_values": {"requestId": new_request_id()},
        "here": path,
    }


async def _destination_values(
    interface: InternalClient,
    user_id: str,
    submitted: Mapping[str, str],
    *,
    account: VirtualAccountReply | None,
) -> dict[str, object]:
    values, externals = await asyncio.gather(
        user_context(interface, user_id),
        interface.read(
            ExternalWalletPage, f"{user_path(user_id)}/wallets/external", limit=_MANY_MAX
        ),
    )
    return values | {
        "form_values": submitted,
        "account": account,
        "currencies": DESTINATION_CURRENCIES,
        "chains": chains_of(values["user"]),
        "externals": [each for each in externals.external_wallets if each.active],
    }


def _body(submitted: Mapping[str, str]) -> dict[str, object]:
    kind, _sep, target = submitted.get("deliverTo", "").partition(":")
    member = "externalWalletId" if kind == "external" else "destinationChain"
    return {
        "sourceCurrency": "usd",
        "destinationCurrency": submitted.get("destinationCurrency") or None,
        member: target or None,
    }


def _name_input(problem: Refused) -> None:
    """Give a refusal the name of the form's input, where the API has another."""
    if problem.field in {"destinationChain", "externalWalletId"}:
        problem.field = "deliverTo"


def _path(user_id: str) -> str:
    return f"{user_path(user_id)}/virtual-accounts"


def _redirect(user_id: str, account_id: str, message: str) -> Page:
    return redirect(f"{page_path(user_id)}/virtual-accounts/{account_id}", notice=message)
