"""Documents on the hosted form: what is asked of each, and keeping it."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from landbridge.core.errors import FieldInvalid
from landbridge.db.pool import Database
from landbridge.files.model import PART
from landbridge.files.service import Files
from landbridge.kyc.documents import accepted
from landbridge.kyc.fields import DOCUMENT
from landbridge.kyc.kinds import Words
from landbridge.kyc.service import Dossiers
from landbridge.onboarding.answers import Answers, answers
from landbridge.onboarding.errors import LinkGone
from landbridge.onboarding.inputs import Form, Question, sentence
from landbridge.onboarding.journey import OTHER, Need, Standing, needs
from landbridge.onboarding.service import Links
from landbridge.onboarding.uploads import Room, Sent
from landbridge.onboarding.visits import Visit
from landbridge.users.model import UserType

FILE_LABEL = "The file"
_IDENTITY = "identity"
_DESCRIBED = "OTHER"
_UNKNOWN = 404
_NO_FILE = "Choose a file"
_SIDES = ("SINGLE_SIDE", "FRONT_SIDE", "BACK_SIDE")


@dataclass(frozen=True, slots=True)
class Uploading:
    """Keeps documents of persons who visit."""

    links: Links
    dossiers: Dossiers
    files: Files
    database: Database
    room: Room = field(default_factory=Room)

    async def add(self, visit: Visit, need: Need, sent: Sent) -> Answers:
        """Keep a document with its file, both or neither; errors say why not."""
        asked = document_questions(visit.standing, need)
        found = answers(asked, sent.fields, visit.context)
        problem = sent.problem
        if problem is None and sent.content is None:
            problem = FieldInvalid(_NO_FILE)
        if problem is not None:
            found.errors[PART] = sentence(problem, FILE_LABEL)
        if found.errors or sent.content is None:
            return found
        try:
            file = await self.files.add(
                visit.caller, name=sent.name, content=sent.content, declared=sent.declared
            )
        except FieldInvalid as error:
            found.errors[PART] = sentence(error, FILE_LABEL)
            return found
        told = {**_settled(visit.standing, need), **found.told, "fileId": file.id}
        try:
            (document,) = await self.dossiers.add_documents(visit.caller, visit.user, [told])
        except BaseException as error:
            # Whatever has happened, and even if nobody waits for us any more.
            await asyncio.shield(self._erase_unused(visit, file.id))
            if not isinstance(error, FieldInvalid):
                raise
            path = (error.field or "").removeprefix("[0].")
            found.blame(error, asked, PART if path == "fileId" else path)
            return found
        await self.links.enter(visit.link, [str(document.id)])
        return found

    async def _erase_unused(self, visit: Visit, file_id: str) -> None:
        """Erase the file, unless the document was kept and only we have not heard of it."""
        org_id = visit.caller.org_id
        dossier = await self.dossiers.get(org_id, visit.user)
        if all(each.file_id != file_id for each in dossier.documents):
            await self.database.transact(lambda tx: self.files.erase(tx, org_id, [file_id]))


def find_need(standing: Standing, item: str) -> Need:
    """What documents a page's address names; raises `LinkGone` for what is made up."""
    if item == OTHER and standing.is_asked_for_more:
        types, _ = accepted(standing.user_type)
        return Need(name=OTHER, owner_id=None, accepted=types, is_lacking=False)
    found = next((each for each in needs(standing) if each.item == item), None)
    if found is None:
        raise LinkGone(_UNKNOWN)
    return found


def document_questions(standing: Standing, need: Need) -> list[Question]:
    """What is asked beside the file; nothing to which there is only one answer."""
    settled = _settled(standing, need)
    asked = [
        Question("type", Words(need.accepted), None),
        Question("subType", Words(_sides(standing, need)), None),
        Question("issuedCountry", DOCUMENT["issuedCountry"], None),
    ]
    if need.name == _IDENTITY:
        asked += [
            Question("number", DOCUMENT["number"], None, is_required=False),
            Question("expiryDate", DOCUMENT["expiryDate"], None, is_required=False),
        ]
    if _DESCRIBED in need.accepted:
        asked.append(Question("description", DOCUMENT["description"], None, is_required=False))
    return [each for each in asked if each.path not in settled]


def suggested(form: Form) -> Form:
    """The answers before anything is answered."""
    return {"subType": ["SINGLE_SIDE"], **form}


def _settled(standing: Standing, need: Need) -> dict[str, Any]:
    """What there is only one answer to."""
    told: dict[str, Any] = {}
    if need.owner_id is not None:
        told["uboId"] = str(need.owner_id)
    for name, choices in (("type", need.accepted), ("subType", _sides(standing, need))):
        if len(choices) == 1:
            told[name] = choices[0]
    return told


def _sides(standing: Standing, need: Need) -> tuple[str, ...]:
    """What a file may show; the whole document comes first."""
    of = standing.user_type if need.owner_id is None else UserType.INDIVIDUAL
    return tuple(sorted((str(each) for each in accepted(of)[1]), key=_SIDES.index))
