"""What Elliptic answers, and what it means.

Source: the OpenAPI document "AML API V2" of developers.elliptic.co; its schemas are named below.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from landbridge.providers.packages.http_client import NoAnswer
from landbridge.providers.packages.interface import RiskCategory, ScreeningState
from landbridge_elliptic.settings import EllipticOptions

_SCORE_MAX = 10
# `process_status`: seconds after which an analysis without a result is asked about again. One that
# has failed is repeated by Elliptic once a day (docs/rescreening-and-alerting), and sooner by us.
RUNNING, COMPLETE, FAILED = "running", "complete", "error"
WAITS_S = {RUNNING: 10, COMPLETE: 60, FAILED: 600}


class EllipticCustomer(msgspec.Struct, frozen=True, kw_only=True):
    """Customer of an analysis: at Landbridge, one for each screening."""

    reference: str = ""


class EllipticAnalysed(msgspec.Struct, frozen=True, kw_only=True):
    """Subject of an analysis: `hash` of a transaction or an address (`AnalysisSubject`)."""

    hash: str
    output_address: str | None = None


class EllipticTrigger(msgspec.Struct, frozen=True, kw_only=True):
    """Why an entity is risky."""

    is_sanctioned: bool | None = None


class EllipticContribution(msgspec.Struct, frozen=True, kw_only=True):
    """Entity that contributed to a match. Its name is not read."""

    risk_triggers: EllipticTrigger | None = None


class EllipticElement(msgspec.Struct, frozen=True, kw_only=True):
    """Category that a risk rule has matched (`MatchedElement`)."""

    category_id: UUID | None = None
    contributions: tuple[EllipticContribution, ...] = ()


class EllipticRule(msgspec.Struct, frozen=True, kw_only=True):
    """Risk rule that was triggered (`EvaluationDetail`). Rules of behaviour match no elements."""

    matched_elements: tuple[EllipticElement, ...] | None = None


class EllipticWalletRules(msgspec.Struct, frozen=True, kw_only=True):
    """Rules that were triggered by where a wallet's funds come from and go to."""

    source: tuple[EllipticRule, ...] = ()
    destination: tuple[EllipticRule, ...] = ()


class EllipticListed(msgspec.Struct, frozen=True, kw_only=True):
    """Analysis of a list (`WalletAnalysisGetAllResponse`, `TransactionAnalysisGetAllResponse`)."""

    id: UUID
    customer: EllipticCustomer
    created_at: datetime


class EllipticAnalysis(EllipticListed, frozen=True, kw_only=True):
    """Analysis (`WalletAnalysisResponse`, `TransactionAnalysisSingleResponse`).

    A `risk_score` of null says that no rule was triggered. `predictive` says that a transaction was
    too close to the tip of its blockchain to be seen in full; `asset_list` has the coins of it.
    """

    subject: EllipticAnalysed
    process_status: str
    risk_score: float | UnsetType | None = UNSET
    evaluation_detail: tuple[EllipticRule, ...] | EllipticWalletRules | None = None
    predictive: bool | None = None
    asset_list: tuple[str, ...] | None = None


def screening_state(analysis: EllipticAnalysis, options: EllipticOptions) -> ScreeningState:
    """Return what an analysis says; raises `NoAnswer` if that is not clear.

    Nothing is clear that Elliptic has not finished, has not seen in full, or has found without one
    of the coins that it is to screen.
    """
    if analysis.process_status not in WAITS_S:
        raise NoAnswer("the status of an analysis is not known")
    if analysis.process_status != COMPLETE:
        return ScreeningState.PENDING
    score = analysis.risk_score
    if isinstance(score, UnsetType):
        raise NoAnswer("a complete analysis has no risk score, not even null")
    if score is not None and not 0 <= score <= _SCORE_MAX:
        raise NoAnswer("a risk score is not between 0 and 10")
    if score is None and any(True for _ in _rules(analysis)):
        raise NoAnswer("an analysis has rules that were triggered, and no risk score")
    if score is not None and score >= options.hit_score:
        return ScreeningState.HIT
    if analysis.predictive:
        return ScreeningState.PENDING
    if analysis.asset_list is not None and not _has_ours(analysis.asset_list, options):
        raise NoAnswer("an analysis has none of the assets of the settings")
    return ScreeningState.CLEAR


def risk_categories(
    analysis: EllipticAnalysis, known: Mapping[UUID, RiskCategory]
) -> tuple[RiskCategory, ...]:
    """Return what a hit is about: `other` where nothing of it is known."""
    found: set[RiskCategory] = set()
    for rule in _rules(analysis):
        for element in rule.matched_elements or ():
            if element.category_id is not None and element.category_id in known:
                found.add(known[element.category_id])
            triggers = (each.risk_triggers for each in element.contributions)
            if any(each is not None and each.is_sanctioned for each in triggers):
                found.add(RiskCategory.SANCTIONS)
    return tuple(each for each in RiskCategory if each in found) or (RiskCategory.OTHER,)


def _rules(analysis: EllipticAnalysis) -> Iterator[EllipticRule]:
    match analysis.evaluation_detail:
        case None:
            return
        case EllipticWalletRules(source=source, destination=destination):
            yield from source
            yield from destination
        case rules:
            yield from rules


def _has_ours(assets: tuple[str, ...], options: EllipticOptions) -> bool:
    ours = {name.lower() for name in options.assets.values()}
    return any(name.lower() in ours for name in assets)
