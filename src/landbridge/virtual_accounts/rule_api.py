"""Routes of settlement rules. Source: contract, accounts 6 and interface/settlement-rules."""

from typing import Annotated
from uuid import UUID

from litestar import Controller, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter

from landbridge.chains.tokens import Chain
from landbridge.core.pages import Window
from landbridge.virtual_accounts.rule_reading import read_rule
from landbridge.virtual_accounts.rule_wire import Done, NewRule, RulePage, RuleReply, rule_reply
from landbridge.virtual_accounts.rules import SettlementRules
from landbridge.web.caller import ApiRequest
from landbridge.web.lists import word
from landbridge.web.paths import known_id
from landbridge.web.reply import moment


class SettlementRuleRoutes(Controller):
    """How deposits of virtual accounts are divided."""

    path = "/v2/virtual-accounts/settlement-rules"
    tags = ("Settlement rules",)

    @post(status_code=200, summary="Create a settlement rule")
    async def create(
        self,
        request: ApiRequest,
        data: JSONBody[NewRule],
        settlement_rules: NamedDependency[SettlementRules],
    ) -> RuleReply:
        """Makes a rule, which does nothing until it is applied to a virtual account."""
        rule = await settlement_rules.create(
            request.user, read_rule(data), request_id=data.request_id
        )
        return rule_reply(rule)

    @get(summary="List settlement rules")
    async def page(
        self,
        request: ApiRequest,
        settlement_rules: NamedDependency[SettlementRules],
        window: NamedDependency[Window],
        chain: Annotated[str | None, QueryParameter(name="chain")] = None,
    ) -> RulePage:
        """Newest first; `nextCursor` goes back as `createdBefore`."""
        wanted = None if chain is None else word("chain", chain, Chain)
        found = await settlement_rules.page(request.user.org_id, window, chain=wanted)
        return RulePage(
            count=len(found),
            rules=[rule_reply(each) for each in found],
            next_cursor=moment(found[-1].created_at) if found else None,
        )

    @get("/{ruleId:str}", summary="Retrieve a settlement rule")
    async def retrieve(
        self,
        request: ApiRequest,
        ruleId: FromPath[str],
        settlement_rules: NamedDependency[SettlementRules],
    ) -> RuleReply:
        """One rule."""
        return rule_reply(await settlement_rules.get(request.user.org_id, known_rule(ruleId)))

    @post("/{ruleId:str}/update", status_code=200, summary="Update a settlement rule")
    async def update(
        self,
        request: ApiRequest,
        ruleId: FromPath[str],
        data: JSONBody[NewRule],
        settlement_rules: NamedDependency[SettlementRules],
    ) -> RuleReply:
        """Replaces all that the rule says, for what arrives from now on."""
        rule = await settlement_rules.update(
            request.user, known_rule(ruleId), read_rule(data), request_id=data.request_id
        )
        return rule_reply(rule)

    @delete("/{ruleId:str}", status_code=200, summary="Delete a settlement rule")
    async def delete(
        self,
        request: ApiRequest,
        ruleId: FromPath[str],
        settlement_rules: NamedDependency[SettlementRules],
    ) -> Done:
        """Refused while the rule is applied to a virtual account."""
        rule_id = known_rule(ruleId)
        await settlement_rules.delete(request.user, rule_id)
        return Done(message=f"Settlement rule {rule_id} was deleted.")


def known_rule(text: str) -> UUID:
    """The id of a rule in a path; raises `ResourceNotFound` for what can't be one."""
    return known_id(text, "settlement rule")
