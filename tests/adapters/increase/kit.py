"""Adapter of Increase against its simulation."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from landbridge.platform.core.ids import new_id
from landbridge.providers.packages.interface import (
    PackageSettings,
    PayoutAnswer,
    PayoutQuery,
    PayoutRequest,
)
from landbridge_increase import IncreaseBank
from tests.adapters.increase.inbound import ACCOUNT
from tests.adapters.increase.simulation import KEY, SECRET, SimulatedIncrease
from tests.adapters.served import install_adapter, serving

ROUTING, NUMBER = "101050001", "987654321"
PAYEE: dict[str, Any] = {
    "type": "us",
    "us": {
        "transferType": "ach",
        "accountType": "Checking",
        "accountNumber": NUMBER,
        "routingNumber": ROUTING,
        "bankName": "First Example",
        "currency": "usd",
    },
    "accountHolder": {
        "type": "individual",
        "name": "Ada Example",
        "address": {
            "addressLine1": "1 Example Street",
            "city": "Springfield",
            "stateProvinceRegion": "NY",
            "postalCode": "10001",
            "country": "USA",
        },
    },
}
# Rail of the order and setting of the instant network, by the network that is used.
WAYS: dict[str, tuple[str, str]] = {
    "ach": ("ach", "rtp"),
    "wire": ("wire", "rtp"),
    "rtp": ("rtp", "rtp"),
    "fednow": ("rtp", "fednow"),
}
DEPOSITS: dict[str, Any] = {
    "since": "2026-01-01T00:00:00Z",
    "bank_name": "Example Bank",
    "bank_address": "1 Bank Street, Springfield",
    "beneficiary_name": "Example Platform",
    "beneficiary_address": "2 Example Street, Springfield",
    "networks": ["ach", "wire", "rtp"],
    "delay_s": 1,
}


@dataclass
class IncreaseWorld:
    """The simulation, and copies of the adapter that use it."""

    increase: SimulatedIncrease
    url: str
    copies: list[IncreaseBank] = field(default_factory=list[IncreaseBank])

    def adapter(self, secrets: Mapping[str, str] | None = None, **options: Any) -> IncreaseBank:
        """Return another copy of the adapter."""
        settings = package_settings(self.url, secrets, **options)
        copy = IncreaseBank(settings)  # pyright: ignore[reportAbstractUsage]  it screens nothing
        self.copies.append(copy)
        return copy


def package_settings(
    url: str, secrets: Mapping[str, str] | None = None, **options: Any
) -> PackageSettings:
    """Return settings that are valid, for all networks."""
    return PackageSettings(
        name="increase",
        options={
            "base_url": url,
            "account_id": ACCOUNT,
            "source_account_number_id": "account_number_source",
            "statement_descriptor": "Example payout",
            "company_name": "Example",
            "debtor_name": "Example Incorporated",
            "invalid_operation": "wait",
            "timeout_s": 10,
            **options,
        },
        secrets={"api_key": KEY, "webhook_secret": SECRET, **(secrets or {})},
    )


@asynccontextmanager
async def increase_world() -> AsyncGenerator[IncreaseWorld]:
    """Yield a simulation that is served."""
    increase = SimulatedIncrease()
    async with serving(increase.app()) as url:
        world = IncreaseWorld(increase, url)
        yield world
        for copy in world.copies:
            await copy.close()


def order(rail: str = "ach", *, key: UUID | None = None, **changes: Any) -> PayoutRequest:
    """Return an order of 12.34 dollars."""
    values: dict[str, Any] = {
        "amount": "12.34",
        "currency": "usd",
        "is_same_day": False,
        "texts": {},
        "payee": PAYEE,
        **changes,
    }
    return PayoutRequest(key=key or new_id(), org_id=new_id(), rail=rail, **values)


def write_increase_file(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    url: str,
    more: str = "",
    routes: str = "",
) -> Path:
    """Install the adapter, and write a providers file with it for payouts in US dollars."""
    install_adapter(folder, monkeypatch, "increase", "landbridge_increase:IncreaseBank")
    (folder / "api_key").write_text(KEY)
    (folder / "webhook_secret").write_text(SECRET)
    path = folder / "providers.toml"
    path.write_text(
        f"""
[providers.increase]
package = "increase"
options = {{ base_url = "{url}", account_id = "{ACCOUNT}", invalid_operation = "wait", \
source_account_number_id = "account_number_source", statement_descriptor = "Example payout", \
company_name = "Example", debtor_name = "Example Incorporated", timeout_s = 4{more} }}
secret_files = {{ api_key = "api_key", webhook_secret = "webhook_secret" }}
timeout_s = 5
poll_s = 1

[[payouts]]
providers = ["increase"]
rails = ["ach", "wire", "rtp"]
{routes}"""
    )
    return path


async def found_by(world: IncreaseWorld, request: PayoutRequest) -> PayoutAnswer:
    """Return the state of a payout as another copy finds it."""
    found = await world.adapter().find_payout(PayoutQuery(key=request.key))
    assert found is not None
    return found
