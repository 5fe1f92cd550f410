"""Routes of settlement rules. Source: contract, accounts 6 and interface/settlement-rules."""

from typing import Annotated
from uuid import UUID

from litestar import Controller, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.payments.virtual_accounts.rule_parsing import parse_rule
from landbridge.payments.virtual_accounts.rule_schemas import (
    NewRule,
    RuleDeletedReply,
    RulePage,
    RuleReply,
    rule_reply,
)
from landbridge.payments.virtual_accounts.rules import SettlementRules
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import one_of, query
from landbridge.platform.http.list_query import parse_choice
from landbridge.platform.http.path_params import known_id
from landbridge.platform.http.responses import moment
from landbridge.providers.chains.tokens import Chain


class SettlementRuleRoutes(Controller):
    """Rules that split deposits of virtual accounts."""

    path = "/v2/virtual-accounts/settlement-rules"
    tags = ("Settlement rules",)

    @post(
        status_code=200, summary="Create a settlement rule", operation_id="settlementRules.create"
    )
    async def create(
        self,
        request: ApiRequest,
        data: JSONBody[NewRule],
        settlement_rules: NamedDependency[SettlementRules],
    ) -> RuleReply:
        """Create a rule; it has no effect until it is applied to a virtual account."""
        rule = await settlement_rules.create(
            request.user, parse_rule(data), request_id=data.request_id
        )
        return rule_reply(rule)

    @get(summary="List settlement rules", operation_id="settlementRules.list")
    async def page(
        self,
        request: ApiRequest,
        settlement_rules: NamedDependency[SettlementRules],
        window: NamedDependency[PageWindow],
        chain: Annotated[str | None, query("chain", one_of(Chain))] = None,
    ) -> RulePage:
        """List rules, newest first; pass `nextCursor` as `createdBefore`."""
        chain_filter = None if chain is None else parse_choice("chain", chain, Chain)
        found = await settlement_rules.page(request.user.org_id, window, chain=chain_filter)
        return RulePage(
            count=len(found),
            rules=[rule_reply(each) for each in found],
            next_cursor=moment(found[-1].created_at) if found else None,
        )

    @get(
        "/{ruleId:str}",
        summary="Retrieve a settlement rule",
        operation_id="settlementRules.retrieve",
    )
    async def retrieve(
        self,
        request: ApiRequest,
        ruleId: FromPath[str],
        settlement_rules: NamedDependency[SettlementRules],
    ) -> RuleReply:
        """Get a rule."""
        return rule_reply(await settlement_rules.get(request.user.org_id, known_rule(ruleId)))

    @post(
        "/{ruleId:str}/update",
        status_code=200,
        summary="Update a settlement rule",
        operation_id="settlementRules.update",
    )
    async def update(
        self,
        request: ApiRequest,
        ruleId: FromPath[str],
        data: JSONBody[NewRule],
        settlement_rules: NamedDependency[SettlementRules],
    ) -> RuleReply:
        """Replace the whole rule, for future deposits."""
        rule = await settlement_rules.update(
            request.user, known_rule(ruleId), parse_rule(data), request_id=data.request_id
        )
        return rule_reply(rule)

    @delete(
        "/{ruleId:str}",
        status_code=200,
        summary="Delete a settlement rule",
        operation_id="settlementRules.delete",
    )
    async def delete(
        self,
        request: ApiRequest,
        ruleId: FromPath[str],
        settlement_rules: NamedDependency[SettlementRules],
    ) -> RuleDeletedReply:
        """Delete a rule; refused while the rule is applied to a virtual account."""
        rule_id = known_rule(ruleId)
        await settlement_rules.delete(request.user, rule_id)
        return RuleDeletedReply(message=f"Settlement rule {rule_id} was deleted.")


def known_rule(text: str) -> UUID:
    """Parse the rule id in a path; raises `ResourceNotFound` for a malformed one."""
    return known_id(text, "settlement rule")
