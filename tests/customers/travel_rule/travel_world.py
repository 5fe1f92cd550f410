"""An organisation that applies the travel rule of a jurisdiction, and the wallets of outside."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from coincurve import PrivateKey
from msgspec import structs

from landbridge.app.settings import Settings
from landbridge.platform.db.pool import Database
from landbridge.platform.formats.evm_addresses import keccak256
from landbridge.platform.formats.key_derivation import evm_address_of_point
from landbridge.providers.trp.port import OtherVasps
from tests.customers.payment_screening.payment_world import OUTSIDE, PaymentWorld, payment_world
from tests.tenants import SETTINGS, Tenant

SETTING = "/v2/organization/travel-rule"
WAITING = "/v2/travel-rule/waiting"
APPLIED = structs.replace(SETTINGS, travel_rule="on")

# The person of a wallet that is not the user's.
BOB = {"type": "individual", "firstName": "Bob", "lastName": "Builder"}
HOSTED = {"kind": "HOSTED", "owner": "THIRD_PARTY", "vaspName": "Example Exchange", "person": BOB}
SELF_HOSTED = {"kind": "SELF_HOSTED", "owner": "USER"}
# What the sandbox's people lack for the European Union.
BIRTH = {"dateOfBirth": "1990-01-02", "placeOfBirth": "Paris"}


@asynccontextmanager
async def travel_world(
    database: Database,
    jurisdiction: str = "EU",
    settings: Settings = APPLIED,
    vasps: OtherVasps | None = None,
) -> AsyncGenerator[PaymentWorld]:
    """Yield an organisation of a jurisdiction, with complete data about its user Ada."""
    async with payment_world(database, settings, vasps) as world:
        await world.org.send("PUT", SETTING, {"jurisdiction": jurisdiction})
        await world.org.post(f"/v2/users/{world.ada}/kyc", BIRTH)
        yield world


def wallet_path(user: str, address: str = OUTSIDE) -> str:
    return f"/v2/users/{user}/travel-rule-wallets/{address}"


async def state(
    org: Tenant, user: str, data: dict[str, Any], address: str = OUTSIDE
) -> dict[str, Any]:
    """State what a counterparty wallet is; return the reply."""
    return (await org.send("PUT", wallet_path(user, address), data)).json()


async def prove(org: Tenant, user: str, key: PrivateKey) -> dict[str, Any]:
    """Sign a challenge with the key of a wallet; return the reply."""
    path = wallet_path(user, address_of(key))
    challenge = await org.post(f"{path}/challenge", {})
    return await org.post(f"{path}/prove", {"signature": sign(key, challenge["message"])})


def address_of(key: PrivateKey) -> str:
    return evm_address_of_point(key.public_key.format(compressed=False))


def sign(key: PrivateKey, message: str, *, v: int = 27) -> str:
    """Return a signature as a wallet makes it: EIP-191, personal_sign."""
    raw = message.encode()
    prefix = b"\x19Ethereum Signed Message:\n" + str(len(raw)).encode()
    signed = key.sign_recoverable(keccak256(prefix + raw), hasher=None)  # pyright: ignore[reportUnknownMemberType]
    return "0x" + (signed[:-1] + bytes([signed[-1] + v])).hex()
