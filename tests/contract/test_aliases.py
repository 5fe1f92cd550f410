"""Every alias of `docs/reference/http.md` that a request can have; others have tests of their own.

`message` is in tests/platform/http/test_error_responses.py, the claims of tokens in
tests/developers/webhooks/test_signing.py, and `GET /ping` in the former.
"""

import pytest

from landbridge.customers.kyc.model import Rail
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.formats.addresses import check_region
from tests.customers.bank_accounts.verified import make_verified
from tests.payments.virtual_accounts.virtual_account_setup import at, deposit_body, make_account
from tests.tenants import Tenant, good, make_user, sentence


@pytest.mark.parametrize(
    ("country", "spelling", "code"),
    [
        ("MEX", "CDMX", "CMX"),
        ("MEX", "DF", "CMX"),
        ("MEX", "Mexico City", "CMX"),
        ("MEX", "Ciudad de Mexico", "CMX"),
        ("MEX", "Edomex", "MEX"),
        ("USA", "Washington DC", "DC"),
        ("USA", "California", "CA"),
        ("USA", "california ", "CA"),
        ("USA", "US-CA", "CA"),
        ("COL", "Bogota", "DC"),
        ("ARG", "CABA", "C"),
        ("BRA", "Sao Paulo", "SP"),
    ],
)
def test_a_region_is_known_by_its_names(country: str, spelling: str, code: str) -> None:
    assert check_region("region", country, spelling) == code


def test_a_region_of_another_country_is_not_known() -> None:
    with pytest.raises(FieldInvalid):
        check_region("region", "USA", "CDMX")


@pytest.mark.parametrize("path", ["submit", "submissions"])
async def test_a_submission_by_either_path_and_either_name(org: Tenant, path: str) -> None:
    user = await make_user(org)
    answer = await org.send("POST", f"/v2/users/{user}/kyc/{path}", {"rails": "USD_EURO"})
    assert answer.json()["error"] == "USER_COMPLIANCE_DATA_INVALID"
    query = {"rails": "USD_EURO"}
    found = good(await org.send("GET", f"/v2/users/{user}/kyc/requirements", **query))
    assert found["rails"] == "USD"
    assert good(await org.send("GET", f"/v2/users/{user}/kyc/status", **query))
    answer = await org.send("GET", f"/v2/users/{user}/kyc/status", rails="EURO")
    assert sentence(answer).startswith("rails must be one of USD, ")


async def test_a_submission_without_a_body_by_the_older_path_only(org: Tenant) -> None:
    user = await make_user(org)
    answer = await org.send("POST", f"/v2/users/{user}/kyc/submit")
    assert answer.json()["errorDetails"] == "the KYC data is not enough for USD: see invalid"
    answer = await org.send("POST", f"/v2/users/{user}/kyc/submissions")
    assert answer.json()["error"] == "FIELD_VALIDATION_ERROR"


@pytest.mark.parametrize("rail", ["wire", "WIRE", "Ach"])
async def test_the_rail_of_a_simulated_deposit_in_any_case(org: Tenant, rail: str) -> None:
    user = await make_verified(org, Rail.USD)
    account = (await make_account(org, user))["id"]
    path = at(user, account, "simulate-deposit")
    assert (await org.post(path, deposit_body("100", paymentRail=rail)))["paymentRail"] == rail
    answer = await org.send("POST", path, deposit_body("100", paymentRail="sepa"))
    assert sentence(answer) == "paymentRail must be one of WIRE, ACH"
