"""Settings of the EBANX adapter: each mistake has a sentence, and no sentence has a secret."""

from typing import Any

import pytest

from landbridge.providers.packages.interface import PackageSettings, PackageSettingsInvalid
from landbridge_ebanx import EbanxPayouts
from landbridge_ebanx.settings import read_settings
from tests.adapters.ebanx.kit import package_settings
from tests.adapters.ebanx.simulation import KEY

URL = "https://sandbox.ebanxpay.com"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"commit": "yes"}, "options are not valid: Expected `bool`, got `str` - at `$.commit`"),
        ({"unknown_codes": []}, "at `$.unknown_codes`"),
        ({"unknown_codes": ["a b"]}, "codes have capital letters"),
        ({"unknown_codes": ["HP-CM-03"]}, "a code has one meaning"),
        ({"unknown_codes": ["HP-BR-03"]}, "a code has one meaning"),
        ({"refusals": {"HP-CM-03": "other"}}, "a code has one meaning"),
        ({"refusals": {"HP-XX-01": "unheard"}}, "at `$.refusals[...]`"),
        ({"payee_email": "nobody"}, "payee_email is not an e-mail address"),
        ({"timeout_s": 0}, "at `$.timeout_s`"),
        ({"surprise": 1}, "unknown field `surprise`"),
        ({"base_url": "https://api.ebanxpay.com", "sandbox": True}, "sandbox = true does not go"),
        ({"base_url": "http://example.com"}, "must begin with https://"),
    ],
)
def test_each_mistake_has_a_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PackageSettingsInvalid) as invalid:
        EbanxPayouts(package_settings(URL, **options))  # pyright: ignore[reportAbstractUsage]
    assert sentence in str(invalid.value)
    assert KEY not in str(invalid.value)


@pytest.mark.parametrize(
    ("secrets", "sentence"),
    [
        ({"integration_key": "a secret"}, "must have integration_key"),
        ({"integration_key": ""}, "must have integration_key"),
        ({"certificate": "a secret"}, "certificate is not a certificate in PEM"),
        ({"another": "a secret"}, "names that are not known: another"),
    ],
)
def test_no_sentence_has_a_secret(secrets: dict[str, str], sentence: str) -> None:
    with pytest.raises(PackageSettingsInvalid) as invalid:
        read_settings(package_settings(URL, secrets))
    assert sentence in str(invalid.value)
    assert "a secret" not in str(invalid.value)


@pytest.mark.parametrize("missing", ["base_url", "commit", "unknown_codes"])
def test_what_the_documentation_leaves_open_must_be_set(missing: str) -> None:
    valid = package_settings(URL)
    options = {name: value for name, value in valid.options.items() if name != missing}
    with pytest.raises(PackageSettingsInvalid, match=missing):
        read_settings(PackageSettings(name="ebanx", options=options, secrets=valid.secrets))


def test_the_key_is_in_no_text_of_the_settings() -> None:
    assert KEY not in repr(read_settings(package_settings(URL)))


async def test_it_says_that_it_was_never_run_live() -> None:
    adapter = EbanxPayouts(package_settings(URL))  # pyright: ignore[reportAbstractUsage]
    described = await adapter.describe()
    assert described.never_run_live
    assert described.test_outcomes == ()
