"""Parties of a payment in forms: the source wallet with its coin, and the recipient."""

from collections.abc import Mapping
from uuid import UUID

from landbridge.customers.users.wallet_api import ExternalWalletReply
from landbridge.customers.wallets.errors import WalletAlreadyExists
from landbridge.dashboard.page_request import Form
from landbridge.dashboard.payments.holdings import externals_of
from landbridge.dashboard.payments.user_search import resolve_user
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.http.internal_client import InternalClient
from landbridge.providers.chains.tokens import Network


def wallet(form: Form, name: str = "wallet") -> tuple[str, str]:
    """Chain and coin, as in `POLYGON:usdc`; raises `FieldInvalid`."""
    chain, _, currency = form.text(name).partition(":")
    if not chain or not currency:
        raise FieldInvalid("Choose a wallet.", field=name)
    return chain, currency


async def payee(
    interface: InternalClient,
    form: Form,
    *,
    user_id: str,
    chain: str,
    own: str | None = "userId",
    registers: bool = True,
    by_id: bool = False,
) -> Mapping[str, object]:
    """Return the fields of `destination` that name the recipient.

    `own` is the field for the payer's own wallet; None if it takes no field. A new address is
    registered for the payer first where the API requires that; with `by_id` its id is returned
    instead of the address.
    """
    choice, _, external_id = form.text("to").partition(":")
    match choice:
        case "own":
            return {} if own is None else {own: user_id}
        case "user":
            return {"userId": (await resolve_user(interface, form, "toUser")).id}
        case "external":
            found = await _registered(interface, user_id, external_id)
        case "new":
            if not form.text("newAddress"):
                raise FieldInvalid("Enter the address.", field="newAddress")
            if not registers:
                return {"walletAddress": form.text("newAddress")}
            found = await _register(interface, form, user_id, chain)
        case _:
            raise FieldInvalid("Choose a recipient.", field="to")
    return {"externalWalletId": found.id} if by_id else {"walletAddress": found.address}


async def _registered(
    interface: InternalClient, user_id: str, external_id: str
) -> ExternalWalletReply:
    try:
        known = UUID(external_id)
    except ValueError:
        raise FieldInvalid("Choose one of the listed options.", field="to") from None
    return await interface.read(
        ExternalWalletReply, f"/v2/users/{user_id}/wallets/external/{known}"
    )


async def _register(
    interface: InternalClient, form: Form, user_id: str, chain: str
) -> ExternalWalletReply:
    """Register the address for the user, or return it if it is already registered."""
    address, name = form.text("newAddress"), form.text("newName")
    address_chain = Network(chain).address_chain if chain in set(Network) else chain
    if not name:
        raise FieldInvalid("Enter a label for the address.", field="newName")
    body = {"address": address, "chain": address_chain, "name": name, "referenceId": name}
    try:
        return await interface.submit(
            ExternalWalletReply, f"/v2/users/{user_id}/wallets/external", body
        )
    except WalletAlreadyExists:
        for each in await externals_of(interface, user_id):
            if each.chain == address_chain and each.address.casefold() == address.casefold():
                return each
        raise
