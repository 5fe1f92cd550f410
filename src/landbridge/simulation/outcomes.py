"""What later steps of a payment can be made to come to.

The catalogue is all there is: docs/reference/sandbox.md and the route that lists it say no more.
"""

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum, StrEnum, auto

# Kinds of payments, as they are called on the wire.
_SWAP = "WALLET.SWAP"
_TRANSFER = "WALLET.TRANSFER"
_BATCH = "WALLET.TRANSFER.BATCH"
_BRIDGE = "WALLET.BRIDGE"
_ONRAMP = "ONRAMP"
_OFFRAMP = "OFFRAMP"

KINDS = (_SWAP, _TRANSFER, _BATCH, _BRIDGE, _ONRAMP, _OFFRAMP)
_CARRIED = (_TRANSFER, _BATCH, _BRIDGE, _ONRAMP, _OFFRAMP)
_PRICED = (_SWAP, _ONRAMP, _OFFRAMP)
# Those that compliance asks about; any other is approved, if it can be.
REVIEWED = frozenset({_ONRAMP, _OFFRAMP})


class Step(StrEnum):
    """What comes to something, in the order in which payments meet it."""

    SCREENING = "screening"
    QUOTE = "quote"
    DEPOSIT = "deposit"
    CHAIN_SEND = "chain_send"
    CONFIRMATION = "confirmation"
    MINT = "mint"
    PAYOUT = "payout"
    REFUND = "refund"
    WEBHOOK = "webhook"


class Effect(Enum):
    """What the sandbox's own parts do about an outcome."""

    REFUSE = auto()  # no, for good; nothing happens
    REFUSE_AT_FIRST = auto()  # each order is refused for good until the delay is over
    REVIEW = auto()  # a person looks first
    EXPIRE = auto()  # over as soon as it is made
    AWAY = auto()  # out of reach for the delay; nothing happens before
    UNCLEAR = auto()  # carried out, but the first call has no answer
    LOSE = auto()  # not carried out, and the first call has no answer
    TWICE = auto()  # reaches the other side twice at once
    SETTLE_LATE = auto()  # taken, and final after the delay
    SILENT = auto()  # taken; nobody answers questions about it before the delay is over
    FAIL = auto()  # taken, and failed when it would have been final
    FAIL_LATE = auto()  # taken, and failed after the delay


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a step can be made to come to.

    `happens` says it for people; `reason` is what a record that fails of it gives as its reason.
    `delay` is what is meant if none is told, None for an outcome that knows no delay.
    """

    step: Step
    name: str
    effect: Effect
    happens: str
    kinds: tuple[str, ...]
    delay: timedelta | None = None
    reason: str = ""


CATALOGUE = (
    Outcome(
        Step.SCREENING,
        "reject",
        Effect.REFUSE,
        "refused when it would be committed: transfers and batches, and what asks for an approval, "
        "when they are created, the others when they are accepted",
        KINDS,
        reason="this payment did not pass the screening, as the sandbox was asked",
    ),
    Outcome(
        Step.SCREENING,
        "review",
        Effect.REVIEW,
        "an onramp goes into review with its deposit, an offramp with its coins; the others ask "
        "for an approval",
        _CARRIED,
    ),
    Outcome(
        Step.QUOTE,
        "expire",
        Effect.EXPIRE,
        "the quote is over as soon as it is made; not with an approval, which comes before it",
        (*_PRICED, _BRIDGE),
    ),
    Outcome(
        Step.QUOTE,
        "unavailable",
        Effect.REFUSE,
        "there is no price: the create is refused",
        _PRICED,
        reason="there is no fresh price for this pair, as the sandbox was asked",
    ),
    Outcome(
        Step.QUOTE,
        "depeg",
        Effect.REFUSE,
        "the stablecoin is off its peg: the create is refused",
        _PRICED,
        reason="the stablecoin is off its peg and is not quoted, as the sandbox was asked",
    ),
    Outcome(
        Step.DEPOSIT,
        "reject",
        Effect.FAIL,
        "the deposit is seen, does not clear, and goes back",
        (_ONRAMP,),
        reason="the bank could not collect the deposit, as the sandbox was asked",
    ),
    Outcome(
        Step.DEPOSIT,
        "late",
        Effect.SETTLE_LATE,
        "the deposit clears after the delay",
        (_ONRAMP,),
        delay=timedelta(days=1),
    ),
    Outcome(
        Step.DEPOSIT,
        "twice",
        Effect.TWICE,
        "the bank tells of the same deposit twice; it counts once",
        (_ONRAMP,),
    ),
    Outcome(
        Step.DEPOSIT,
        "return",
        Effect.FAIL_LATE,
        "the deposit is called back by the payer's bank after the delay, before it has cleared",
        (_ONRAMP,),
        delay=timedelta(days=3),
        reason="the payer's bank called the deposit back, as the sandbox was asked",
    ),
    Outcome(
        Step.CHAIN_SEND,
        "reject",
        Effect.REFUSE,
        "the chain refuses the transaction",
        KINDS,
        reason="the chain refused the transaction, as the sandbox was asked",
    ),
    Outcome(
        Step.CHAIN_SEND,
        "timeout",
        Effect.UNCLEAR,
        "the chain takes the transaction, but the first call has no answer",
        _CARRIED,
    ),
    Outcome(
        Step.CHAIN_SEND,
        "lost",
        Effect.LOSE,
        "the first call has no answer and never arrived; the transaction is given again",
        _CARRIED,
    ),
    Outcome(
        Step.CHAIN_SEND,
        "twice",
        Effect.TWICE,
        "the transaction reaches the chain twice at once; it is carried once",
        _CARRIED,
    ),
    Outcome(
        Step.CHAIN_SEND,
        "late",
        Effect.AWAY,
        "the chain is out of reach until the delay is over",
        _CARRIED,
        delay=timedelta(minutes=10),
    ),
    Outcome(
        Step.CONFIRMATION,
        "reject",
        Effect.FAIL,
        "the chain takes the transaction, and it fails there",
        _CARRIED,
        reason="the transaction failed on the chain, as the sandbox was asked",
    ),
    Outcome(
        Step.CONFIRMATION,
        "timeout",
        Effect.SILENT,
        "the chain takes the transaction, and answers no question about it until the delay is "
        "over; after a day without answer most payments are `UNKNOWN`",
        _CARRIED,
        delay=timedelta(hours=30),
    ),
    Outcome(
        Step.CONFIRMATION,
        "late",
        Effect.SETTLE_LATE,
        "the transaction is final after the delay",
        _CARRIED,
        delay=timedelta(hours=1),
    ),
    Outcome(
        Step.MINT,
        "reject",
        Effect.REFUSE,
        "the other chain refuses to mint; the coins come back to the source",
        (_BRIDGE,),
        reason="the other chain refused to mint, as the sandbox was asked",
    ),
    Outcome(
        Step.MINT,
        "timeout",
        Effect.UNCLEAR,
        "the other chain mints, but the first call has no answer",
        (_BRIDGE,),
    ),
    Outcome(
        Step.MINT,
        "lost",
        Effect.LOSE,
        "the first call to the other chain has no answer and never arrived; it is made again",
        (_BRIDGE,),
    ),
    Outcome(
        Step.MINT,
        "late",
        Effect.SETTLE_LATE,
        "the coins are minted after the delay",
        (_BRIDGE,),
        delay=timedelta(hours=1),
    ),
    Outcome(
        Step.PAYOUT,
        "reject",
        Effect.REFUSE,
        "the bank refuses the payment; the coins go back",
        (_OFFRAMP,),
        reason="the bank refused the payment, as the sandbox was asked",
    ),
    Outcome(
        Step.PAYOUT,
        "timeout",
        Effect.UNCLEAR,
        "the bank takes the payment, but the first call has no answer",
        (_OFFRAMP,),
    ),
    Outcome(
        Step.PAYOUT,
        "lost",
        Effect.LOSE,
        "the first call has no answer and never arrived; the payment is given again",
        (_OFFRAMP,),
    ),
    Outcome(
        Step.PAYOUT,
        "twice",
        Effect.TWICE,
        "the payment reaches the bank twice at once; it is made once",
        (_OFFRAMP,),
    ),
    Outcome(
        Step.PAYOUT,
        "late",
        Effect.SETTLE_LATE,
        "the payee has the money after the delay",
        (_OFFRAMP,),
        delay=timedelta(days=2),
    ),
    Outcome(
        Step.PAYOUT,
        "return",
        Effect.FAIL_LATE,
        "the bank takes the payment and returns it after the delay; the coins go back",
        (_OFFRAMP,),
        delay=timedelta(days=3),
        reason="the bank returned the payment, as the sandbox was asked",
    ),
    Outcome(
        Step.REFUND,
        "reject",
        Effect.REFUSE_AT_FIRST,
        "every order that gives the coins back to their first destination is refused until the "
        "delay is over; a reviewer can redirect the refund",
        (_BRIDGE, _OFFRAMP),
        delay=timedelta(days=1),
        reason="the chain refused the refund, as the sandbox was asked",
    ),
    Outcome(
        Step.WEBHOOK,
        "fail",
        Effect.AWAY,
        "attempts to deliver the payment's events fail until the delay is over, which begins with "
        "the first event that is to be delivered",
        KINDS,
        delay=timedelta(minutes=10),
    ),
    Outcome(
        Step.WEBHOOK,
        "late",
        Effect.SETTLE_LATE,
        "no event of the payment is delivered before the delay is over, which begins with the "
        "first event that is to be delivered",
        KINDS,
        delay=timedelta(minutes=10),
    ),
    Outcome(
        Step.WEBHOOK,
        "twice",
        Effect.TWICE,
        "each event of the payment is delivered twice at once, with the same `eventId`",
        KINDS,
    ),
)
