"""Settlement rules: how deposits to virtual accounts are split."""

from collections.abc import Mapping

from litestar import Controller, Response, get, post
from litestar.params import FromPath

from landbridge.dashboard.list_queries import PAGE_SIZE, load_list, read_list_query
from landbridge.dashboard.page_request import Page, PageRequest, new_request_id, read_form, redirect
from landbridge.dashboard.page_visitor import check_is_admin
from landbridge.dashboard.payment_lines import chain_name
from landbridge.dashboard.users.nested_fields import submitted_values
from landbridge.dashboard.users.rule_forms import (
    apply_button,
    number_fields,
    part_count,
    rule_body,
    rule_fields,
    tier_count,
)
from landbridge.payments.virtual_accounts.rule_parsing import PARTS_MAX, TIERS_MAX
from landbridge.payments.virtual_accounts.rule_schemas import RulePage, RuleReply
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import later as _
from landbridge.providers.chains.tokens import Chain

_PATH, _HOME = "/v2/virtual-accounts/settlement-rules", "/dashboard/settlement-rules"
_NEW, _DETAIL = "users/rule_new.html", "users/rule.html"


class SettlementRulePages(Controller):
    """`/dashboard/settlement-rules`."""

    path = "/settlement-rules"

    @get("/")
    async def page(self, request: PageRequest) -> Response[str]:
        """List settlement rules, newest first."""
        query = read_list_query(request, "chain")
        found, filter_error = await load_list(
            request.interface.read(
                RulePage, _PATH, **query.filters, cursor=query.cursor, limit=PAGE_SIZE
            ),
            RulePage(count=0, rules=[], next_cursor=None),
        )
        is_full = len(found.rules) == PAGE_SIZE
        return request.page(
            "users/rules.html",
            rules=found.rules,
            older=query.older(found.next_cursor if is_full else None),
            newest=query.newest,
            chain=query.text("chain"),
            chains=[each.value for each in Chain],
            filter_error=filter_error,
        )

    @get("/new")
    async def new(self, request: PageRequest) -> Response[str]:
        """Show an empty form."""
        check_is_admin(request.user)
        return request.page(_NEW, **_form({"requestId": new_request_id()}))

    @post("/new")
    async def create(self, request: PageRequest) -> Page:
        """Create the rule; it has no effect until it is applied to a virtual account."""
        check_is_admin(request.user)
        submitted = submitted_values(form := await read_form(request))
        if apply_button(submitted, form.text("do")):
            return request.page(_NEW, **_form(submitted))
        try:
            created = await request.interface.submit(
                RuleReply, _PATH, rule_body(submitted_values(form, *number_fields(form)))
            )
        except Refused as problem:
            return request.with_problem(_NEW, problem, **_form(submitted))
        return redirect(f"{_HOME}/{created.id}", notice=_("Settlement rule created"))

    @get("/{rule_id:str}")
    async def show(self, request: PageRequest, rule_id: FromPath[str]) -> Response[str]:
        """Show the rule, with a form for those who may edit it."""
        rule = await request.interface.read(RuleReply, f"{_PATH}/{rule_id}")
        values = rule_fields(rule, request.user.language) | {"requestId": new_request_id()}
        return request.page(_DETAIL, rule=rule, **_form(values))

    @post("/{rule_id:str}", fresh=f"{_HOME}/{{rule_id}}")
    async def update(self, request: PageRequest, rule_id: FromPath[str]) -> Page:
        """Replace the rule, for future deposits."""
        check_is_admin(request.user)
        submitted = submitted_values(form := await read_form(request))
        rule = await request.interface.read(RuleReply, f"{_PATH}/{rule_id}")
        if apply_button(submitted, form.text("do")):
            return request.page(_DETAIL, rule=rule, **_form(submitted))
        try:
            await request.interface.post(
                f"{_PATH}/{rule_id}/update", rule_body(submitted_values(form, *number_fields(form)))
            )
        except Refused as problem:
            return request.with_problem(_DETAIL, problem, rule=rule, **_form(submitted))
        return redirect(f"{_HOME}/{rule_id}", notice=_("Settlement rule updated"))

    @post("/{rule_id:str}/delete")
    async def delete(self, request: PageRequest, rule_id: FromPath[str]) -> Page:
        """Delete the rule; refused while a virtual account uses it."""
        rule = await request.interface.read(RuleReply, f"{_PATH}/{rule_id}")
        try:
            await request.interface.delete(f"{_PATH}/{rule_id}")
        except Refused as problem:
            values = rule_fields(rule, request.user.language) | {"requestId": new_request_id()}
            return request.with_problem(_DETAIL, problem, rule=rule, **_form(values))
        return redirect(_HOME, notice=_("Settlement rule deleted"))


def _form(submitted: Mapping[str, str]) -> dict[str, object]:
    parts = part_count(submitted)
    return {
        "form_values": submitted,
        "chains": [(each.value, chain_name(each.value)) for each in Chain],
        # Number of tiers shown for each split.
        "tier_counts": [tier_count(submitted, index) for index in range(parts)],
        "parts_max": PARTS_MAX,
        "tiers_max": TIERS_MAX,
    }
