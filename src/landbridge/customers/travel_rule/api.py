"""Routes of the travel rule: the organisation's jurisdiction, and messages. Ours."""

from collections.abc import Mapping
from typing import Any

from litestar import Controller, get, put
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.customers.travel_rule.jurisdictions import Jurisdiction
from landbridge.customers.travel_rule.model import TravelRuleSetting
from landbridge.customers.travel_rule.service import TravelRule
from landbridge.customers.travel_rule.waiting import (
    WaitingTransferReply,
    WaitingTransfers,
    waiting_reply,
)
from landbridge.platform.http.caller import ApiRequest, check_sees_documents
from landbridge.platform.http.path_params import known_id
from landbridge.platform.http.responses import WireStruct


class TravelRuleRequest(WireStruct, frozen=True):
    """Jurisdiction of which the travel rule is applied; null for none."""

    jurisdiction: Jurisdiction | None


class TravelRuleReply(WireStruct, frozen=True):
    """Jurisdiction of which the travel rule is applied.

    `isEnforced` is false while the operator of this installation has not switched the travel rule
    on: then nothing waits for data. `version` is 0 if no jurisdiction was ever set.
    """

    jurisdiction: Jurisdiction | None
    is_enforced: bool
    version: int


class TravelRuleMessageReply(WireStruct, frozen=True):
    """Originator and beneficiary of a screened transfer, as IVMS101 has them."""

    ivms101: dict[str, Any]


class WaitingTransferList(WireStruct, frozen=True):
    """Transfers that wait, the longest waiting first in each direction."""

    count: int
    transfers: list[WaitingTransferReply]


class TravelRuleRoutes(Controller):
    """Setting of an organisation, and the messages of its transfers."""

    path = "/v2"
    tags = ("Travel rule",)

    @get(
        "/organization/travel-rule",
        summary="Retrieve the travel rule",
        operation_id="travelRule.retrieve",
    )
    async def retrieve(
        self, request: ApiRequest, travel_rule: NamedDependency[TravelRule]
    ) -> TravelRuleReply:
        """Return the jurisdiction of which the organisation applies the travel rule."""
        return _reply(travel_rule, await travel_rule.setting(request.user.org_id))

    @put(
        "/organization/travel-rule",
        summary="Set the travel rule",
        operation_id="travelRule.replace",
    )
    async def set(
        self,
        request: ApiRequest,
        data: JSONBody[TravelRuleRequest],
        travel_rule: NamedDependency[TravelRule],
    ) -> TravelRuleReply:
        """Set the jurisdiction; transfers that were not sent or credited yet follow it too."""
        found = await travel_rule.set_jurisdiction(request.user, data.jurisdiction)
        return _reply(travel_rule, found)

    @get(
        "/travel-rule/waiting",
        summary="List transfers that wait for data",
        operation_id="travelRule.listWaiting",
    )
    async def waiting(
        self, request: ApiRequest, waiting_transfers: NamedDependency[WaitingTransfers]
    ) -> WaitingTransferList:
        """List what waits for data about a counterparty wallet, among the 500 oldest screenings."""
        found = await waiting_transfers.list(request.user.org_id)
        return WaitingTransferList(
            count=len(found), transfers=[waiting_reply(each, each.missing) for each in found]
        )

    @get(
        "/travel-rule/messages/{messageId:str}",
        summary="Retrieve a travel rule message",
        operation_id="travelRule.retrieveMessage",
    )
    async def message(
        self,
        request: ApiRequest,
        messageId: FromPath[str],
        travel_rule: NamedDependency[TravelRule],
    ) -> TravelRuleMessageReply:
        """Return originator and beneficiary of a screened transfer, by the id of its screening.

        Analysts, and keys with no scope but `read`, are refused: the numbers are not masked.
        """
        check_sees_documents(request.user)
        screening_id = known_id(messageId, "travel rule message")
        found: Mapping[str, Any] = await travel_rule.get_message(request.user.org_id, screening_id)
        return TravelRuleMessageReply(ivms101=dict(found))


def _reply(travel_rule: TravelRule, setting: TravelRuleSetting) -> TravelRuleReply:
    return TravelRuleReply(
        jurisdiction=setting.jurisdiction,
        is_enforced=travel_rule.is_enforced,
        version=setting.version,
    )
