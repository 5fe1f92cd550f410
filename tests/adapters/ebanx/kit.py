"""Adapter of EBANX against its simulation."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from landbridge.platform.core.ids import new_id
from landbridge.providers.packages.interface import PackageSettings, PayoutRequest
from landbridge_ebanx import EbanxPayouts
from tests.adapters.ebanx.simulation import KEY, UNKNOWN, SimulatedEbanx
from tests.adapters.served import install_adapter, serving

CPF, CLABE = "12345678909", "032180000118359719"
PIX: dict[str, Any] = {
    "type": "brazilGlobalNetwork",
    "brazilGlobalNetwork": {"pix": CPF, "currency": "brl"},
    "accountHolder": {"type": "individual", "name": "Ada Example", "idNumber": CPF},
}
SPEI: dict[str, Any] = {
    "type": "mexico",
    "mexico": {"speiProtocol": "clabe", "speiClabe": CLABE, "currency": "mxn"},
    "accountHolder": {
        "type": "individual",
        "name": "Ada Example",
        "email": "ada@example.com",
        "idNumber": "EXAA900131AB1",
    },
}


@dataclass
class EbanxWorld:
    """The simulation, and copies of the adapter that use it."""

    ebanx: SimulatedEbanx
    url: str
    copies: list[EbanxPayouts] = field(default_factory=list[EbanxPayouts])

    def adapter(self, secrets: Mapping[str, str] | None = None, **options: Any) -> EbanxPayouts:
        """Return another copy of the adapter."""
        settings = package_settings(self.url, secrets, **options)
        copy = EbanxPayouts(settings)  # pyright: ignore[reportAbstractUsage]  it serves payouts
        self.copies.append(copy)
        return copy


def package_settings(
    url: str, secrets: Mapping[str, str] | None = None, **options: Any
) -> PackageSettings:
    """Return settings that are valid, and enough for payees without an e-mail address."""
    return PackageSettings(
        name="ebanx",
        options={
            "base_url": url,
            "commit": True,
            "unknown_codes": [UNKNOWN],
            "payee_email": "payees@example.com",
            "timeout_s": 10,
            **options,
        },
        secrets={"integration_key": KEY, **(secrets or {})},
    )


@asynccontextmanager
async def ebanx_world() -> AsyncGenerator[EbanxWorld]:
    """Yield a simulation that is served."""
    ebanx = SimulatedEbanx()
    async with serving(ebanx.app()) as url:
        world = EbanxWorld(ebanx, url)
        yield world
        for copy in world.copies:
            await copy.close()


def order(
    payee: dict[str, Any] | None = None, *, key: UUID | None = None, **changes: Any
) -> PayoutRequest:
    """Return an order of 12.34 to a payee by PIX, or by SPEI."""
    by = PIX if payee is None else payee
    is_spei = str(by.get("type")).startswith("mexico")
    values: dict[str, Any] = {
        "amount": "12.34",
        "currency": "mxn" if is_spei else "brl",
        "rail": "spei" if is_spei else "pix",
        **changes,
    }
    return PayoutRequest(
        key=key or new_id(), org_id=new_id(), is_same_day=False, texts={}, payee=by, **values
    )


def write_ebanx_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch, url: str, *, is_sandbox: bool
) -> Path:
    """Install the adapter, and write a providers file with it for payouts by PIX and SPEI."""
    install_adapter(folder, monkeypatch, "ebanx", "landbridge_ebanx:EbanxPayouts")
    (folder / "integration_key").write_text(KEY)
    path = folder / "providers.toml"
    path.write_text(
        f"""
[providers.ebanx]
package = "ebanx"
options = {{ base_url = "{url}", commit = true, unknown_codes = ["{UNKNOWN}"], \
payee_email = "payees@example.com", sandbox = {str(is_sandbox).lower()}, timeout_s = 4 }}
secret_files = {{ integration_key = "integration_key" }}
timeout_s = 5

[[payouts]]
providers = ["ebanx"]
rails = ["pix", "spei"]
"""
    )
    return path
