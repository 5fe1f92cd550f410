"""The ends of a payment as forms tell them: a wallet with its coin, and who is paid."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from landbridge.chains.tokens import Network
from landbridge.core.errors import FieldInvalid
from landbridge.dashboard.forms import Form
from landbridge.dashboard.payments.holdings import externals_of
from landbridge.dashboard.payments.user_search import meant_user
from landbridge.wallets.errors import WalletAlreadyExists
from landbridge.web.inside import Interface


def wallet(form: Form, name: str = "wallet") -> tuple[str, str]:
    """Chain and coin, as in `POLYGON:usdc`; raises `FieldInvalid`."""
    chain, _, currency = form.text(name).partition(":")
    if not chain or not currency:
        raise FieldInvalid("Choose a wallet.", field=name)
    return chain, currency


async def payee(
    interface: Interface,
    form: Form,
    *,
    user_id: str,
    chain: str,
    own: str | None = "userId",
    registers: bool = True,
    by_id: bool = False,
) -> Mapping[str, Any]:
    """The members of `destination` that say who is paid.

    The payer's own wallet is told by `own`, if at all. A new address is registered for the payer
    first, where the interface asks for that; with `by_id` it is named by the id that it then has.
    """
    way, _, external_id = form.text("to").partition(":")
    match way:
        case "own":
            return {} if own is None else {own: user_id}
        case "user":
            return {"userId": (await meant_user(interface, form, "toUser"))["id"]}
        case "external":
            found = await _registered(interface, user_id, external_id)
        case "new":
            if not form.text("newAddress"):
                raise FieldInvalid("Write the address.", field="newAddress")
            if not registers:
                return {"walletAddress": form.text("newAddress")}
            found = await _register(interface, form, user_id, chain)
        case _:
            raise FieldInvalid("Say who is paid.", field="to")
    return {"externalWalletId": found["id"]} if by_id else {"walletAddress": found["address"]}


async def _registered(interface: Interface, user_id: str, external_id: str) -> Mapping[str, Any]:
    try:
        known = UUID(external_id)
    except ValueError:
        raise FieldInvalid("Choose one of those that are offered.", field="to") from None
    return await interface.get(f"/v2/users/{user_id}/wallets/external/{known}")


async def _register(
    interface: Interface, form: Form, user_id: str, chain: str
) -> Mapping[str, Any]:
    """The address among those of the user, whether it was there before or not."""
    address, name = form.text("newAddress"), form.text("newName")
    on = Network(chain).address_chain if chain in set(Network) else chain
    if not name:
        raise FieldInvalid("Give the address a name to know it by.", field="newName")
    body = {"address": address, "chain": on, "name": name, "referenceId": name}
    try:
        return await interface.post(f"/v2/users/{user_id}/wallets/external", body)
    except WalletAlreadyExists:
        for each in await externals_of(interface, user_id):
            if each["chain"] == on and each["address"].casefold() == address.casefold():
                return each
        raise
