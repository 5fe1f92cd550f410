"""Adapter of Elliptic against its simulation."""

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
    ScreeningDirection,
    ScreeningRequest,
)
from landbridge_elliptic import EllipticScreening
from tests.adapters.elliptic.simulation import API_KEY, API_SECRET, SimulatedElliptic
from tests.adapters.served import install_adapter, serving

TRANSACTION = "0x24220e9cb717276300e17863c28f44787773c1ce156214594f36dc2a7a59f42d"
OURS = "0xde709f2102306220921060314715629080e2fb77"
SENDER = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
PAYEE = "0x8589427373D6D84E98730D7795D8f6f8731FDA16"
# Subjects of the contract suite, of which the simulation knows the result.
TESTS = {
    "clear": {"transaction": f"0x{'c1' * 32}", "output_address": OURS, "address": f"0x{'c1' * 20}"},
    "hit": {
        "transaction": f"0x{'bad1' * 16}",
        "output_address": OURS,
        "address": f"0x{'bad1' * 10}",
    },
}


@dataclass
class EllipticWorld:
    """The simulation, and copies of the adapter that use it."""

    elliptic: SimulatedElliptic
    url: str
    copies: list[EllipticScreening] = field(default_factory=list[EllipticScreening])

    def adapter(
        self, secrets: Mapping[str, str] | None = None, **options: Any
    ) -> EllipticScreening:
        """Return another copy of the adapter."""
        settings = package_settings(self.url, secrets, **options)
        copy = EllipticScreening(settings)  # pyright: ignore[reportAbstractUsage]  it only screens
        self.copies.append(copy)
        return copy


def package_settings(
    url: str, secrets: Mapping[str, str] | None = None, **options: Any
) -> PackageSettings:
    """Return settings that are valid, for USDC on two chains."""
    return PackageSettings(
        name="elliptic",
        options={
            "base_url": url,
            "hit_score": 5,
            "unknown_address": "wait",
            "assets": {"usdc/POLYGON": "USDC/polygon", "usdc/ETHEREUM": "USDC/ethereum"},
            "timeout_s": 10,
            **options,
        },
        secrets={"api_key": API_KEY, "api_secret": API_SECRET, **(secrets or {})},
    )


@asynccontextmanager
async def elliptic_world() -> AsyncGenerator[EllipticWorld]:
    """Yield a simulation that is served, and knows the subjects of all tests without a risk."""
    elliptic = SimulatedElliptic(scores=dict.fromkeys((TRANSACTION, PAYEE)))
    for name, score in (("clear", None), ("hit", 9.5)):
        elliptic.scores |= dict.fromkeys(
            (TESTS[name]["transaction"], TESTS[name]["address"]), score
        )
    async with serving(elliptic.app()) as url:
        world = EllipticWorld(elliptic, url)
        yield world
        for copy in world.copies:
            await copy.close()


def deposit(key: UUID | None = None, **changes: Any) -> ScreeningRequest:
    """Return a deposit of 12.345 USDC on POLYGON."""
    values: dict[str, Any] = {
        "org_id": UUID("0190a5c1-0000-7000-8000-000000000000"),
        "amount": "12.345",
        "currency": "usdc",
        "chain": "POLYGON",
        "transaction_hash": TRANSACTION,
        "source_address": SENDER,
        "destination_address": OURS,
        **changes,
    }
    return ScreeningRequest(key=key or new_id(), **values)


def payment(key: UUID | None = None, **changes: Any) -> ScreeningRequest:
    """Return a payment of 12.345 USDC on POLYGON to an address outside."""
    values: dict[str, Any] = {
        "direction": ScreeningDirection.PAYMENT,
        "transaction_hash": None,
        "source_address": OURS,
        "destination_address": PAYEE,
        **changes,
    }
    return deposit(key, **values)


def write_elliptic_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch, url: str, *, is_tested: bool
) -> Path:
    """Install the adapter, and write a providers file with it for deposits and payments of USDC."""
    install_adapter(folder, monkeypatch, "elliptic", "landbridge_elliptic:EllipticScreening")
    (folder / "api_key").write_text(API_KEY)
    (folder / "api_secret").write_text(API_SECRET)
    tests = "\n".join(
        f"[providers.elliptic.options.test.{name}]\n"
        + "\n".join(f'{member} = "{value}"' for member, value in example.items())
        for name, example in TESTS.items()
    )
    path = folder / "providers.toml"
    path.write_text(
        f"""
[providers.elliptic]
package = "elliptic"
secret_files = {{ api_key = "api_key", api_secret = "api_secret" }}
timeout_s = 5

[providers.elliptic.options]
base_url = "{url}"
hit_score = 5
unknown_address = "wait"
assets = {{ "usdc/POLYGON" = "USDC/polygon" }}
timeout_s = 4
{tests if is_tested else ""}

[[screenings]]
provider = "elliptic"
directions = ["deposit", "payment"]
currencies = ["usdc"]
"""
    )
    return path
