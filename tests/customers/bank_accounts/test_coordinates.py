"""Account coordinates: equal for one account, whoever registers it and in whatever form."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from landbridge.customers.bank_accounts.coordinates import coordinates_of, hashed
from landbridge.customers.bank_accounts.model import (
    BankAccount,
    BankAccountSecret,
    BankAccountStatus,
)
from landbridge.customers.bank_accounts.parsing import read
from landbridge.platform.core.ids import new_id
from landbridge.platform.encryption.model import DataKey
from tests.customers.bank_accounts.bodies import ADDRESS, cases, having, whole, without
from tests.matrices import in_one_test

AT = datetime(2026, 1, 2, tzinfo=UTC)
CASES = {str(case): case for case in cases()}


def account(body: dict[str, Any]) -> BankAccount:
    """Return the account of a body, as the service would store it for a new user."""
    reading = read(body, today=AT.date())
    return BankAccount(
        org_id=new_id(),
        id=new_id(),
        user_id=new_id(),
        request_id=None,
        ramp=reading.ramp,
        type=reading.table.name,
        currency=reading.currency,
        status=BankAccountStatus.ACTIVE,
        secret=BankAccountSecret(holder=reading.holder, bank=reading.bank),
        version=1,
        created_at=AT,
        updated_at=AT,
        metadata={},
    )


def coordinates(type_: str, bank: dict[str, Any], **holder: Any) -> frozenset[str]:
    """Return the coordinates of an account for payouts."""
    body: dict[str, Any] = {"rail": "offramp", "type": type_, type_: bank}
    if holder:
        body["accountHolder"] = {"type": "individual", **holder}
    return coordinates_of(account(body))


@in_one_test(CASES)
def test_an_account_with_a_number_has_coordinates(name: str) -> None:
    body = whole(CASES[name])
    table = CASES[name].table
    found = coordinates_of(account(body))
    # An African bank account for onramps has no number.
    has_number = table.holder_key is not None or any(
        each in body[table.name] for each in table.numbers
    )
    assert bool(found) == has_number


PIX = {"currency": "brl"}
GLOBAL = {"name": "Ada Example", "address": ADDRESS, "nationality": "BRA"}
PHONE = {"name": "Ada Example", "phone": "+254712345678"}
KENYA = {"currency": "kes", "country": "KEN", "accountType": "momo", "financialInstitute": "M"}
ID = {"email": "ada@example.com", "idType": "CC", "idNumber": "1"}
CLABE = "032180000118359719"
CBU = "2850590940090418135201"


def test_one_pix_key_is_the_same_in_each_type_and_spelling() -> None:
    found = coordinates("brazil", {**PIX, "pixKey": "123.456.789-09"})
    assert found == coordinates("brazil", {**PIX, "pixKey": "12345678909"})
    assert found == coordinates("brazilGlobalNetwork", {**PIX, "pix": "123 456 789 09"}, **GLOBAL)
    as_holder = coordinates("brazilGlobalNetwork", PIX, **GLOBAL, idNumber="123.456.789-09")
    assert found == as_holder
    email = coordinates("brazil", {**PIX, "pixKey": "Ada@Example.com"})
    body = {**PIX, "email": "ADA@example.com"}
    assert email == coordinates("brazilGlobalNetwork", body, **GLOBAL)
    assert not email & found


def test_one_clabe_is_the_same_in_both_types() -> None:
    mexico = {"speiProtocol": "clabe", "speiClabe": "032 180 00011835971 9", "currency": "mxn"}
    found = coordinates("mexico", mexico, name="Ada Example")
    body = {"speiClabe": CLABE, "currency": "mxn"}
    assert found == coordinates("mexicoGlobalNetwork", body, **GLOBAL, idNumber="1")
    phone = {
        "speiProtocol": "phonenum",
        "speiClabe": "5512345678",
        "speiInstitutionCode": "40012",
        "currency": "mxn",
    }
    assert not found & coordinates("mexico", phone, name="Ada Example")


@pytest.mark.parametrize("number", ["254712345678", "0712345678", "0712 345-678", "712345678"])
def test_one_mobile_money_number_is_the_same_in_each_spelling(number: str) -> None:
    found = coordinates("africa", {**KENYA, "accountNumber": "+254712345678"}, **PHONE)
    assert found == coordinates("africa", {**KENYA, "accountNumber": number}, **PHONE)
    other = {**KENYA, "accountNumber": "+254712345679"}
    assert not found & coordinates("africa", other, **PHONE)


def test_an_iban_is_the_same_in_each_type_case_and_spacing() -> None:
    us = next(whole(case) for case in CASES.values() if "swift" in case.words.values())
    us = having(without(us, "us.accountNumber"), "us.iban", "de89 3704 0044 0532 0130 00")
    europe = {"iban": "DE89370400440532013000", "currency": "eur"}
    found = coordinates("europeGlobalNetwork", europe, **GLOBAL)
    assert found == coordinates_of(account(us))


def test_a_number_belongs_to_its_bank_and_leading_zeros_are_loose() -> None:
    body = next(whole(case) for case in CASES.values() if "ach" in case.words.values())
    body = without(body, "us.swiftCode")

    def of(routing: str, number: str) -> frozenset[str]:
        changed = having(body, "us.routingNumber", routing)
        return coordinates_of(account(having(changed, "us.accountNumber", number)))

    found = of("021000021", "000123456789")
    assert found == of("021 000 021", "0001-2345-6789")
    loose = of("021000021", "123456789")
    assert found & loose
    assert not loose <= found
    assert not found & of("011401533", "000123456789")


def test_a_bank_name_is_only_in_the_exact_coordinate() -> None:
    body = {"accountNumber": "00123456789", "accountType": "savings", "currency": "cop"}
    by_name = coordinates("colombia", {**body, "bankName": "Bancolombia"}, name="A B", **ID)
    by_code = coordinates("colombia", {**body, "bankCode": "1007"}, name="A B", **ID)
    assert by_name & by_code
    assert not by_name <= by_code
    nigeria = {"accountNumber": "0123456789", "currency": "ngn"}
    networked = coordinates("nigeriaGlobalNetwork", {**nigeria, "bankName": "GT  Bank"}, **GLOBAL)
    local = {**nigeria, "country": "NGA", "accountType": "bank", "financialInstitute": "gtbank"}
    assert networked == coordinates("africa", local, **PHONE)


def test_a_branch_of_a_bic_is_no_other_bank() -> None:
    body = {"bankName": "B", "accountNumber": "00123456789", "currency": "sgd"}
    found = coordinates("singaporeGlobalNetwork", {**body, "swiftCode": "DBSSSGSG"}, **GLOBAL)
    branch = coordinates(
        "singaporeGlobalNetwork", {**body, "swiftCode": "dbss sg sg xxx"}, **GLOBAL
    )
    assert found == branch
    other = coordinates("singaporeGlobalNetwork", {**body, "swiftCode": "OCBCSGSG"}, **GLOBAL)
    assert not found & other


def test_hashes_depend_on_the_key() -> None:
    one = account(whole(next(iter(CASES.values()))))
    key, other = DataKey(b"1" * 32), DataKey(b"2" * 32)
    assert hashed(one, key) == hashed(one, key)
    assert not hashed(one, key) & hashed(one, other)
    assert len(hashed(one, key)) == len(coordinates_of(one))


def test_an_erased_account_has_no_coordinates() -> None:
    whole_ = account(whole(next(iter(CASES.values()))))
    assert coordinates_of(whole_)
    assert not coordinates_of(replace(whole_, secret=None))
