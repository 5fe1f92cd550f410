from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.money import Money
from landbridge.platform.formats.file_errors import FileRejected
from landbridge.providers.iso20022 import pain001
from landbridge.providers.iso20022.messages import (
    Charges,
    ClearingMember,
    CreditTransfer,
    Initiation,
    IsoParty,
    Service,
)
from landbridge.providers.rails.currencies import FIAT
from tests.providers.iso20022.builders import (
    DOLLAR,
    EURO,
    THEIR_IBAN,
    US_BANK,
    golden,
    initiations,
    make_initiation,
    make_transfer,
    make_wire,
    transfers,
    why_invalid,
)

SEPA, INSTANT, SWIFT, WIRE = Service.SEPA, Service.SEPA_INSTANT, Service.SWIFT, Service.WIRE
GOLDEN = {
    "pain001-sepa.xml": make_initiation(
        make_transfer(),
        make_transfer(
            end_to_end_id="0198c4be1f6a7d30a1b2c3d4e5f60719",
            money=Money(99, EURO),
            creditor=IsoParty(name="Γιώργος Παπαδόπουλος", country="GR"),
            bic="BNPAFRPPXXX",
            purpose="SALA",
            remittance=None,
        ),
    ),
    "pain001-instant.xml": make_initiation(service=INSTANT),
    "pain001-swift.xml": make_initiation(
        make_wire(
            bic="CHASUS33",
            clearing_member=None,
            charges=Charges.DEBTOR,
            creditor=IsoParty(
                name="Zhōu Trading",
                country="CN",
                town="Shanghai",
                postcode="200000",
                address_lines=("1 Nanjing Road",),
            ),
            purpose="payment_for_services",
        ),
        service=SWIFT,
    ),
    "pain001-wire.xml": make_initiation(make_wire(), service=WIRE),
}


@given(initiations())
def test_a_written_message_is_read_again(initiation: Initiation) -> None:
    raw = pain001.write(initiation)
    assert pain001.read(raw) == initiation
    assert pain001.write(pain001.read(raw)) == raw


@pytest.mark.parametrize("name", GOLDEN)
def test_files_are_the_golden_ones(name: str) -> None:
    raw = pain001.write(GOLDEN[name])
    assert raw == golden(name)
    assert why_invalid(raw, "pain.001.001.09") is None


@given(
    st.sampled_from(Service).flatmap(
        lambda service: st.tuples(st.just(service), transfers(service))
    ),
    st.text(max_size=80),
    st.text(max_size=150),
    st.text(max_size=40),
)
def test_every_accepted_payment_can_be_written(
    payment: tuple[Service, CreditTransfer], name: str, remittance: str, word: str
) -> None:
    service, transfer = payment
    for changed in (
        replace(transfer, creditor=IsoParty(name=name), remittance=remittance, bank_name=word),
        replace(transfer, purpose=word),
        replace(
            transfer, creditor=IsoParty(name="A", town=word, country="DE", address_lines=(name,))
        ),
        replace(transfer, creditor=IsoParty(name="A", country=word)),
        replace(transfer, bic=word),
        replace(transfer, iban=None, account_number=word),
        replace(transfer, iban=word, account_number=None),
    ):
        if pain001.rejection_reason(changed, service) is None:
            raw = pain001.write(make_initiation(changed, service=service))
            assert pain001.read(raw).transfers[0].money == changed.money


@pytest.mark.parametrize(
    ("service", "changes", "reason"),
    [
        (SEPA, {"money": Money(0, EURO)}, "the amount must be positive"),
        (SEPA, {"money": Money(10**11, EURO)}, "larger"),
        (WIRE, {"money": Money(10**14, DOLLAR)}, "larger"),
        (SEPA, {"money": Money(100, DOLLAR)}, "euro alone"),
        (INSTANT, {"money": Money(100, DOLLAR)}, "euro alone"),
        (SEPA, {"iban": None, "account_number": "123456"}, "one of its countries"),
        (SEPA, {"iban": "BR1800360305000010009795493C1"}, "one of its countries"),
        (SEPA, {"iban": "DE88370400440532013000"}, "IBAN is not right"),
        (SEPA, {"account_number": "123456"}, "not both"),
        (SEPA, {"iban": None}, "not both"),
        (SEPA, {"bic": "NOBODY"}, "BIC of the payee's bank is not right"),
        (SEPA, {"charges": Charges.SHARED}, "SEPA fixes"),
        (SEPA, {"purpose": "gift"}, "list of codes"),
        (SEPA, {"creditor": IsoParty(name="王小明")}, "letters that this rail"),
        (SEPA, {"creditor": IsoParty(name="A" * 71)}, "1 to 70 letters"),
        (SEPA, {"creditor": IsoParty(name="ß" * 36)}, "1 to 70 letters"),
        (SEPA, {"creditor": IsoParty(name=" ")}, "1 to 70 letters"),
        (SEPA, {"creditor": IsoParty(name="A", town="Paris")}, "its town or its country"),
        (SEPA, {"creditor": IsoParty(name="A", country="XX")}, "country is not known"),
        (SEPA, {"remittance": "x" * 141}, "140 letters"),
        (SWIFT, {"bic": None}, "BIC of the payee's bank is missing"),
        (SWIFT, {"bic": "CHASUS33", "purpose": "x" * 36}, "35 letters"),
        (WIRE, {"clearing_member": None}, "routing number"),
        (WIRE, {"clearing_member": ClearingMember("USABA", "12")}, "routing number"),
        (WIRE, {"money": Money(1, EURO)}, "US dollars alone"),
        (WIRE, {"iban": THEIR_IBAN, "account_number": None}, "account number"),
        (WIRE, {"account_number": "1" * 35}, "1 to 34"),
        (WIRE, {"account_number": "12ü"}, "1 to 34"),
    ],
)
def test_invalid_payments_are_detected_in_advance(
    service: Service, changes: dict[str, Any], reason: str
) -> None:
    transfer = make_wire(**changes) if service in {SWIFT, WIRE} else make_transfer(**changes)
    found = pain001.rejection_reason(transfer, service)
    assert found is not None
    assert reason in found
    with pytest.raises(InvariantBroken, match="not for this file"):
        pain001.write(make_initiation(transfer, service=service))


def test_an_address_has_two_lines_and_is_cut() -> None:
    address = IsoParty(name="A", town="T" * 40, country="US", address_lines=("x" * 80, "y"))
    raw = pain001.write(make_initiation(make_wire(creditor=address), service=WIRE))
    read = pain001.read(raw).transfers[0].creditor
    assert (read.town, read.address_lines) == ("T" * 35, ("x" * 70, "y"))
    three = IsoParty(name="A", town="T", country="US", address_lines=("1", "2", "3"))
    assert pain001.rejection_reason(make_wire(creditor=three), WIRE) is not None


def test_a_file_has_payments_of_one_currency() -> None:
    with pytest.raises(InvariantBroken, match="one currency"):
        pain001.write(make_initiation(transfers=()))
    swift = make_wire(bic="CHASUS33", clearing_member=US_BANK)
    mixed = (swift, replace(swift, money=Money(5, EURO)))
    with pytest.raises(InvariantBroken, match="one currency"):
        pain001.write(make_initiation(*mixed, service=SWIFT))


def test_a_file_that_breaks_the_schema_is_never_returned() -> None:
    with pytest.raises(InvariantBroken, match="breaks the schema at line 5") as caught:
        pain001.write(make_initiation(message_id="x" * 36))
    assert "xxx" not in str(caught.value)


def test_currencies_without_decimals_have_none() -> None:
    transfer = make_wire(money=Money(1500, FIAT["rwf"]), bic="CHASUS33")
    raw = pain001.write(make_initiation(transfer, service=SWIFT))
    assert b'<InstdAmt Ccy="RWF">1500</InstdAmt>' in raw


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b"<NbOfTxs>2<", b"<NbOfTxs>3<", "count of payments"),
        (b"<NbOfTxs>2<", b"<NbOfTxs>two<", "no whole number"),
        (b"<CtrlSum>11.49<", b"<CtrlSum>11.50<", "control sum is not"),
        (b"<CtrlSum>11.49<", b"<CtrlSum>NaN<", "control sum is not a plain"),
        (b'Ccy="EUR">0.99', b'Ccy="USD">0.99', "more than one currency"),
        (b'Ccy="EUR">0.99', b'Ccy="XXX">0.99', "not known here"),
        (b">0.99<", b">-0.99<", "is negative"),
        (b">0.99<", b">0.999<", "more than 2 decimals"),
        (b">0.99<", b">1e99<", "not a plain decimal"),
        (b"<Cd>SEPA</Cd>", b"<Cd>MOON</Cd>", "rail of the payments"),
        (b"2026-11-23", b"2026-11-31", "no day"),
        (b"2026-11-20T09:30:00Z", b"20261120", "no moment"),
        (b"pain.001.001.09", b"pain.001.001.03", "version 03"),
        (b"pain.001.001.09", b"pain.008.001.09", "no pain.001"),
        (b"CstmrCdtTrfInitn", b"Something", "without CstmrCdtTrfInitn"),
        (b"PmtInf>", b"Pmt>", "one block"),
        (b"CdtTrfTxInf>", b"Tx>", "has no payment"),
        (b"<Nm>Example Payments GmbH</Nm>", b"", "payer's name"),
        (b"<Nm>Giorgos Papadopoulos</Nm>", b"", "Payment 2: the payee's name"),
        (b"<Cdtr>", b"<ChrgBr>NOBODY</ChrgBr><Cdtr>", "bears the charges"),
        (b"InstdAmt", b"EqvtAmt", "its amount is missing"),
        (b"</EndToEndId>", b"</EndToEndId><UETR>7</UETR>", "UETR"),
    ],
)
def test_a_file_that_was_changed_is_refused(old: bytes, new: bytes, reason: str) -> None:
    raw = golden("pain001-sepa.xml")
    assert old in raw
    changed = raw.replace(old, new)
    with pytest.raises(FileRejected, match=reason):
        pain001.read(changed)
