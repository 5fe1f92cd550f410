"""Numbers of bank accounts and of banks.

Two things can be wrong with such a number, and they are told apart: its form (it can't be one, as
`12` is no IBAN), and what it says of itself (its check digits, its country or its range).
`check_iban(field, text)` refuses both; who needs them apart asks `shape` and then `why_not`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from landbridge.core.errors import FieldInvalid
from landbridge.formats.people import check_email, check_phone

# Longer than any of these numbers is with its blanks.
_LENGTH_MAX = 100
_WRONG_DIGITS = "its check digits are wrong"


@dataclass(frozen=True, slots=True)
class BankNumber:
    """A kind of number: `read` answers its canonical text, or None for what can't be one.

    `why_not` takes a canonical text and says what is wrong with it, or answers None.
    """

    expected: str
    read: Callable[[str], str | None]
    why_not: Callable[[str], str | None]

    def __call__(self, field: str, text: str) -> str:
        """The canonical text; raises `FieldInvalid` for a wrong form and for wrong digits."""
        number = self.shape(field, text)
        if reason := self.why_not(number):
            raise FieldInvalid(f"{field} must be {self.expected}: {reason}", field=field)
        return number

    def shape(self, field: str, text: str) -> str:
        """The canonical text of what has the form; raises `FieldInvalid`."""
        found = self.read(text) if len(text) <= _LENGTH_MAX else None
        if found is None:
            raise FieldInvalid(f"{field} must be {self.expected}", field=field)
        return found


def _form(pattern: str) -> Callable[[str], str | None]:
    """Reads what has this form once blanks and hyphens are gone, in upper case."""
    form = re.compile(pattern)

    def read(text: str) -> str | None:
        compact = text.strip().replace(" ", "").replace("-", "").upper()
        return compact if form.fullmatch(compact) else None

    return read


def _nothing(number: str) -> None:
    """Numbers that say nothing of themselves."""
    del number


def _why_not_aba(number: str) -> str | None:
    from stdnum.us import rtn  # noqa: PLC0415  imported when first needed

    # Prefixes that the American Bankers Association hands out; 00 is the government's.
    prefix = int(number[:2])
    is_handed_out = prefix <= 12 or 21 <= prefix <= 32 or 61 <= prefix <= 72 or prefix == 80  # noqa: PLR2004
    if not is_handed_out or not int(number):
        return "no bank has such a number"
    return None if rtn.is_valid(number) else _WRONG_DIGITS


def _why_not_iban(number: str) -> str | None:
    # Imported when first needed: it costs 120 ms, and reads tables from files.
    from schwifty import IBAN  # noqa: PLC0415
    from schwifty.exceptions import InvalidChecksumDigits, SchwiftyException  # noqa: PLC0415

    try:
        IBAN(number)
    except InvalidChecksumDigits:
        return _WRONG_DIGITS
    except SchwiftyException:
        return "its country has none, or none of this length and form"
    return None


def _why_not_bic(number: str) -> str | None:
    from schwifty import BIC  # noqa: PLC0415  as above
    from schwifty.exceptions import SchwiftyException  # noqa: PLC0415

    try:
        BIC(number)
    except SchwiftyException:
        return "its fifth and sixth letter are no country"
    return None


def _why_not_clabe(number: str) -> str | None:
    # Each digit by 3, 7, 1 in turn, modulo 10 (Asociacion de Bancos de Mexico). The weights have
    # no factor in common with 10, so that every wrong single digit shows. No library has it.
    total = sum(int(digit) * (3, 7, 1)[place % 3] % 10 for place, digit in enumerate(number[:17]))
    return None if int(number[17]) == -total % 10 else _WRONG_DIGITS


def _why_not_cbu(number: str) -> str | None:
    from stdnum.ar import cbu  # noqa: PLC0415  imported when first needed

    if not cbu.is_valid(number):
        return _WRONG_DIGITS
    return "it is a CVU" if number.startswith("000") else None


def _why_not_cvu(number: str) -> str | None:
    from stdnum.ar import cbu  # noqa: PLC0415  imported when first needed

    # A CVU is made as a CBU is; the bank's place holds 000 for a wallet provider.
    if not cbu.is_valid(number):
        return _WRONG_DIGITS
    return None if number.startswith("000") else "it is a CBU"


def _why_not_card(number: str) -> str | None:
    from stdnum import luhn  # noqa: PLC0415  imported when first needed

    return None if luhn.is_valid(number) and int(number) else _WRONG_DIGITS


# Countries that pay in euro by SEPA (European Payments Council, 2025): the 27 of the Union, then
# the European Economic Area, then those that joined.
SEPA_COUNTRIES = frozenset({
    "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU",
    "IE", "IT", "LT", "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK",
    "IS", "LI", "NO",
    "AD", "AL", "CH", "GB", "MC", "MD", "ME", "MK", "RS", "SM", "VA",
})  # fmt: skip


def _why_not_sepa(number: str) -> str | None:
    if reason := _why_not_iban(number):
        return reason
    return None if number[:2] in SEPA_COUNTRIES else "its country is not in SEPA"


# A tax number may be written with its points and strokes.
_PIX_TAX = re.compile(r"[0-9]{11}|[0-9A-Z]{12}[0-9]{2}")
_PIX_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_PIX_EMAIL_LENGTH_MAX = 77
_CPF_LENGTH = 11


def _read_pix(text: str) -> str | None:
    """A tax number, an e-mail address, a phone number of Brazil or a random key."""
    key = text.strip()
    try:
        if "@" in key:
            email = check_email("pix", key).lower()
            return email if len(email) <= _PIX_EMAIL_LENGTH_MAX else None
        if key.startswith("+"):
            phone = check_phone("pix", key)
            return phone if phone.startswith("+55") else None
    except FieldInvalid:
        return None
    return str(UUID(key)) if _PIX_UUID.fullmatch(key.lower()) else _read_pix_tax_number(key)


def _read_pix_tax_number(text: str) -> str | None:
    compact = re.sub(r"[ ./-]", "", text).upper()
    return compact if _PIX_TAX.fullmatch(compact) else None


def _why_not_pix(key: str) -> str | None:
    if "@" in key or key.startswith("+") or _PIX_UUID.fullmatch(key):
        return None
    return _why_not_pix_tax_number(key)


def _why_not_pix_tax_number(key: str) -> str | None:
    from stdnum.br import cnpj, cpf  # noqa: PLC0415  imported when first needed

    scheme = cpf if len(key) == _CPF_LENGTH else cnpj
    return None if scheme.is_valid(key) else _WRONG_DIGITS


def _read_alias(text: str) -> str | None:
    alias = text.strip().lower()
    return alias if re.fullmatch(r"[a-z0-9.-]{6,20}", alias) else None


check_iban = BankNumber(
    "an IBAN: two letters, two check digits and 11 to 30 letters and digits",
    _form(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}"),
    _why_not_iban,
)
check_sepa_iban = BankNumber(check_iban.expected, check_iban.read, _why_not_sepa)
check_bic = BankNumber(
    "a BIC (SWIFT code) of 8 or 11 letters and digits, as in BOFAUS3N",
    _form(r"[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?"),
    _why_not_bic,
)
check_aba = BankNumber("an ABA routing number of 9 digits", _form(r"[0-9]{9}"), _why_not_aba)
check_clabe = BankNumber("a CLABE of 18 digits", _form(r"[0-9]{18}"), _why_not_clabe)
check_cbu = BankNumber("a CBU of 22 digits", _form(r"[0-9]{22}"), _why_not_cbu)
check_cvu = BankNumber("a CVU of 22 digits", _form(r"[0-9]{22}"), _why_not_cvu)
check_alias = BankNumber(
    "an alias of 6 to 20 letters, digits, points and hyphens", _read_alias, _nothing
)
check_card = BankNumber("a debit card number of 16 digits", _form(r"[0-9]{16}"), _why_not_card)
check_mexican_phone = BankNumber("a phone number of 10 digits", _form(r"[0-9]{10}"), _nothing)
# Its last digit checks the nine before it together with the code of the bank, which nobody tells
# us; so only the form is known.
check_nuban = BankNumber("a NUBAN of 10 digits", _form(r"[0-9]{10}"), _nothing)
check_us_account = BankNumber(
    "an account number of 4 to 17 digits", _form(r"[0-9]{4,17}"), _nothing
)
check_account_number = BankNumber(
    "an account number of 4 to 34 letters and digits", _form(r"[A-Z0-9]{4,34}"), _nothing
)
check_clearing_code = BankNumber("a clearing code of 3 digits", _form(r"[0-9]{3}"), _nothing)
check_bank_code = BankNumber("a bank code of 1 to 10 digits", _form(r"[0-9]{1,10}"), _nothing)
check_spei_code = BankNumber("an institution code of 3 to 5 digits", _form(r"[0-9]{3,5}"), _nothing)
check_mobile_money = BankNumber(
    "a mobile money number of 7 to 15 digits", _form(r"\+?[0-9]{7,15}"), _nothing
)
check_pix_tax_number = BankNumber(
    "a CPF of 11 or a CNPJ of 14 characters, which is the PIX key when no other is told",
    _read_pix_tax_number,
    _why_not_pix_tax_number,
)
check_pix_key = BankNumber(
    "a PIX key: a CPF or CNPJ, an e-mail address, a phone number (+55...) or a random key (UUID)",
    _read_pix,
    _why_not_pix,
)
