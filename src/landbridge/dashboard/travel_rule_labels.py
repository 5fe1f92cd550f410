"""Data that the travel rule requires, as people read them. The API names them by members."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from jinja2 import pass_context
from jinja2.runtime import Context

from landbridge.customers.payment_screening.model import INCOMPLETE
from landbridge.customers.travel_exchanges.model import ExchangeWait
from landbridge.customers.travel_rule.jurisdictions import RequiredItem
from landbridge.platform.formats.translations import catalogue
from landbridge.platform.formats.translations import later as _

MISSING_LABELS: Final[Mapping[str, str]] = {
    RequiredItem.KIND: _("Type and owner of the wallet"),
    RequiredItem.VASP_NAME: _("Provider of the wallet"),
    RequiredItem.ORIGINATOR_NAME: _("Name of the sender"),
    RequiredItem.ORIGINATOR_ADDRESS: _("Address of the sender"),
    RequiredItem.ORIGINATOR_IDENTITY: _(
        "Address and document number of the sender, or date and place of birth"
    ),
    RequiredItem.ORIGINATOR_IDENTIFIER: _(
        "Address, document number, or date and place of birth of the sender"
    ),
    RequiredItem.BENEFICIARY_NAME: _("Name of the recipient"),
    RequiredItem.OWNERSHIP_PROOF: _("Proof of ownership of the wallet"),
    ExchangeWait.ADDRESS: _("Travel address of the wallet"),
    ExchangeWait.COUNTERPARTY: _("The wallet's provider among those that data are exchanged with"),
    ExchangeWait.ASSET: _("Token identifier of the coin, in the settings"),
    ExchangeWait.DELIVERY: _("The inquiry has not reached the other provider yet"),
    ExchangeWait.ANSWER: _("Approval of the other provider"),
    ExchangeWait.REJECTED: _("The other provider rejected the transfer: give up on it"),
    ExchangeWait.OTHER_WALLET: _("The other provider approved another wallet: give up on it"),
}


def missing_text(names: Iterable[str], language: str) -> str:
    """Return the labels of these members; an unknown member stays as it is."""
    texts = catalogue(language)
    known = [MISSING_LABELS.get(each) for each in names]
    return ", ".join(
        name if label is None else texts.gettext(label)
        for name, label in zip(names, known, strict=True)
    )


def labelled_reason(value: str, language: str) -> str | None:
    """Return a stored reason with the labels of what is missing; None for any other reason."""
    head, _colon, names = value.partition(": ")
    if head != INCOMPLETE or not names:
        return None
    text = catalogue(language).gettext(INCOMPLETE)
    return f"{text}: {missing_text(names.split(', '), language)}"


@pass_context
def missing_labels(context: Context, names: list[str]) -> str:
    """Return the labels of what is missing, in the language of the page."""
    return missing_text(names, str(context["locale"]))


TRAVEL_RULE_FILTERS: Final[Mapping[str, Callable[..., str]]] = {"missing_labels": missing_labels}
