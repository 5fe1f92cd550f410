"""Names, e-mail addresses, phone numbers and dates of people and businesses."""

import unicodedata
from datetime import date
from ipaddress import AddressValueError, IPv4Address

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.formats.texts import check_text

AGE_YEARS_MAX = 120
# RFC 5321, 4.5.3.1.3, less the angle brackets.
EMAIL_LENGTH_MAX = 254
# Maximum octets before the @ sign. RFC 5321, 4.5.3.1.1.
_EMAIL_LOCAL_LENGTH_MAX = 64
# Maximum length with punctuation; E.164 itself has at most 15 digits.
_PHONE_LENGTH_MAX = 40
# Unicode categories of characters in names: letters, marks, digits, blanks, punctuation, currency
# signs and modifier symbols. Characters that only markup needs are excluded, and a few others are
# added.
_NAME_KINDS = ("L", "M", "N", "Zs", "P", "Sc", "Sk")
_NAME_MORE = set("+|\u00b0\u200c\u200d")
_NAME_LESS = set("{}[]\\")


def check_name(field: str, text: str) -> str:
    """Check the name of a person or business, in any script, without markup characters."""
    name = check_text(field, text)
    if not any(_class(each) in "LN" for each in name):
        raise FieldInvalid(f"{field} must have a letter or a digit", field=field)
    if not all(_is_of_a_name(each) for each in name):
        raise FieldInvalid(
            f"{field} may have letters, digits, blanks and the punctuation of names", field=field
        )
    return name


def check_email(field: str, text: str) -> str:
    """Check an e-mail address, lower-casing its domain; test domains like `x.test` are accepted.

    Deliverability is not checked: that would be a call to the outside.
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
    """Check a phone number and return it in E.164 form: `+14155550123`.

    Any number that fits its country's plan is accepted. Whether the range is in use is not checked:
    plans change faster than libraries, and test numbers are never in use.
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
    """Check an IPv4 address."""
    try:
        return str(IPv4Address(text.strip()))
    except AddressValueError as error:
        raise FieldInvalid(
            f"{field} must be an IPv4 address, as in 203.0.113.7", field=field
        ) from error


def check_birth_date(field: str, birth_date: date, *, today: date) -> date:
    """Check that a living person can have been born on this day."""
    # Only years are compared, so that the result does not depend on birthdays.
    if today.year - birth_date.year > AGE_YEARS_MAX:
        raise FieldInvalid(f"{field} must be at most {AGE_YEARS_MAX} years ago", field=field)
    return check_past_date(field, birth_date, today=today)


def check_past_date(field: str, day: date, *, today: date) -> date:
    """Check that a day is before today."""
    if day >= today:
        raise FieldInvalid(f"{field} must be a day in the past", field=field)
    return day


def _is_of_a_name(character: str) -> bool:
    is_kind = unicodedata.category(character).startswith(_NAME_KINDS)
    return character in _NAME_MORE or (is_kind and character not in _NAME_LESS)


def _class(character: str) -> str:
    return unicodedata.category(character)[0]
