"""The providers file: routes, and a sentence for each mistake."""

from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from landbridge.app.container.provider_services import read_providers
from landbridge.app.settings import SettingsInvalid
from landbridge.platform.core.clock import ReadingClock
from landbridge.platform.db.pool import Database
from landbridge.platform.db.sealing import Sealer, new_key
from landbridge.platform.encryption.service import Vault
from landbridge.providers.rails.none import NoRails
from landbridge.providers.sidecar.configuration import ProvidersFileError, read_providers_file
from tests.providers.sidecar.kit import payment
from tests.tenants import SETTINGS

SECRET = "s" * 32
PROVIDER = """
[providers.acme]
url = "https://acme.example.com"
keys = [{ id = "1", secret_file = "secret" }]
"""
ROUTE = """
[[payouts]]
providers = ["acme"]
"""


def write(folder: Path, text: str, secret: str = SECRET) -> Path:
    (folder / "secret").write_text(secret)
    path = folder / "providers.toml"
    path.write_text(text)
    return path


def test_first_route_that_matches_counts(tmp_path: Path) -> None:
    order = payment()
    text = f"""{PROVIDER}
[providers.other]
url = "http://127.0.0.1:9000"
keys = [{{ id = "1", secret_file = "secret" }}, {{ id = "2", secret_file = "secret" }}]
[[payouts]]
providers = ["other"]
organisations = ["{order.org_id}"]
countries = ["BRA"]
[[payouts]]
providers = ["acme", "other"]
rails = ["ACH"]
currencies = ["usd"]
"""
    file = read_providers_file(write(tmp_path, text))
    assert file.providers_for(order.destination) == ("acme", "other")
    assert file.providers_for(replace(order, rail="wire").destination) == ()
    holder = {**order.payee["accountHolder"], "address": {"country": "BRA"}}
    brazilian = replace(order, payee={**order.payee, "accountHolder": holder})
    assert file.providers_for(brazilian.destination) == ("other",)
    assert file.providers_for(replace(brazilian, org_id=payment().org_id).destination) == (
        "acme",
        "other",
    )
    assert SECRET not in repr(file)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[", "not valid TOML"),
        ("", "missing required field `providers`"),
        ("[providers]", "at least one provider"),
        (PROVIDER.replace("acme]", "Acme]"), "small letters"),
        (PROVIDER.replace("https", "http") + ROUTE.replace("acme", "x"), "which providers has not"),
        (PROVIDER.replace("acme.example.com", "169.254.169.254"), "link-local"),
        (PROVIDER + "timeout = 3", "unknown field `timeout`"),
        (PROVIDER + "timeout_s = 99", "<= 30"),
        (PROVIDER.replace('"secret"', '"none"'), "can't be read"),
        (PROVIDER.replace('"1"', '"a b"'), "must have 1 to 40 letters"),
        (PROVIDER + ROUTE + 'currencies = ["xxx"]', "payouts[0].currencies has xxx"),
        (PROVIDER + ROUTE + 'countries = ["BR"]', "no code of three letters"),
        (PROVIDER + ROUTE + 'organisations = ["x"]', "Invalid UUID"),
        (PROVIDER + ROUTE.replace('"acme"', '"acme", "acme"'), "one name twice"),
        (PROVIDER + '[rates]\nprovider = "x"', "rates.provider names x, which providers has not"),
    ],
)
def test_a_mistake_is_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(ProvidersFileError) as caught:
        read_providers_file(write(tmp_path, text))
    assert sentence in str(caught.value)
    assert SECRET not in str(caught.value)


def test_a_short_secret_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProvidersFileError, match="must hold 32 to 1000 characters"):
        read_providers_file(write(tmp_path, PROVIDER, "s" * 31))


async def test_an_unknown_rail_is_refused_at_the_start(database: Database, tmp_path: Path) -> None:
    path = write(tmp_path, PROVIDER + ROUTE + 'rails = ["ahc"]')
    settings = structs.replace(SETTINGS, providers_file=str(path))
    with pytest.raises(SettingsInvalid, match=r"payouts\[0\].rails has ahc; there are"):
        read_providers(settings, Vault(Sealer(new_key())), database, ReadingClock(), NoRails())


def test_a_route_of_deposits_names_one_provider(tmp_path: Path) -> None:
    org_id = payment().org_id
    text = f"""{PROVIDER}
[providers.other]
url = "http://127.0.0.1:9000"
keys = [{{ id = "1", secret_file = "secret" }}]
poll_s = 60
[[deposits]]
provider = "other"
currencies = ["eur"]
organisations = ["{org_id}"]
[[deposits]]
provider = "acme"
currencies = ["usd", "eur"]
"""
    file = read_providers_file(write(tmp_path, text))
    assert file.deposit_provider(org_id, "eur") == "other"
    assert file.deposit_provider(payment().org_id, "eur") == "acme"
    assert file.deposit_provider(org_id, "usd") == "acme"
    assert file.deposit_provider(org_id, "brl") is None
    assert [file.sidecars[name].poll_s for name in ("acme", "other")] == [10, 60]


@pytest.mark.parametrize(
    ("route", "sentence"),
    [
        ('provider = "nobody"', r"deposits\[0\].provider names nobody, which providers has not"),
        ('provider = "acme"\ncurrencies = ["xau"]', r"deposits\[0\].currencies has xau; there are"),
        ('provider = "acme"\ncurrencies = []', "deposits"),
        ('provider = "acme"\nrails = ["ach"]', "unknown field `rails`"),
        ('providers = ["acme"]', "unknown field `providers`"),
    ],
)
def test_a_wrong_route_of_deposits_is_a_sentence(tmp_path: Path, route: str, sentence: str) -> None:
    with pytest.raises(ProvidersFileError, match=sentence):
        read_providers_file(write(tmp_path, f"{PROVIDER}[[deposits]]\n{route}\n"))
