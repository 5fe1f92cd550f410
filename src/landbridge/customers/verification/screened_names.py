"""Names in a submission that are compared with the sanctions list."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, cast

from landbridge.customers.verification.model import SubmissionSnapshot
from landbridge.providers.screening.model import ScreeningResult, ScreeningSubject

_NAME = ("firstName", "middleName", "lastName")
_LOCAL_NAME = ("firstNameLocal", "middleNameLocal", "lastNameLocal")
_BUSINESS_NAMES = ("businessName", "tradeName")


def subjects(snapshot: SubmissionSnapshot) -> tuple[ScreeningSubject, ...]:
    """Return each distinct name of each person: the user, and the owners of a business."""
    return tuple(dict.fromkeys([*_main(snapshot), *_local(snapshot)]))


def needs_person(snapshot: SubmissionSnapshot, screened: ScreeningResult) -> bool:
    """Return whether a review is needed: a name matches the list, or no name was compared.

    A name in a local script that was not compared needs no review if another name was compared.
    """
    main = {subject.name for subject in _main(snapshot)}
    is_unread = any(name in main for name in screened.unread)
    return bool(screened.hits) or is_unread or screened.lacks_list


def _main(snapshot: SubmissionSnapshot) -> Iterator[ScreeningSubject]:
    if snapshot.is_business:
        names = [snapshot.business_name, *(snapshot.data.get(each) for each in _BUSINESS_NAMES)]
        yield from _businesses(names)
    else:
        yield from _person(snapshot.data, _NAME)
        account = {"firstName": snapshot.first_name, "lastName": snapshot.last_name}
        yield from _person({**snapshot.data, "middleName": None, **account}, _NAME)
    for owner in snapshot.owners:
        yield from _person(owner.data, _NAME)


def _local(snapshot: SubmissionSnapshot) -> Iterator[ScreeningSubject]:
    if snapshot.is_business:
        more = snapshot.data.get("alternativeNames")
        names = cast("list[Any]", more) if isinstance(more, list) else []
        yield from _businesses([snapshot.data.get("businessNameLocal"), *names])
    else:
        yield from _person(snapshot.data, _LOCAL_NAME)
    for owner in snapshot.owners:
        yield from _person(owner.data, _LOCAL_NAME)


def _businesses(names: list[Any]) -> Iterator[ScreeningSubject]:
    for name in names:
        if isinstance(name, str) and name.strip():
            yield ScreeningSubject(name=name.strip(), type="business")


def _person(data: Mapping[str, Any], parts: tuple[str, ...]) -> Iterator[ScreeningSubject]:
    parts_given = [data.get(part) for part in parts]
    name = " ".join(each.strip() for each in parts_given if isinstance(each, str) and each.strip())
    if name:
        yield ScreeningSubject(name=name, type="individual", born=_day(data.get("dateOfBirth")))


def _day(value: object) -> date | None:
    try:
        return date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
