"""Catalogue of outcomes that can be scripted for the later steps of a payment.

docs/reference/sandbox.md and the route that lists outcomes are derived from it.
"""

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum, StrEnum, auto

# Kinds of payments, by their names in the API.
_SWAP = "WALLET.SWAP"
_TRANSFER = "WALLET.TRANSFER"
_BATCH = "WALLET.TRANSFER.BATCH"
_BRIDGE = "WALLET.BRIDGE"
_ONRAMP = "ONRAMP"
_OFFRAMP = "OFFRAMP"

KINDS = (_SWAP, _TRANSFER, _BATCH, _BRIDGE, _ONRAMP, _OFFRAMP)
# Kinds that can wait for an approval or a compliance check.
_DECIDED = (_TRANSFER, _BATCH, _BRIDGE, _ONRAMP, _OFFRAMP)
_PRICED = (_SWAP, _ONRAMP, _OFFRAMP)
# Kinds with a compliance check; payments of all other kinds are approved if possible.
REVIEWED = frozenset({_ONRAMP, _OFFRAMP})


class ScriptedStep(StrEnum):
    """Step with an outcome that can be scripted, in the order in which payments reach them."""

    SCREENING = "screening"
    QUOTE = "quote"
    DEPOSIT = "deposit"
    CHAIN_SEND = "chain_send"
    CONFIRMATION = "confirmation"
    MINT = "mint"
    PAYOUT = "payout"
    REFUND = "refund"
    WEBHOOK = "webhook"


class OutcomeEffect(Enum):
    """Effect of an outcome on the sandbox's adapters."""

    REFUSE = auto()  # rejected for good; nothing happens
    REFUSE_AT_FIRST = auto()  # each order is rejected until the delay is over
    REVIEW = auto()  # waits for a manual review
    EXPIRE = auto()  # expires as soon as it is created
    UNAVAILABLE = auto()  # unavailable until the delay is over, and nothing happens before
    UNCLEAR = auto()  # carried out, but the first call has no answer
    LOSE = auto()  # not carried out, and the first call has no answer
    TWICE = auto()  # arrives twice at the same time
    SETTLE_LATE = auto()  # accepted, and final after the delay
    SILENT = auto()  # accepted; queries fail until the delay is over
    FAIL = auto()  # accepted, then fails at the time at which it would have been final
    FAIL_LATE = auto()  # accepted, then fails after the delay


@dataclass(frozen=True, slots=True)
class ScriptedOutcome:
    """Outcome that can be scripted for a step.

    `reason` is the failure reason of a record that this outcome fails. `delay` is the default
    delay, None for an outcome without a delay.
    """

    step: ScriptedStep
    name: str
    effect: OutcomeEffect
    description: str
    kinds: tuple[str, ...]
    delay: timedelta | None = None
    reason: str = ""


CATALOGUE = (
    ScriptedOutcome(
        ScriptedStep.SCREENING,
        "reject",
        OutcomeEffect.REFUSE,
        "the payment is refused: transfers, batches and payments that need approval on creation, "
        "the others on acceptance",
        KINDS,
        reason="this payment did not pass the screening, as scripted in the sandbox",
    ),
    ScriptedOutcome(
        ScriptedStep.SCREENING,
        "review",
        OutcomeEffect.REVIEW,
        "an onramp enters review with its deposit, an offramp with its coins; other payments need"
        " approval",
        _DECIDED,
    ),
    ScriptedOutcome(
        ScriptedStep.QUOTE,
        "expire",
        OutcomeEffect.EXPIRE,
        "the quote expires immediately; not for payments that need approval, which are quoted "
        "afterwards",
        (*_PRICED, _BRIDGE),
    ),
    ScriptedOutcome(
        ScriptedStep.QUOTE,
        "unavailable",
        OutcomeEffect.REFUSE,
        "no price is available: the create request is refused",
        _PRICED,
        reason="there is no fresh price for this pair, as scripted in the sandbox",
    ),
    ScriptedOutcome(
        ScriptedStep.QUOTE,
        "depeg",
        OutcomeEffect.REFUSE,
        "the stablecoin is off its peg: the create request is refused",
        _PRICED,
        reason="the stablecoin is off its peg and is not quoted, as scripted in the sandbox",
    ),
    ScriptedOutcome(
        ScriptedStep.DEPOSIT,
        "reject",
        OutcomeEffect.FAIL,
        "the deposit is detected, does not clear and is returned",
        (_ONRAMP,),
        reason="the bank could not collect the deposit, as scripted in the sandbox",
    ),
    ScriptedOutcome(
        ScriptedStep.DEPOSIT,
        "late",
        OutcomeEffect.SETTLE_LATE,
        "the deposit clears after the delay",
        (_ONRAMP,),
        delay=timedelta(days=1),
    ),
    ScriptedOutcome(
        ScriptedStep.DEPOSIT,
        "twice",
        OutcomeEffect.TWICE,
        "the bank reports the same deposit twice; it counts once",
        (_ONRAMP,),
    ),
    ScriptedOutcome(
        ScriptedStep.DEPOSIT,
        "return",
        OutcomeEffect.FAIL_LATE,
        "the payer's bank recalls the deposit after the delay, before it clears",
        (_ONRAMP,),
        delay=timedelta(days=3),
        reason="the payer's bank recalled the deposit, as scripted in the sandbox",
    ),
    ScriptedOutcome(
        ScriptedStep.CHAIN_SEND,
        "reject",
        OutcomeEffect.REFUSE,
        "the chain refuses the transaction",
        KINDS,
        reason="the chain refused the transaction, as scripted in the sandbox",
    ),
    ScriptedOutcome(
        ScriptedStep.CHAIN_SEND,
        "timeout",
        OutcomeEffect.UNCLEAR,
        "the chain accepts the transaction, but the first call gets no response",
        KINDS,
    ),
    ScriptedOutcome(
        ScriptedStep.CHAIN_SEND,
        "lost",
        OutcomeEffect.LOSE,
        "the first call is lost and gets no response; the transaction is sent again",
        KINDS,
    ),
    ScriptedOutcome(
        ScriptedStep.CHAIN_SEND,
        "twice",
        OutcomeEffect.TWICE,
        "the transaction reaches the chain twice at once; it is executed once",
        KINDS,
    ),
    ScriptedOutcome(
        ScriptedStep.CHAIN_SEND,
        "late",
        OutcomeEffect.UNAVAILABLE,
        "the chain is unreachable until the delay is over",
        KINDS,
        delay=timedelta(minutes=10),
    ),
    ScriptedOutcome(
        ScriptedStep.CONFIRMATION,
        "reject",
        OutcomeEffect.FAIL,
        "the chain accepts the transaction, and it fails on chain",
        KINDS,
        reason="the transaction failed on the chain, as scripted in the sandbox",
    ),
    ScriptedOutcome(
        ScriptedStep.CONFIRMATION,
        "timeout",
        OutcomeEffect.SILENT,
        "the chain accepts the transaction and answers no query about it until the delay is over;"
        " after a day without an answer most payments become `UNKNOWN`",
        KINDS,
        delay=timedelta(hours=30),
    ),
    ScriptedOutcome(
        ScriptedStep.CONFIRMATION,
        "late",
        OutcomeEffect.SETTLE_LATE,
        "the transaction is final after the delay",
        KINDS,
        delay=timedelta(hours=1),
    ),
    ScriptedOutcome(
        ScriptedStep.MINT,
        "reject",
        OutcomeEffect.REFUSE,
        "the destination chain refuses to mint; the coins are refunded to the source",
        (_BRIDGE,),
        reason="the other chain refused to mint, as scripted in the sandbox",
    ),
    ScriptedOutcome(
        ScriptedStep.MINT,
        "timeout",
        OutcomeEffect.UNCLEAR,
        "the destination chain mints, but the first call gets no response",
        (_BRIDGE,),
    ),
    ScriptedOutcome(
        ScriptedStep.MINT,
        "lost",
        OutcomeEffect.LOSE,
        "the first call to the destination chain is lost and gets no response; it is sent again",
        (_BRIDGE,),
    ),
    ScriptedOutcome(
        ScriptedStep.MINT,
        "late",
        OutcomeEffect.SETTLE_LATE,
        "the coins are minted after the delay",
        (_BRIDGE,),
        delay=timedelta(hours=1),
    ),
    ScriptedOutcome(
        ScriptedStep.PAYOUT,
        "reject",
        OutcomeEffect.REFUSE,
        "the bank refuses the payment; the coins are refunded",
        (_OFFRAMP,),
        reason="the bank refused the payment, as scripted in the sandbox",
    ),
    ScriptedOutcome(
        ScriptedStep.PAYOUT,
        "timeout",
        OutcomeEffect.UNCLEAR,
        "the bank accepts the payment, but the first call gets no response",
        (_OFFRAMP,),
    ),
    ScriptedOutcome(
        ScriptedStep.PAYOUT,
        "lost",
        OutcomeEffect.LOSE,
        "the first call is lost and gets no response; the payment is sent again",
        (_OFFRAMP,),
    ),
    ScriptedOutcome(
        ScriptedStep.PAYOUT,
        "twice",
        OutcomeEffect.TWICE,
        "the payment reaches the bank twice at once; it is executed once",
        (_OFFRAMP,),
    ),
    ScriptedOutcome(
        ScriptedStep.PAYOUT,
        "late",
        OutcomeEffect.SETTLE_LATE,
        "the payee receives the money after the delay",
        (_OFFRAMP,),
        delay=timedelta(days=2),
    ),
    ScriptedOutcome(
        ScriptedStep.PAYOUT,
        "return",
        OutcomeEffect.FAIL_LATE,
        "the bank accepts the payment and returns it after the delay; the coins are refunded",
        (_OFFRAMP,),
        delay=timedelta(days=3),
        reason="the bank returned the payment, as scripted in the sandbox",
    ),
    ScriptedOutcome(
        ScriptedStep.REFUND,
        "reject",
        OutcomeEffect.REFUSE_AT_FIRST,
        "every refund to the original destination is refused until the delay is over; a reviewer "
        "can redirect the refund",
        (_BRIDGE, _OFFRAMP),
        delay=timedelta(days=1),
        reason="the chain refused the refund, as scripted in the sandbox",
    ),
    ScriptedOutcome(
        ScriptedStep.WEBHOOK,
        "fail",
        OutcomeEffect.UNAVAILABLE,
        "delivery attempts of the payment's events fail until the delay is over; the delay starts"
        " with the first event to deliver",
        KINDS,
        delay=timedelta(minutes=10),
    ),
    ScriptedOutcome(
        ScriptedStep.WEBHOOK,
        "late",
        OutcomeEffect.SETTLE_LATE,
        "no event of the payment is delivered until the delay is over; the delay starts with the "
        "first event to deliver",
        KINDS,
        delay=timedelta(minutes=10),
    ),
    ScriptedOutcome(
        ScriptedStep.WEBHOOK,
        "twice",
        OutcomeEffect.TWICE,
        "each event of the payment is delivered twice at once, with the same `eventId`",
        KINDS,
    ),
)
