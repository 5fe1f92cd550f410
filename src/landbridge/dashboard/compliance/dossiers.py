"""All that the pages about one user's verification show, asked of the interface at once."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from landbridge.dashboard.compliance.entries import Part, Texts, keep, parts, typed
from landbridge.dashboard.compliance.field_words import group_word, label
from landbridge.dashboard.compliance.standing import RAIL_WORDS, Asked, Standing, standing
from landbridge.dashboard.compliance.value_words import value_word
from landbridge.dashboard.countries import countries
from landbridge.dashboard.words import catalogue
from landbridge.kyc.fields import BY_TYPE, OWNER, OWNERS
from landbridge.kyc.kinds import Kind
from landbridge.kyc.model import Rail
from landbridge.users.model import UserType
from landbridge.verification.model import KycStatus
from landbridge.web.inside import Interface

_WAITS_FOR_USER = {KycStatus.INCOMPLETE, KycStatus.RFI_PENDING, KycStatus.CONTACT_SUPPORT}
SUBMITTABLE = {KycStatus.INACTIVE, *_WAITS_FOR_USER}
_ALL_EXPANDED = f"documents,{OWNERS}"


async def read_dossier(
    interface: Interface, user_id: str, rails: Sequence[str], locale: str
) -> dict[str, Any]:
    """Values for the page: whose it is, how far each rail is, and what the chosen ones ask."""
    path = f"/v2/users/{user_id}"
    user, freeze, kyc, *statuses = await asyncio.gather(
        interface.get(path),
        interface.get(f"{path}/freeze"),
        interface.get(f"{path}/kyc", expand=_ALL_EXPANDED),
        *(interface.get(f"{path}/kyc/status", rails=rail) for rail in Rail),
    )
    states = dict(zip(Rail, statuses, strict=True))
    chosen = _chosen(rails, states)
    asked: Any = await interface.get(f"{path}/kyc/requirements", rails=",".join(chosen))
    found = standing([asked] if len(chosen) == 1 else asked)
    info = kyc["kycInfo"]
    say = catalogue(locale).gettext
    submittable = [each for each in chosen if states[Rail(each)]["status"] in SUBMITTABLE]
    return {
        "user": user,
        "freeze": freeze,
        "info": info,
        "is_business": info["type"] == UserType.BUSINESS,
        "statuses": [_state(rail, state) for rail, state in states.items()],
        "chosen": chosen,
        "rail_words": RAIL_WORDS,
        "standing": found,
        "owners": _owners(info, found),
        "documents": _documents(info, states),
        "countries": countries(locale),
        "submittable": submittable,
        "submit_for": ", ".join(say(RAIL_WORDS[each]) for each in submittable),
        "labelled": label,
        "grouped": group_word,
        "worded": value_word,
    }


def user_form(info: Mapping[str, Any], found: Standing, typed_now: Texts | None) -> dict[str, Any]:
    """The form of a user's data: what is asked or known, and the rest."""
    fields = BY_TYPE[UserType(info["type"])]
    return data_form(fields, info, found.user, typed_now)


def owner_form(owner: Mapping[str, Any], asked: Asked, typed_now: Texts | None) -> dict[str, Any]:
    """The form of an owner's data."""
    return data_form(OWNER, owner, asked, typed_now)


def data_form(
    fields: Mapping[str, Kind], data: Mapping[str, Any], asked: Asked, typed_now: Texts | None
) -> dict[str, Any]:
    """Parts of what is asked or known and of the rest, and what the page begins with."""
    held = typed(fields, data)
    texts = held if typed_now is None else typed_now
    wrong = {path.partition(".")[0] for path in asked.wrong}
    wanted = asked.names | wrong | {path.partition(".")[0] for path in texts}
    required = frozenset(asked.required)

    def made(names: Sequence[str]) -> list[Part]:
        return parts(fields, names, texts, asked.wrong, required)

    return {
        "wanted": made([name for name in fields if name in wanted]),
        "rest": made([name for name in fields if name not in wanted]),
        "was": keep(held),
    }


def merged(asked: Asked, own: Asked | None) -> Asked:
    """What is asked of every owner, and what is wrong with this one."""
    if own is None:
        return asked
    return Asked(asked.names, asked.required, own.wrong, {**asked.groups, **own.groups})


def owner_place(info: Mapping[str, Any], owner_id: str) -> int:
    """Which of the owners this is; -1 if none."""
    ids = [each["id"] for each in info.get(OWNERS, ())]
    return ids.index(owner_id) if owner_id in ids else -1


def _chosen(rails: Sequence[str], states: Mapping[Rail, Mapping[str, Any]]) -> list[str]:
    """The rails that were asked for; else those that wait for the user, else the first that can."""
    told = [rail.value for rail in Rail if rail in rails]
    if told:
        return told
    waiting = [rail.value for rail, each in states.items() if each["status"] in _WAITS_FOR_USER]
    fresh = [rail.value for rail, each in states.items() if each["status"] in SUBMITTABLE]
    return waiting or fresh[:1] or [Rail.USD.value]


def _state(rail: Rail, state: Mapping[str, Any]) -> dict[str, Any]:
    result = state.get("reviewResult", {})
    return {
        "rail": rail.value,
        "status": state["status"],
        "message": state["message"],
        "comment": result.get("comment"),
        "reasons": result.get("rejectReasons") or state.get("warnings") or [],
    }


def _owners(info: Mapping[str, Any], found: Standing) -> list[dict[str, Any]]:
    return [
        {
            **owner,
            "wrong": (found.owners.get(place) or Asked()).wrong,
            "groups": [
                each for each in (found.owners.get(place) or Asked()).groups.values() if each.lacks
            ],
        }
        for place, owner in enumerate(info.get(OWNERS, ()))
    ]


def _documents(
    info: Mapping[str, Any], states: Mapping[Rail, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Documents with what reviewers said of each, and whose each is."""
    said = {str(found["id"]): found for each in states.values() for found in _results(each)}
    names = {
        owner["id"]: f"{owner['firstName'] or ''} {owner['lastName'] or ''}".strip()
        for owner in info.get(OWNERS, ())
    }
    return [
        {
            **each,
            "owner": names.get(each["uboId"]),
            "reasons": _reasons(said.get(each["id"], {})),
            "is_rejected": _result(said.get(each["id"], {})).get("reviewAnswer") == "DECLINED",
        }
        for each in info["documents"]
    ]


def _results(state: Any) -> Iterator[Mapping[str, Any]]:
    """Every document that a status object tells of, wherever in it that is."""
    if isinstance(state, list):
        for each in cast("list[Any]", state):
            yield from _results(each)
    elif isinstance(state, dict):
        members = cast("dict[str, Any]", state)
        if "subType" in members:
            yield members
        for each in members.values():
            yield from _results(each)


def _result(told: Mapping[str, Any]) -> Mapping[str, Any]:
    return told.get("reviewResult", {})


def _reasons(told: Mapping[str, Any]) -> Sequence[str]:
    return _result(told).get("rejectReasons") or ()
