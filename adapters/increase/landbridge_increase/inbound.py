"""Transfers that come in: what Increase lists, and which of it are credits and reversals.

Sources: increase.com/documentation/api/transactions and /inbound-ach-transfers,
/inbound-wire-transfers, /inbound-real-time-payments-transfers, /inbound-fednow-transfers.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from landbridge.providers.packages.interface import CreditRail

_TEXT_LENGTH_MAX = 500
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]+")


@dataclass(frozen=True, slots=True)
class InboundNetwork:
    """Network by which a credit came. Increase returns it by `return_call`, with this reason.

    `returned` is the status that a returned transfer has; None if the documentation describes no
    return.
    """

    path: str
    rail: CreditRail
    accepted: str
    returned: str | None = None
    return_call: str = ""
    reason: str = ""


# By the category of the transaction that adds the money. Our rails have no FedNow.
CREDITS = {
    "inbound_ach_transfer": InboundNetwork(
        "/inbound_ach_transfers",
        CreditRail.ACH,
        "accepted",
        returned="returned",
        return_call="transfer_return",
        reason="credit_entry_refused_by_receiver",
    ),
    "inbound_wire_transfer": InboundNetwork(
        "/inbound_wire_transfers",
        CreditRail.WIRE,
        "accepted",
        returned="reversed",
        return_call="reverse",
        reason="creditor_request",
    ),
    "inbound_real_time_payments_transfer_confirmation": InboundNetwork(
        "/inbound_real_time_payments_transfers", CreditRail.RTP, "confirmed"
    ),
    "inbound_fednow_transfer_confirmation": InboundNetwork(
        "/inbound_fednow_transfers", CreditRail.BANK, "confirmed"
    ),
}
# By the category of the transaction that takes the money away again.
REVERSALS = {
    "inbound_ach_transfer_return_intention": CREDITS["inbound_ach_transfer"],
    "inbound_wire_transfer_reversal": CREDITS["inbound_wire_transfer"],
}
# By the beginning of the identifiers of their transfers.
NETWORK_OF_PREFIX = {
    "inbound_ach_transfer_": CREDITS["inbound_ach_transfer"],
    "inbound_wire_transfer_": CREDITS["inbound_wire_transfer"],
    "inbound_real_time_payments_transfer_": CREDITS[
        "inbound_real_time_payments_transfer_confirmation"
    ],
    "inbound_fednow_transfer_": CREDITS["inbound_fednow_transfer_confirmation"],
}


class IncreaseAccountNumber(msgspec.Struct, frozen=True, kw_only=True):
    """Account number. Source: api/account-numbers."""

    id: str
    account_id: str
    account_number: Annotated[str, Meta(pattern=r"^[A-Za-z0-9-]{1,64}\Z")]
    routing_number: Annotated[str, Meta(pattern=r"^[A-Za-z0-9-]{1,64}\Z")]
    idempotency_key: str | None


class IncreaseTransaction(msgspec.Struct, frozen=True, kw_only=True):
    """Transaction: it never changes. `source` has a member that is named like its category."""

    id: str
    amount: int
    created_at: Annotated[datetime, Meta(tz=True)]
    source: dict[str, msgspec.Raw]

    @property
    def category(self) -> str:
        """Kind of the transaction; empty if there is none."""
        return _text_of(self.source.get("category"))

    @property
    def transfer_id(self) -> str:
        """Transfer that it belongs to; empty if there is none."""
        detail = self.source.get(self.category)
        if detail is None:
            return ""
        try:
            found = msgspec.json.decode(detail, type=_TransferOf)
        except msgspec.MsgspecError:
            return ""
        return found.transfer_id or found.inbound_ach_transfer_id or found.inbound_wire_transfer_id


class _TransferOf(msgspec.Struct, frozen=True, kw_only=True):
    transfer_id: str = ""
    inbound_ach_transfer_id: str = ""
    inbound_wire_transfer_id: str = ""


class InboundReason(msgspec.Struct, frozen=True):
    """Why an inbound transfer was returned or reversed."""

    reason: str


class InboundAddendum(msgspec.Struct, frozen=True):
    """One text that came with an ACH transfer."""

    payment_related_information: str


class InboundEntries(msgspec.Struct, frozen=True):
    """Texts that came with an ACH transfer."""

    entries: tuple[InboundAddendum, ...] = ()


class InboundAddenda(msgspec.Struct, frozen=True, kw_only=True):
    """What came with an ACH transfer."""

    freeform: InboundEntries | None = None


class IncreaseInbound(msgspec.Struct, frozen=True, kw_only=True):
    """Inbound transfer; each network has some of the optional members."""

    id: str
    account_number_id: str
    amount: int
    status: str
    transfer_return: InboundReason | None = None
    reversal: InboundReason | None = None
    originator_company_name: str | None = None
    originator_company_entry_description: str | None = None
    originator_routing_number: str | None = None
    addenda: InboundAddenda | None = None
    debtor_name: str | None = None
    debtor_account_number: str | None = None
    debtor_routing_number: str | None = None
    instructing_agent_routing_number: str | None = None
    unstructured_remittance_information: str | None = None

    @property
    def reason(self) -> str | None:
        """Why it was returned or reversed; None if it was not."""
        found = self.transfer_return or self.reversal
        return None if found is None else found.reason

    @property
    def sender_name(self) -> str | None:
        """Sender, as its bank says."""
        return clean(self.debtor_name or self.originator_company_name)

    @property
    def sender_routing_number(self) -> str | None:
        """The sender's bank."""
        return clean(
            self.debtor_routing_number
            or self.instructing_agent_routing_number
            or self.originator_routing_number
        )

    @property
    def message(self) -> str | None:
        """The sender's message; of an ACH transfer its addenda, or else its description."""
        texts = [self.unstructured_remittance_information]
        if self.addenda is not None and self.addenda.freeform is not None:
            texts += [each.payment_related_information for each in self.addenda.freeform.entries]
        found = clean(" ".join(filter(None, texts)))
        return found or clean(self.originator_company_entry_description)


def network_of(transfer_id: str) -> InboundNetwork | None:
    """Return the network of an inbound transfer by its identifier."""
    return next(
        (
            network
            for prefix, network in NETWORK_OF_PREFIX.items()
            if transfer_id.startswith(prefix)
        ),
        None,
    )


def clean(text: str | None) -> str | None:
    """Return a text without control characters, not too long; None if nothing is left."""
    return _CONTROLS.sub(" ", text or "").strip()[:_TEXT_LENGTH_MAX].rstrip() or None


def _text_of(raw: msgspec.Raw | None) -> str:
    try:
        found = msgspec.json.decode(raw or b'""')
    except msgspec.MsgspecError:
        return ""
    return found if isinstance(found, str) else ""
