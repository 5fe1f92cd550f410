"""Numbers of bank accounts and of banks.

Two kinds of error are distinguished: the form (`12` cannot be an IBAN), and inconsistent content
(check digits, country or range). `check_iban(field, text)` rejects both; callers that need the
distinction call `shape` and then `why_not`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from uuid import UUID

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.formats.people import check_email, check_phone
from landbridge.platform.http.constraints import Keywords, pattern_schema

# Longer than any of these numbers with its blanks.
_LENGTH_MAX = 100
_WRONG_DIGITS = "its check digits are wrong"


@dataclass(frozen=True, slots=True)
class BankNumber:
    """A kind of number: `read` returns its canonical text, or None for a wrong form.

    `why_not` returns what is wrong with a canonical text, or None.
    """

    expected: str
    read: Callable[[str], str | None]
    why_not: Callable[[str], str | None]
    # JSON Schema of the number, for the OpenAPI document.
    form: Keywords = field(hash=False)

    def __call__(self, field: str, text: str) -> str:
        """Return the canonical text; raises `FieldInvalid` for a wrong form or check digits."""
        number = self.shape(field, text)
        if reason := self.why_not(number):
            raise FieldInvalid(f"{field} must be {self.expected}: {reason}", field=field)
        return number

    def shape(self, field: str, text: str) -> str:
        """Return the canonical text if the form is right; raises `FieldInvalid`."""
        found = self.read(text) if len(text) <= _LENGTH_MAX else None
        if found is None:
            raise FieldInvalid(f"{field} must be {self.expected}", field=field)
        return found


def _form(pattern: str) -> Callable[[str], str | None]:
    """Return a function that removes blanks and hyphens, upper-cases and matches a pattern."""
    form = re.compile(pattern)

    def read(text: str) -> str | None:
        compact = text.strip().replace(" ", "").replace("-", "").upper()
        return compact if form.fullmatch(compact) else None

    return read


def _no_check(number: str) -> None:
    """Return None: this kind of number has nothing to check beyond its form."""
    del number


def _why_not_aba(number: str) -> str | None:
    from stdnum.us import rtn  # noqa: PLC0415  imported when first needed

    # Prefixes that the American Bankers Association assigns; 00 belongs to the government.
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
    # Weight the digits by 3, 7, 1 in turn and add them modulo 10 (Asociacion de Bancos de Mexico).
    # The weights share no factor with 10, so every single wrong digit is detected. No library has
    # this.
    total = sum(int(digit) * (3, 7, 1)[index % 3] % 10 for index, digit in enumerate(number[:17]))
    return None if int(number[17]) == -total % 10 else _WRONG_DIGITS


def _why_not_cbu(number: str) -> str | None:
    from stdnum.ar import cbu  # noqa: PLC0415  imported when first needed

    if not cbu.is_valid(number):
        return _WRONG_DIGITS
    return "it is a CVU" if number.startswith("000") else None


def _why_not_cvu(number: str) -> str | None:
    from stdnum.ar import cbu  # noqa: PLC0415  imported when first needed

    # A CVU has the form of a CBU; bank code 000 marks a wallet provider.
    if not cbu.is_valid(number):
        return _WRONG_DIGITS
    return None if number.startswith("000") else "it is a CBU"


def _why_not_card(number: str) -> str | None:
    from stdnum import luhn  # noqa: PLC0415  imported when first needed

    return None if luhn.is_valid(number) and int(number) else _WRONG_DIGITS


# Countries with payments in euro by SEPA (European Payments Council, 2025): the 27 members of the
# Union, then those of the European Economic Area, then the others.
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


# CPF or CNPJ without its punctuation.
_PIX_TAX = re.compile(r"[0-9]{11}|[0-9A-Z]{12}[0-9]{2}")
_PIX_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_PIX_EMAIL_LENGTH_MAX = 77
_CPF_LENGTH = 11


def _read_pix(text: str) -> str | None:
    """Parse a PIX key: tax number, e-mail address, Brazilian phone number or random key.

    None otherwise.
    """
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


def _number(expected: str, pattern: str, why_not: Callable[[str], str | None]) -> BankNumber:
    """Return a kind of number with one form; blanks, hyphens and lower case are accepted."""
    grouped = re.sub(r"(\[[^\]]+\])(\{[^}]+\})?", r"(?:\1[ -]?)\2", pattern)
    stated = pattern_schema(f"^{grouped.replace('A-Z', 'A-Za-z')}$", maxLength=_LENGTH_MAX)
    return BankNumber(expected, _form(pattern), why_not, stated)


# CPF or CNPJ in its usual written form.
_PIX_TAX_FORM = "[0-9]{3}[.]?[0-9]{3}[.]?[0-9]{3}-?[0-9]{2}|[0-9A-Z]{12}[0-9]{2}"
_PIX_EMAIL_FORM = "[a-z0-9]{1,20}@[a-z0-9]{1,20}([.](com|net|org))?[.][a-z]{2}"

check_iban = _number(
    "an IBAN: two letters, two check digits and 11 to 30 letters and digits",
    r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}",
    _why_not_iban,
)
check_sepa_iban = replace(check_iban, why_not=_why_not_sepa)
check_bic = _number(
    "a BIC (SWIFT code) of 8 or 11 letters and digits, as in BOFAUS3N",
    r"[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?",
    _why_not_bic,
)
check_aba = _number("an ABA routing number of 9 digits", r"[0-9]{9}", _why_not_aba)
check_clabe = _number("a CLABE of 18 digits", r"[0-9]{18}", _why_not_clabe)
check_cbu = _number("a CBU of 22 digits", r"[0-9]{22}", _why_not_cbu)
check_cvu = _number("a CVU of 22 digits", r"[0-9]{22}", _why_not_cvu)
check_alias = BankNumber(
    "an alias of 6 to 20 letters, digits, points and hyphens",
    _read_alias,
    _no_check,
    pattern_schema("^[A-Za-z0-9.-]{6,20}$"),
)
check_card = _number("a debit card number of 16 digits", r"[0-9]{16}", _why_not_card)
check_mexican_phone = _number("a phone number of 10 digits", r"[0-9]{10}", _no_check)
# The last digit checks the nine before it and the bank's code. The code is unknown here, so only
# the form is checked.
check_nuban = _number("a NUBAN of 10 digits", r"[0-9]{10}", _no_check)
check_us_account = _number("an account number of 4 to 17 digits", r"[0-9]{4,17}", _no_check)
check_account_number = _number(
    "an account number of 4 to 34 letters and digits", r"[A-Z0-9]{4,34}", _no_check
)
check_clearing_code = _number("a clearing code of 3 digits", r"[0-9]{3}", _no_check)
check_bank_code = _number("a bank code of 1 to 10 digits", r"[0-9]{1,10}", _no_check)
check_spei_code = _number("an institution code of 3 to 5 digits", r"[0-9]{3,5}", _no_check)
check_mobile_money = _number(
    "a mobile money number of 7 to 15 digits", r"\+?[0-9]{7,15}", _no_check
)
check_pix_tax_number = BankNumber(
    "a CPF of 11 or a CNPJ of 14 characters, which is the PIX key when no other is given",
    _read_pix_tax_number,
    _why_not_pix_tax_number,
    pattern_schema(f"^({_PIX_TAX_FORM})$"),
)
check_pix_key = BankNumber(
    "a PIX key: a CPF or CNPJ, an e-mail address, a phone number (+55...) or a random key (UUID)",
    _read_pix,
    _why_not_pix,
    pattern_schema(
        f"^({_PIX_TAX_FORM}|{_PIX_UUID.pattern}|[+]55[1-9][0-9]{{9}}|{_PIX_EMAIL_FORM})$"
    ),
)
