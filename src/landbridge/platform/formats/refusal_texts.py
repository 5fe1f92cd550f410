"""Sentences of refusals and reasons in the visitor's language.

The API writes English. In another language a page shows, in this order: the translation of the
whole sentence; the translation of a sentence with the same pattern; a sentence for the error's
name; a general sentence. The English sentence stays in a tooltip (`formatting.refusal`).
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from landbridge.platform.core.errors import Busy, ReadOnlyServer, Refused
from landbridge.platform.formats.reason_texts import REASONS
from landbridge.platform.formats.translations import ENGLISH, catalogue
from landbridge.platform.formats.translations import later as _

# Complete sentences, and sentence patterns with variable parts.
SENTENCES: Final[Sequence[str]] = (
    # From forms of the dashboard.
    _("A batch can have at most %(most)s lines; this file has %(count)s. Split it."),
    _("A comment has at most %(most)s characters."),
    _("A member has at most %(most)s saved views."),
    _("An answer can have at most %(most)s files."),
    _("An organisation has at most %(most)s saved views."),
    _("Choose a recipient."),
    _("Choose a settlement rule."),
    _("Choose a wallet."),
    _("Choose an action."),
    _("Choose approve or reject."),
    _("Choose filters or an order first."),
    _("Choose one of the listed languages."),
    _("Choose one of the listed options."),
    _("Choose one of the listed themes."),
    _("Choose the role admin, member or analyst."),
    _("Create a terms link and have it accepted first, or enter the ID of an accepted one."),
    _("Enter a date and a time."),
    _("Enter a date, for example %(example)s."),
    _("Enter a delay, for example 3d."),
    _("Enter a label for the address."),
    _("Enter a name, an e-mail or a user ID."),
    _("Several users match. Enter an e-mail or a user ID."),
    _("Several users have this e-mail. Enter a user ID."),
    _("Enter an e-mail, a user ID or an address."),
    _("Enter at least one line, one per recipient."),
    _("Enter the ID of an onramp or a virtual account."),
    _("Enter the address."),
    _("Enter the fee as a number, for example 1.5."),
    _("Line %(line)s can't be read: a quotation mark is not closed or is inside a cell."),
    _("No user has this ID."),
    _("No user has this e-mail."),
    _("No user has this name, e-mail or ID."),
    _("Only its owner or an admin can change a shared view."),
    _("Select at least one account first."),
    _("Select at least one event type."),
    _("Select at least one payment first."),
    _("Several users match. Choose one."),
    _("The amount has more than %(most)s decimals."),
    _("The amount is missing."),
    _("The amount is not a number. Use digits and a decimal point, for example 10.50."),
    _("The amount is too long."),
    _("The amount must be above zero."),
    _("The column %(name)s appears twice."),
    _("The column %(name)s is missing."),
    _("The file has column names but no recipients."),
    _("These filters are too long to be saved."),
    _("You already have a view with this name."),
    _("The file is empty."),
    _("The file is not encoded in UTF-8. Save it as CSV UTF-8."),
    _("The line has too many cells. Write amounts with a decimal point, not a comma."),
    _("The passwords do not match."),
    _("The recipient is missing."),
    _("This action is not available for a virtual account."),
    _("This action is not available for this payment type."),
    _("This batch pays %(currency)s, but the line has %(other)s."),
    _("This beneficial owner does not exist."),
    _("This does not match the user's e-mail."),
    _(
        "This could be %(amount)s or %(total)s. Write the amount with a decimal point, as "
        "%(example)s."
    ),
    _("The language changed after this page was opened. Check the number and submit again."),
    _("This number can't be read for certain. Enter it as %(grouped)s or %(plain)s."),
    _("This endpoint has no key %(key)s."),
    _("This field is required."),
    _("This is a spreadsheet. Export it as CSV UTF-8 and upload the CSV file."),
    _("This is not a text file. Export it as CSV UTF-8."),
    _("This payment is not awaiting a deposit."),
    _("This payment type does not exist."),
    _("This user is frozen."),
    _("Unknown column %(name)s. The columns are %(columns)s."),
    _("%(count)s users have this e-mail. Enter a user ID instead."),
    _("Write the amount with a decimal point, for example 10.50."),
    _("Write the amount without thousands separators, for example 1250.50."),
    _("a NUL character can't be stored"),
    _("give either destinationChain or externalWalletId"),
    _("the request body is not valid JSON: %(rest)s"),
    # From definitions of report templates, after the name of the member.
    _("is required"),
    _("is required: a ratio or a difference has two numbers"),
    _("is required: a %(function)s is rounded"),
    _("is required: a %(function)s is of %(options)s"),
    _("is required (null or zero): the divisor can be zero in a row"),
    _("has the same value twice"),
    _("must have at least one interval"),
    _("must have a minimum or a maximum"),
    _("must not be less than minimum"),
    _("must be an amount in US dollars such as 100.00, as a text"),
    _("must be an amount in US dollars with at most two decimals"),
    _("must be a list of UUIDs"),
    _("must have values of 1 to %(most)s characters"),
    _("must have the unit of left: %(units)s"),
    _("contradicts transactionTypes: none of these has them"),
    _("contradicts transactionTypes: these touch no bank"),
    _("contradicts transactionStatuses: none of these has that outcome"),
    _("contradicts currencies: none of them is on these chains"),
    _("contradicts definition.filters.%(name)s"),
    _("%(name)s is taken by another template"),
    _("%(name)s is taken by a template of Landbridge's own"),
    _(
        "must have 1 to %(most)s capital letters and digits, in words joined by underscores, as in"
        " NET_CARD_PAYOUTS"
    ),
    _("an organisation has at most %(most)s templates; delete one first"),
    _("a template has at most %(most)s versions"),
    _("the template %(name)s is used by %(uses)s"),
    # From files.
    _(
        "the files of this organisation have reached their limit in bytes; delete some that no "
        "document references, or ask the operator for a higher limit"
    ),
    # From sign-in and team.
    _("Wrong e-mail or password"),
    _("Wrong or already used code. Wait for the next code and try again."),
    _("This passkey didn't work. Try again, or sign in with your password."),
    _("Too many attempts. Try again in a minute."),
    _("Too many attempts. Try again in %(minutes)s minutes."),
    _("Confirm your password first. You signed in a while ago."),
    _("This link has expired or was already used. Request a new one."),
    _("Choose another password."),
    _("This e-mail already belongs to a member."),
    _("An organisation needs at least one admin. Make another member an admin first."),
    _("Wrong password"),
    _("The password must have %(least)s to %(most)s characters."),
    _("The password must not be your e-mail."),
    _("This password is too easy to guess. Choose another."),
)

# Sentences about one field, which begin with the field's API name; pages replace it by a label. The
# first match is used.
FIELD_SENTENCES: Final[Sequence[str]] = (
    _("%(name)s: expected string of length <= %(most)s"),
    _("%(name)s: expected string of length >= 1"),
    _("%(name)s: expected string of length >= %(least)s"),
    _("%(name)s: expected string, got null"),
    _("%(name)s: invalid enum value %(value)s"),
    _("%(name)s: must be a UUID, as in %(example)s"),
    _("%(name)s must be one of %(values)s, not %(value)s"),
    _("%(name)s must be 32 to 44 characters of base58"),
    _("%(name)s must be 0x followed by 40 hexadecimal digits"),
    _("%(name)s must be an account number of %(least)s to %(most)s digits"),
    _("%(name)s must be an ABA routing number of %(count)s digits"),
    _("%(name)s must be UTC or an IANA name such as %(example)s"),
    _("%(name)s must be a URL, as in %(example)s"),
    _("%(name)s must be a pdf, jpeg, png, heic or tif, whatever its name"),
    _("%(name)s must have 1 to %(most)s letters, digits, dots, hyphens and underscores"),
    _(
        "%(name)s: %(source)s to %(target)s is no pair; it is two currencies, one of them a"
        " stablecoin"
    ),
    _("%(name)s must be the second half of an ISO 3166-2 code of %(country)s, as in %(example)s"),
    _("%(name)s must be a number from %(least)s to %(most)s, at most %(count)s decimals"),
    _("%(name)s is required"),
    _("%(name)s is not an id"),
    _("%(name)s is not a UUID"),
    _("%(name)s is too large"),
    _("%(name)s is too small"),
    _("%(name)s must be a number, for example 0.01"),
    _("%(name)s must be a whole number from %(least)s to %(most)s"),
    _("%(name)s must be a date, as in %(example)s"),
    _("%(name)s must be an e-mail address, as in name@example.com"),
    _("%(name)s must be above zero"),
    _("%(name)s must be one of %(values)s"),
    _("%(name)s must have 1 to %(most)s characters"),
    _("%(name)s must have at most %(most)s characters"),
    _("%(name)s has more than %(most)s characters"),
    _("%(name)s must be true or false"),
    _("%(name)s must not be empty"),
    _("%(name)s is empty"),
    _("%(name)s must be a phone number with its country code%(rest)s"),
    _("%(name)s must be a day in the past"),
    _("%(name)s must be at most %(years)s years ago"),
    _("%(name)s must have a letter or a digit"),
    _("%(name)s is not a tax number of %(country)s"),
    _("%(name)s must be an http or https URL%(rest)s"),
    _("%(name)s must be an IPv4 address%(rest)s"),
    _("%(name)s must be an ISO 3166-1 alpha-3 code%(rest)s"),
    _("%(name)s must be the second half of an ISO 3166-2 code of %(rest)s"),
    _("%(name)s must be one line without control characters%(rest)s"),
    _("%(name)s must have no control characters%(rest)s"),
    _("%(name)s must have at most %(most)s marks on a letter"),
    _("%(name)s must be a number from %(least)s to %(rest)s"),
    _("%(name)s must be at least %(least)s for role UBO"),
    _("%(name)s must be the BVN, which has 11 digits"),
)

# A general message for each error name; the contract lists the names.
NAMES: Final[Mapping[str, str]] = {
    "FIELD_VALIDATION_ERROR": _("This value is missing or invalid. Correct it and try again."),
    "METHOD_NOT_ALLOWED": _("This action is not available."),
    "INVALID_VERSION": _("This page doesn't exist."),
    "RESOURCE_CONFLICT": _("This is not possible in the current state. Reload the page."),
    "RESOURCE_NOT_FOUND": _("This object does not exist."),
    "INVALID_API_KEY": _("You are not signed in, or your sign-in was not accepted."),
    "TOO_MANY_REQUESTS": _("Too many requests. Try again in a moment."),
    "USER_ROLE_NOT_ALLOWED": _("Your role does not allow this action."),
    "UNAUTHORIZED": _("Sign in to continue."),
    "PROFILE_FROZEN": _("This organisation is frozen. Unfreeze it first."),
    "USER_ACTION_NOT_ALLOWED": _("This action is available in the sandbox only."),
    "USER_COMPLIANCE_VERIFICATION_FAILED": _("The user is not verified for this rail."),
    "USER_COMPLIANCE_DATA_INVALID": _("The KYC data is incomplete or invalid for this rail."),
    "USER_FROZEN": _("This user is frozen."),
    "USER_NOT_FOUND": _("This user does not exist."),
    "INVALID_TRANSACTION_ROUTE": _("This pair of currencies and chains is not supported."),
    "INVALID_ACCOUNT_FOR_TRANSACTION": _("This bank account can't be used for this payment."),
    "TRANSACTION_REQUEST_ALREADY_EXISTS": _("This request ID was already used. Start again."),
    "QUOTE_NOT_READY": _("No current price for this pair. Try again in a moment."),
    "INVALID_QUOTE": _("The quote has expired. Create a new one."),
    "TRANSACTION_NOT_FOUND": _("This transaction does not exist."),
    "QUOTE_NOT_FOUND": _("This payment has no quote yet."),
    "INSUFFICIENT_BALANCE": _("Insufficient balance in the wallet."),
    "LIMIT_EXCEEDED": _("The payment exceeds a limit of the organisation."),
    "INVALID_ACCOUNT_DATA": _("The bank account details are incomplete or invalid."),
    "ACCOUNT_NOT_FOUND": _("This bank account does not exist."),
    "INACTIVE_ACCOUNT": _("The bank account is not active."),
    "WALLET_ALREADY_EXISTS": _("This address is already registered."),
    "INVALID_WALLET_CONFIG": _("The wallet settings are not valid."),
    "WALLET_NOT_FOUND": _("This wallet does not exist."),
}
_GENERAL: Final = _("The request could not be processed. Check your entries and try again.")
_BUSY: Final = _("The service is busy. Try again in a moment.")
_READ_ONLY: Final = _("This server is read-only at present. Nothing was changed.")
_AMOUNT, _AMOUNTS = r"[0-9.,]{1,100}", frozenset({"amount", "total"})
_QUOTED: Final = _("“%(label)s”")
_ABOUT_FIELDS: Final = frozenset(FIELD_SENTENCES)
_PLACEHOLDER: Final = re.compile(r"%\((\w+)\)s")


def refusal_text(refusal: Refused | Busy | str, language: str, label: str = "") -> str:
    """Return a refusal's sentence in a language; English sentences stay as the API wrote them.

    `label` is the page's label of the field; it replaces the API's name of the field.
    """
    message = refusal.message if isinstance(refusal, Refused) else str(refusal)
    if language == ENGLISH:
        return message
    translated = known_text(message, language, label)
    if translated is not None:
        return translated
    fallback = _GENERAL
    if isinstance(refusal, Refused):
        fallback = NAMES.get(type(refusal).name, _GENERAL)
    elif isinstance(refusal, Busy):
        fallback = _READ_ONLY if isinstance(refusal, ReadOnlyServer) else _BUSY
    return catalogue(language).gettext(fallback)


def known_text(message: str, language: str, label: str = "") -> str | None:
    """Return the translation of one of our sentences; None if the sentence is unknown.

    `label` replaces the name of the field in a sentence that begins with one.
    """
    texts = catalogue(language)
    translated = texts.gettext(message)
    if translated != message or not message:
        return translated
    for pattern, template in _patterns():
        found = pattern.fullmatch(message)
        if found is not None:
            parts = found.groupdict()
            if label and template in _ABOUT_FIELDS:
                parts["name"] = texts.gettext(_QUOTED) % {"label": label}
            if "reason" in parts:
                parts["reason"] = known_text(parts["reason"], language) or parts["reason"]
            return texts.gettext(template) % parts
    return None


@cache
def _patterns() -> Sequence[tuple[re.Pattern[str], str]]:
    """Return the sentences with variable parts, each with an expression that matches it."""
    return [
        (re.compile(_PLACEHOLDER.sub(_group, _escaped(each))), each)
        for each in (*SENTENCES, *FIELD_SENTENCES, *REASONS)
        if _PLACEHOLDER.search(each)
    ]


def _group(placeholder: re.Match[str]) -> str:
    """Return the regex group of a placeholder: an amount has no blanks, a value may be long."""
    name = placeholder[1]
    if name == "value":
        return "(?P<value>.*)"
    return rf"(?P<{name}>{_AMOUNT if name in _AMOUNTS else '.{1,300}?'})"


def _escaped(text: str) -> str:
    """Escape a sentence for a regular expression, except its placeholders."""
    parts = _PLACEHOLDER.split(text)
    return "".join(f"%({part})s" if at % 2 else re.escape(part) for at, part in enumerate(parts))
