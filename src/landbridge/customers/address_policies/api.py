"""Routes of the policy on addresses: /v2/organization/address-policy. Ours."""

from typing import Annotated, Any

import msgspec
from litestar import Controller, get, put
from litestar.di import NamedDependency
from litestar.params import JSONBody

from landbridge.customers.address_policies.model import AddressPolicy
from landbridge.customers.address_policies.service import (
    AMOUNT_MAX,
    HOURS_MAX,
    AddressPolicies,
    checked_addresses,
)
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.responses import WireStruct


class AddressPolicyRequest(WireStruct, frozen=True):
    """Policy on addresses outside the platform; a list that is left out is empty.

    If `allowedAddresses` is not empty, only these and the organisation's wallets are paid. For
    `newAddressHours` after an address was registered, one payment to it moves at most
    `newAddressAmountMax` whole coins; 0 hours for no restriction.
    """

    blocked_addresses: list[str] = msgspec.field(default_factory=list[str])
    allowed_addresses: list[str] = msgspec.field(default_factory=list[str])
    new_address_hours: Annotated[int, msgspec.Meta(ge=0, le=HOURS_MAX)] = 0
    new_address_amount_max: Annotated[int, msgspec.Meta(ge=0, le=AMOUNT_MAX)] = 0


class AddressPolicyData(WireStruct, frozen=True):
    """Policy in force; EVM addresses in lower case, `version` 0 if none was ever set."""

    blocked_addresses: list[str]
    allowed_addresses: list[str]
    new_address_hours: int
    new_address_amount_max: int
    version: int


class AddressPolicyReply(WireStruct, frozen=True):
    """Policy of an organisation on addresses outside the platform."""

    status: str
    data: AddressPolicyData
    metadata: dict[str, Any]


class AddressPolicyRoutes(Controller):
    """Policy on addresses outside the platform."""

    path = "/v2/organization/address-policy"
    tags = ("Limits",)

    @get(summary="Retrieve the address policy", operation_id="addressPolicy.retrieve")
    async def retrieve(
        self, request: ApiRequest, address_policies: NamedDependency[AddressPolicies]
    ) -> AddressPolicyReply:
        """Return the organisation's policy on addresses outside the platform."""
        return _reply(await address_policies.get(request.user.org_id))

    @put(summary="Set the address policy", operation_id="addressPolicy.replace")
    async def set(
        self,
        request: ApiRequest,
        data: JSONBody[AddressPolicyRequest],
        address_policies: NamedDependency[AddressPolicies],
    ) -> AddressPolicyReply:
        """Replace the policy; orders that are not signed yet follow its block list too."""
        policy = AddressPolicy(
            blocked_addresses=await checked_addresses("blockedAddresses", data.blocked_addresses),
            allowed_addresses=await checked_addresses("allowedAddresses", data.allowed_addresses),
            new_address_hours=data.new_address_hours,
            new_address_amount_max=data.new_address_amount_max,
        )
        return _reply(await address_policies.set_for(request.user, policy))


def _reply(policy: AddressPolicy) -> AddressPolicyReply:
    return AddressPolicyReply(
        status="success",
        data=msgspec.convert(policy, AddressPolicyData, from_attributes=True),
        metadata={},
    )
