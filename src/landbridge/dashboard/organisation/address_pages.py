"""The policy on addresses outside the platform: block list, allow list, new addresses."""

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency

from landbridge.customers.address_policies.model import AddressPolicy
from landbridge.customers.address_policies.service import (
    ADDRESSES_MAX,
    AMOUNT_MAX,
    HOURS_MAX,
    AddressPolicies,
    checked_addresses,
)
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.platform.core.errors import FieldInvalid, Refused
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.caller import check_admin

_HOME, _PAGE = "/dashboard/settings/addresses", "organisation/addresses.html"
_VERSION_MAX = 2**31 - 1


class AddressPolicyPages(Controller):
    """`/dashboard/settings/addresses`."""

    path = "/settings/addresses"

    @get("/")
    async def page(
        self, request: PageRequest, address_policies: NamedDependency[AddressPolicies]
    ) -> Response[str]:
        """Show the policy in force, as a form."""
        check_admin(request.user.caller)
        policy = await address_policies.get(request.user.caller.org_id)
        return request.page(_PAGE, **_values(policy, Form()))

    @post("/", fresh=_HOME)
    async def set_policy(
        self, request: PageRequest, address_policies: NamedDependency[AddressPolicies]
    ) -> Page:
        """Replace the policy that the form showed."""
        caller = request.user.caller
        check_admin(caller)
        form = Form()
        try:
            form = await read_form(request)
            await address_policies.set_for(
                caller,
                AddressPolicy(
                    blocked_addresses=await _addresses(form, "blockedAddresses"),
                    allowed_addresses=await _addresses(form, "allowedAddresses"),
                    new_address_hours=form.integer(
                        "newAddressHours", minimum=0, maximum=HOURS_MAX, default=0
                    ),
                    new_address_amount_max=form.integer(
                        "newAddressAmountMax", minimum=0, maximum=AMOUNT_MAX, default=0
                    ),
                ),
                instead_of=form.integer("version", minimum=0, maximum=_VERSION_MAX),
            )
        except Refused as problem:
            values = _values(await address_policies.get(caller.org_id), form)
            return request.with_problem(_PAGE, problem, **values)
        return redirect(_HOME, notice=_("Address policy set"))


async def _addresses(form: Form, name: str) -> tuple[str, ...]:
    """Return the addresses of a field, one in each line."""
    try:
        return await checked_addresses(name, form.text(name).split())
    except FieldInvalid as error:
        raise FieldInvalid(error.message, field=name) from None


def _values(policy: AddressPolicy, form: Form) -> dict[str, object]:
    """Return the policy in force, and the submitted form values, if any."""
    current: dict[str, object] = {
        "blockedAddresses": "\n".join(policy.blocked_addresses),
        "allowedAddresses": "\n".join(policy.allowed_addresses),
        "newAddressHours": policy.new_address_hours,
        "newAddressAmountMax": policy.new_address_amount_max,
        # A refused form keeps the version that it showed.
        "version": policy.version,
    }
    return {
        "addresses_max": ADDRESSES_MAX,
        "policy": {name: form.text(name, str(value)) for name, value in current.items()},
    }
