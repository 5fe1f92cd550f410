"""Settings of the Elliptic adapter: each mistake has a sentence, and no sentence has a secret."""

from typing import Any

import pytest

from landbridge.providers.packages.interface import PackageSettings, PackageSettingsInvalid
from landbridge_elliptic import EllipticScreening
from landbridge_elliptic.settings import read_settings
from tests.adapters.elliptic.kit import TESTS, package_settings
from tests.adapters.elliptic.simulation import API_KEY, API_SECRET

URL = "https://aml-api.elliptic.co"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"hit_score": 11}, "at `$.hit_score`"),
        ({"hit_score": -1}, "at `$.hit_score`"),
        ({"hit_score": "high"}, "at `$.hit_score`"),
        ({"unknown_address": "guess"}, "at `$.unknown_address`"),
        ({"assets": {}}, "at `$.assets`"),
        ({"assets": {"usdc": "USDC/ethereum"}}, "assets are named currency/CHAIN"),
        ({"assets": {"usdc/ethereum": "USDC/ethereum"}}, "assets are named currency/CHAIN"),
        ({"assets": {"usdc/ETHEREUM": "USDC"}}, "at `$.assets[...]`"),
        ({"categories": {"Dark Market": "darknet"}}, "at `key` in `$.categories`"),
        ({"categories": {"0a52f7a2-5da8-4256-b230-df0da6f8449b": "bad"}}, "`$.categories[...]`"),
        ({"test": {"clear": TESTS["clear"]}}, "missing required field `hit`"),
        ({"test": {**TESTS, "late": TESTS["hit"]}}, "unknown field `late`"),
        ({"test": {**TESTS, "hit": {**TESTS["hit"], "address": "a b"}}}, "at `$.test.hit.address`"),
        ({"timeout_s": 0}, "at `$.timeout_s`"),
        ({"surprise": 1}, "unknown field `surprise`"),
        ({"base_url": "http://example.com"}, "must begin with https://"),
    ],
)
def test_each_mistake_has_a_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PackageSettingsInvalid) as invalid:
        EllipticScreening(package_settings(URL, **options))  # pyright: ignore[reportAbstractUsage]
    assert sentence in str(invalid.value)
    assert API_SECRET not in str(invalid.value)


@pytest.mark.parametrize(
    ("secrets", "sentence"),
    [
        ({"api_key": "a secret"}, "must have api_key"),
        ({"api_key": ""}, "must have api_key"),
        ({"api_secret": "a secret"}, "must have api_secret, in base64"),
        ({"api_secret": ""}, "must have api_secret, in base64"),
        ({"another": "a secret"}, "names that are not known: another"),
    ],
)
def test_no_sentence_has_a_secret(secrets: dict[str, str], sentence: str) -> None:
    with pytest.raises(PackageSettingsInvalid) as invalid:
        read_settings(package_settings(URL, secrets))
    assert sentence in str(invalid.value)
    assert "a secret" not in str(invalid.value)


@pytest.mark.parametrize("missing", ["base_url", "hit_score", "unknown_address", "assets"])
def test_what_the_documentation_leaves_open_must_be_set(missing: str) -> None:
    valid = package_settings(URL)
    options = {name: value for name, value in valid.options.items() if name != missing}
    with pytest.raises(PackageSettingsInvalid, match=missing):
        read_settings(PackageSettings(name="elliptic", options=options, secrets=valid.secrets))


def test_a_secret_may_end_with_a_line_break() -> None:
    secrets = {"api_key": f"{API_KEY}\n", "api_secret": f"{API_SECRET}\n"}
    assert read_settings(package_settings(URL, secrets)) == read_settings(package_settings(URL))


def test_no_secret_is_in_a_text_of_the_settings() -> None:
    text = repr(read_settings(package_settings(URL)))
    assert API_KEY not in text
    assert API_SECRET not in text


async def test_it_says_that_it_was_never_run_live() -> None:
    adapter = EllipticScreening(package_settings(URL))  # pyright: ignore[reportAbstractUsage]
    described = await adapter.describe()
    assert described.never_run_live
    assert described.screening_outcomes == ()
