"""Messages to write and read: some fixed, others by hypothesis; ISO's schemas to validate them."""

from datetime import UTC, date, datetime
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from schwifty import IBAN

from landbridge.platform.core.money import Money
from landbridge.providers.iso20022.entries import NO_REFERENCE
from landbridge.providers.iso20022.messages import (
    BankStatement,
    Charges,
    ClearingMember,
    CreditTransfer,
    Debtor,
    EntryStatus,
    Initiation,
    IsoParty,
    OtherParty,
    Service,
    StatementEntry,
    StatusReport,
    Transaction,
    TransactionStatus,
)
from landbridge.providers.iso20022.reasons import REASONS
from landbridge.providers.rails.currencies import FIAT

GOLDEN = Path(__file__).parents[1] / "golden"
AT = datetime(2026, 11, 20, 9, 30, 0, tzinfo=UTC)
DAY = date(2026, 11, 23)
OUR_IBAN = "DE89370400440532013000"
THEIR_IBAN = "FR1420041010050500013M02606"
EURO, DOLLAR = FIAT["eur"], FIAT["usd"]
US_BANK = ClearingMember("USABA", "021000021")
_SCHEMAS = {
    "pain.001": ("sepaxml", "schemas"),
    "pain.002": ("pain001", "pain002/schemas"),
    "camt.053": ("camt053", "xsd"),
}


def why_invalid(raw: bytes, message: str) -> str | None:
    """Return the violation of a message's ISO schema, for example `camt.053.001.08`, or None.

    The schemas come with packages, which are never imported.
    """
    package, folder = _SCHEMAS[message[:8]]
    spec = find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations
    path = Path(spec.submodule_search_locations[0]) / folder / f"{message}.xsd"
    etree: Any = import_module("lxml.etree")
    schema = etree.XMLSchema(etree.parse(str(path)))
    return None if schema.validate(etree.fromstring(raw)) else str(schema.error_log)


def golden(name: str) -> bytes:
    return (GOLDEN / name).read_bytes()


# Fixed messages


def make_transfer(**changes: Any) -> CreditTransfer:
    defaults: dict[str, Any] = {
        "end_to_end_id": "0198c4be1f6a7d30a1b2c3d4e5f60718",
        "money": Money(1050, EURO),
        "creditor": IsoParty(name="Élodie Ångström & Søn"),
        "iban": THEIR_IBAN,
        "remittance": "Invoice 7/2026",
    }
    return CreditTransfer(**{**defaults, **changes})


def make_wire(**changes: Any) -> CreditTransfer:
    defaults: dict[str, Any] = {
        "money": Money(123_456_789, DOLLAR),
        "iban": None,
        "account_number": "000123456789",
        "clearing_member": US_BANK,
        "bank_name": "Test Bank",
    }
    return make_transfer(**{**defaults, **changes})


def make_initiation(*transfers: CreditTransfer, **changes: Any) -> Initiation:
    defaults: dict[str, Any] = {
        "message_id": "LB-20261120-000007",
        "created_at": AT,
        "initiator_name": "Example Payments",
        "initiator_id": "EX12345",
        "debtor": Debtor(
            party=IsoParty(
                name="Example Payments GmbH",
                country="DE",
                town="Köln",
                postcode="50667",
                address_lines=("Domstraße 1",),
            ),
            iban=OUR_IBAN,
            bic="COBADEFFXXX",
        ),
        "service": Service.SEPA,
        "execution_date": DAY,
        "transfers": transfers or (make_transfer(),),
    }
    return Initiation(**{**defaults, **changes})


def make_transaction(units: int = 1050, **changes: Any) -> Transaction:
    defaults: dict[str, Any] = {
        "money": Money(units, EURO),
        "is_credit": True,
        "bank_reference": "BANK-1",
        "end_to_end_id": "INV-7",
        "other_party": OtherParty(name="Jane Payer", account=THEIR_IBAN, bic="BNPAFRPPXXX"),
        "remittance": "for order 7",
        "code": "PMNT/RCDT/ESCT",
    }
    return Transaction(**{**defaults, **changes})


def make_entry(*transactions: Transaction, **changes: Any) -> StatementEntry:
    held = transactions or (make_transaction(),)
    signed = sum(each.money.units if each.is_credit else -each.money.units for each in held)
    defaults: dict[str, Any] = {
        "is_credit": signed >= 0,
        "status": EntryStatus.BOOKED,
        "money": Money(abs(signed), held[0].money.asset),
        "transactions": held,
        "reference": "ENTRY-1",
        "booked_on": DAY,
        "value_on": DAY,
    }
    return StatementEntry(**{**defaults, **changes})


def make_statement(
    *entries: StatementEntry, opening: int = 10_000, **changes: Any
) -> BankStatement:
    moved = sum(
        each.money.units if each.is_credit else -each.money.units
        for each in entries
        if each.status is EntryStatus.BOOKED
    )
    defaults: dict[str, Any] = {
        "id": "STMT-2026-230",
        "account": OUR_IBAN,
        "currency": "eur",
        "created_at": AT,
        "number": 230,
        "opening": Money(opening, EURO),
        "closing": Money(opening + moved, EURO),
        "closing_on": AT.date(),
        "entries": entries,
    }
    return BankStatement(**{**defaults, **changes})


# Messages by hypothesis

# As written: in the bank character set, without outer or repeated blanks.
_LETTERS = st.characters(codec="ascii", categories=("L", "N"), include_characters="/-?:().,'+")


def words(length_max: int) -> st.SearchStrategy[str]:
    return (
        st.lists(st.text(_LETTERS, min_size=1, max_size=12), min_size=1, max_size=8)
        .map(" ".join)
        .filter(lambda text: len(text) <= length_max)
    )


ids = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=35).filter(
    lambda text: text.upper().strip("0") not in NO_REFERENCE
)
moments = st.datetimes(
    datetime(2000, 1, 1),  # noqa: DTZ001  hypothesis adds the zone
    datetime(2100, 1, 1),  # noqa: DTZ001  as above
    timezones=st.just(UTC),
).map(lambda at: at.replace(microsecond=0))
days = st.dates(date(2000, 1, 1), date(2100, 1, 1))
uetrs = st.uuids(version=4)
bics = st.sampled_from(["COBADEFFXXX", "BNPAFRPP", "DEUTDEFF500", "CHASUS33"])
ibans = st.integers(0, 10**10 - 1).map(
    lambda number: str(IBAN.generate("DE", bank_code="37040044", account_code=f"{number:010}"))
)
other_numbers = st.text(st.characters(codec="ascii", categories=("Nd",)), min_size=4, max_size=30)


def _or_none(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


@st.composite
def parties(draw: st.DrawFn) -> IsoParty:
    if draw(st.booleans()):
        return IsoParty(name=draw(words(70)), country=draw(st.none() | st.just("FR")))
    return IsoParty(
        name=draw(words(70)),
        country=draw(st.sampled_from(["DE", "US", "CN", "GB"])),
        town=draw(words(35)),
        postcode=draw(_or_none(words(16))),
        address_lines=tuple(draw(st.lists(words(70), max_size=2))),
    )


@st.composite
def transfers(draw: st.DrawFn, service: Service) -> CreditTransfer:
    is_sepa = service in {Service.SEPA, Service.SEPA_INSTANT}
    is_wire = service is Service.WIRE
    has_iban = is_sepa or (not is_wire and draw(st.booleans()))
    asset = EURO if is_sepa else DOLLAR
    codes = st.sampled_from(["SALA", "SUPP", "GDDS"])
    return CreditTransfer(
        end_to_end_id=draw(ids),
        money=Money(draw(st.integers(1, 10 ** (11 if is_sepa else 14) - 1)), asset),
        creditor=draw(parties()),
        iban=draw(ibans) if has_iban else None,
        account_number=None if has_iban else draw(other_numbers),
        bic=draw(bics) if service is Service.SWIFT else draw(_or_none(bics)),
        clearing_member=US_BANK if is_wire else None,
        bank_name=None if is_sepa else draw(_or_none(words(100))),
        remittance=draw(_or_none(words(140))),
        purpose=draw(_or_none(codes if is_sepa else codes | words(35))),
        uetr=draw(_or_none(uetrs)),
        charges=None if is_sepa else draw(_or_none(st.sampled_from(Charges))),
    )


@st.composite
def initiations(draw: st.DrawFn) -> Initiation:
    service = draw(st.sampled_from(Service))
    is_at_iban = draw(st.booleans())
    return Initiation(
        message_id=draw(ids),
        created_at=draw(moments),
        initiator_name=draw(words(70)),
        initiator_id=draw(_or_none(ids)),
        debtor=Debtor(
            party=draw(parties()),
            iban=draw(ibans) if is_at_iban else None,
            account_number=None if is_at_iban else draw(other_numbers),
            bic=draw(_or_none(bics)) if is_at_iban else None,
            clearing_member=None if is_at_iban else US_BANK,
        ),
        service=service,
        execution_date=draw(days),
        transfers=tuple(draw(st.lists(transfers(service), min_size=1, max_size=5))),
    )


_codes = st.lists(st.sampled_from(sorted(REASONS)), max_size=3, unique=True).map(tuple)
_statuses = st.sampled_from(["ACCP", "ACSP", "ACSC", "RJCT", "PDNG", "PART"])


@st.composite
def reports(draw: st.DrawFn) -> StatusReport:
    statuses = st.builds(
        TransactionStatus, end_to_end_id=ids, status=_statuses, reason_codes=_codes
    )
    return StatusReport(
        message_id=draw(ids),
        created_at=draw(moments),
        original_message_id=draw(ids),
        group_status=draw(_or_none(_statuses)),
        reason_codes=draw(_codes),
        transactions=tuple(draw(st.lists(statuses, max_size=5))),
    )


@st.composite
def transactions(draw: st.DrawFn, reference: str, *, is_credit: bool) -> Transaction:
    others = st.builds(
        OtherParty,
        name=_or_none(words(70)),
        account=_or_none(ibans | other_numbers),
        bic=_or_none(bics),
    )
    return Transaction(
        money=Money(draw(st.integers(0, 10**12)), EURO),
        is_credit=is_credit,
        bank_reference=reference,
        end_to_end_id=draw(_or_none(ids)),
        instruction_id=draw(_or_none(ids)),
        message_id=draw(_or_none(ids)),
        uetr=draw(_or_none(uetrs)),
        other_party=draw(others),
        our_account=draw(_or_none(ibans | other_numbers)),
        remittance=draw(_or_none(words(140))),
        return_code=draw(_or_none(st.sampled_from(["AC04", "AM05", "MD07"]))),
        code=draw(st.sampled_from(["PMNT/RCDT/ESCT", "PMNT/ICDT/ESCT", "NTRF 051"])),
    )


@st.composite
def entries(draw: st.DrawFn) -> StatementEntry:
    is_credit, reference = draw(st.booleans()), draw(ids)
    names = draw(st.lists(ids, min_size=1, max_size=3, unique=True))
    held = [draw(transactions(name, is_credit=is_credit)) for name in names]
    return make_entry(
        *held,
        is_credit=is_credit,
        status=draw(st.sampled_from(EntryStatus)),
        reference=reference,
        is_reversal=draw(st.booleans()),
        booked_on=draw(_or_none(days)),
        value_on=draw(_or_none(days)),
    )


@st.composite
def statements(draw: st.DrawFn) -> BankStatement:
    return make_statement(
        *draw(st.lists(entries(), max_size=4)),
        opening=draw(st.integers(-(10**12), 10**12)),
        id=draw(ids),
        account=draw(ibans | other_numbers),
        created_at=draw(moments),
        number=draw(_or_none(st.integers(0, 10**18 - 1))),
        closing_on=draw(days),
        page=draw(_or_none(st.integers(1, 99_999))),
    )
