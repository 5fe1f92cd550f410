"""Settings of the Increase adapter: each mistake has a sentence, and no sentence has a secret."""

from typing import Any

import pytest

from landbridge.providers.packages.interface import (
    PackageSettings,
    PackageSettingsInvalid,
    RequestedOutcome,
)
from landbridge_increase import IncreaseBank
from landbridge_increase.settings import read_settings
from tests.adapters.increase.kit import DEPOSITS, package_settings
from tests.adapters.increase.simulation import KEY, SECRET

URL = "https://sandbox.increase.com"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"account_id": "Account 1"}, "at `$.account_id`"),
        ({"statement_descriptor": ""}, "at `$.statement_descriptor`"),
        ({"company_name": "more than sixteen"}, "at `$.company_name`"),
        ({"invalid_operation": "guess"}, "at `$.invalid_operation`"),
        ({"instant_network": "zelle"}, "at `$.instant_network`"),
        ({"instant_network": "fednow", "debtor_name": None}, "needs debtor_name"),
        ({"test_outcomes": ["refuse"]}, "test_outcomes may have settle, return and fail"),
        ({"timeout_s": 0}, "at `$.timeout_s`"),
        ({"surprise": 1}, "unknown field `surprise`"),
        ({"deposits": {**DEPOSITS, "since": "2026-01-01T00:00:00"}}, "at `$.deposits.since`"),
        ({"deposits": {**DEPOSITS, "networks": ["fednow"]}}, "at `$.deposits.networks[0]`"),
        ({"deposits": {**DEPOSITS, "networks": []}}, "at `$.deposits.networks`"),
        ({"base_url": "https://api.increase.com", "sandbox": True}, "sandbox = true does not go"),
        ({"base_url": "http://example.com"}, "must begin with https://"),
    ],
)
def test_each_mistake_has_a_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PackageSettingsInvalid) as invalid:
        IncreaseBank(package_settings(URL, **options))  # pyright: ignore[reportAbstractUsage]
    assert sentence in str(invalid.value)
    assert KEY not in str(invalid.value)


@pytest.mark.parametrize(
    ("secrets", "sentence"),
    [
        ({"api_key": "a secret"}, "api_key must have 8 to 200 characters"),
        ({"api_key": ""}, "api_key must have 8 to 200 characters"),
        ({"webhook_secret": "a secret"}, "webhook_secret must have 8 to 200 characters"),
        ({"another": "a secret"}, "names that are not known: another"),
    ],
)
def test_no_sentence_has_a_secret(secrets: dict[str, str], sentence: str) -> None:
    with pytest.raises(PackageSettingsInvalid) as invalid:
        read_settings(package_settings(URL, secrets))
    assert sentence in str(invalid.value)
    assert "a secret" not in str(invalid.value)


@pytest.mark.parametrize(
    "missing",
    ["base_url", "account_id", "statement_descriptor", "company_name", "invalid_operation"],
)
def test_what_the_documentation_leaves_open_must_be_set(missing: str) -> None:
    valid = package_settings(URL)
    options = {name: value for name, value in valid.options.items() if name != missing}
    with pytest.raises(PackageSettingsInvalid, match=missing):
        read_settings(PackageSettings(name="increase", options=options, secrets=valid.secrets))


def test_an_api_key_is_needed() -> None:
    valid = package_settings(URL)
    with pytest.raises(PackageSettingsInvalid, match="must have api_key"):
        read_settings(PackageSettings(name="increase", options=valid.options, secrets={}))


def test_secrets_are_in_no_text_of_the_settings() -> None:
    shown = repr(read_settings(package_settings(URL)))
    assert KEY not in shown
    assert SECRET not in shown


async def test_it_says_that_it_was_never_run_live() -> None:
    adapter = IncreaseBank(package_settings(URL))  # pyright: ignore[reportAbstractUsage]
    described = await adapter.describe()
    assert (described.name, described.never_run_live) == ("Increase", True)
    assert (described.test_outcomes, described.deposits) == ((), ())


async def test_the_sandbox_has_the_test_outcomes_of_the_settings() -> None:
    settings = package_settings(URL, sandbox=True, test_outcomes=["settle", "return"])
    described = await IncreaseBank(settings).describe()  # pyright: ignore[reportAbstractUsage]
    assert described.test_outcomes == (RequestedOutcome.SETTLE, RequestedOutcome.RETURN)
