"""Names, e-mail addresses, phone numbers and dates of people and businesses."""

import unicodedata
from datetime import date
from ipaddress import AddressValueError, IPv4Address

from landbridge.core.errors import FieldInvalid
from landbridge.formats.texts import check_text

AGE_YEARS_MAX = 120
# RFC 5321, 4.5.3.1.3, without the angle brackets.
EMAIL_LENGTH_MAX = 254
# What stands before the @, in octets. RFC 5321, 4.5.3.1.1.
_EMAIL_LOCAL_LENGTH_MAX = 64
# Of the written form; E.164 itself has at most 15 digits.
_PHONE_LENGTH_MAX = 40
# Kinds of characters that names have: letters, marks, digits, blanks, punctuation, signs of
# currencies and accents that stand alone; and some more, less those that only markup needs.
_NAME_KINDS = ("L", "M", "N", "Zs", "P", "Sc", "Sk")
_NAME_MORE = set("+|\u00b0\u200c\u200d")
_NAME_LESS = set("{}[]\\")


def check_name(field: str, text: str) -> str:
    """The name of a person or a business, in any script; without what only markup has."""
    name = check_text(field, text)
    if not any(_class(each) in "LN" for each in name):
        raise FieldInvalid(f"{field} must have a letter or a digit", field=field)
    if not all(_is_of_a_name(each) for each in name):
        raise FieldInvalid(
            f"{field} may have letters, digits, blanks and the punctuation of names", field=field
        )
    return name


def check_email(field: str, text: str) -> str:
    """An e-mail address, its domain in lower case; domains for tests, as `x.test`, are fine.

    Whether mail arrives there is not asked: that would be a call to the outside.
    """
    # Imported when first needed: it costs 50 ms, and most commands never check an address.
    from email_validator import EmailNotValidError, validate_email  # noqa: PLC0415

    wrong = FieldInvalid(f"{field} must be an e-mail address, as in name@example.com", field=field)
    stripped = text.strip()[: EMAIL_LENGTH_MAX + 1]
    try:
        found = validate_email(stripped, check_deliverability=False, test_environment=True)
    except (EmailNotValidError, UnicodeError) as error:
        raise wrong from error
    if len(found.local_part.encode()) > _EMAIL_LOCAL_LENGTH_MAX:
        raise wrong
    return check_text(field, found.normalized, length_max=EMAIL_LENGTH_MAX)


def check_phone(field: str, text: str) -> str:
    """A phone number with its country, as E.164 writes it: `+14155550123`.

    Any number that its country's plan has room for. Whether the range is in use is not asked:
    plans change faster than libraries, and numbers for tests are in use nowhere.
    """
    # Imported when first needed: it costs 100 ms.
    import phonenumbers  # noqa: PLC0415

    stripped = text.strip()
    wrong = FieldInvalid(
        f"{field} must be a phone number with its country code, as in +14155550123", field=field
    )
    if not (stripped.startswith("+") and len(stripped) <= _PHONE_LENGTH_MAX and stripped.isascii()):
        raise wrong
    try:
        number = phonenumbers.parse(stripped, None)
    except phonenumbers.NumberParseException as error:
        raise wrong from error
    possible = phonenumbers.is_possible_number_with_reason(number)
    if number.extension or possible != phonenumbers.ValidationResult.IS_POSSIBLE:
        raise wrong
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


def check_ip(field: str, text: str) -> str:
    """An IPv4 address."""
    try:
        return str(IPv4Address(text.strip()))
    except AddressValueError as error:
        raise FieldInvalid(
            f"{field} must be an IPv4 address, as in 203.0.113.7", field=field
        ) from error


def check_birth_date(field: str, born: date, *, today: date) -> date:
    """A day on which somebody who lives today can have been born."""
    # Years are compared, not days: nobody of that age is refused on the wrong side of a birthday.
    if today.year - born.year > AGE_YEARS_MAX:
        raise FieldInvalid(f"{field} must be at most {AGE_YEARS_MAX} years ago", field=field)
    return check_past_date(field, born, today=today)


def check_past_date(field: str, day: date, *, today: date) -> date:
    """A day before today."""
    if day >= today:
        raise FieldInvalid(f"{field} must be a day in the past", field=field)
    return day


def _is_of_a_name(character: str) -> bool:
    is_kind = unicodedata.category(character).startswith(_NAME_KINDS)
    return character in _NAME_MORE or (is_kind and character not in _NAME_LESS)


def _class(character: str) -> str:
    return unicodedata.category(character)[0]
