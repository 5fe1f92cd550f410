"""Documents on the hosted form: the questions about each document, and its storage."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from landbridge.customers.kyc.documents import accepted
from landbridge.customers.kyc.field_types import ChoiceFieldType
from landbridge.customers.kyc.fields import DOCUMENT
from landbridge.customers.kyc.service import KycProfiles
from landbridge.customers.onboarding.errors import LinkGone
from landbridge.customers.onboarding.form_inputs import Form, FormQuestion, sentence
from landbridge.customers.onboarding.form_progress import OTHER, FormState, RequiredDocuments, needs
from landbridge.customers.onboarding.form_service import FormAnswers, FormVisit, answers
from landbridge.customers.onboarding.multipart_form import SubmittedForm, UploadMemory
from landbridge.customers.onboarding.service import KycLinks
from landbridge.customers.users.model import UserType
from landbridge.customers.users.page_language import translate
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.db.pool import Database
from landbridge.platform.files.model import PART
from landbridge.platform.files.service import Files
from landbridge.platform.formats.translations import later as _

_FILE_LABEL = _("File")
_IDENTITY = "identity"
_DESCRIBED = "OTHER"
_UNKNOWN = 404
_NO_FILE = _("Choose a file")
_SIDES = ("SINGLE_SIDE", "FRONT_SIDE", "BACK_SIDE")


@dataclass(frozen=True, slots=True)
class DocumentUploads:
    """Stores documents that persons upload on the hosted form."""

    links: KycLinks
    dossiers: KycProfiles
    files: Files
    database: Database
    memory: UploadMemory = field(default_factory=UploadMemory)

    async def add(
        self, visit: FormVisit, need: RequiredDocuments, sent: SubmittedForm
    ) -> FormAnswers:
        """Store a document with its file, or neither; the result then has errors that say why."""
        form_questions = document_questions(visit.state, need)
        found = answers(form_questions, sent.fields, visit.context)
        problem = sent.problem
        if problem is None and sent.content is None:
            problem = FieldInvalid(_NO_FILE)
        if problem is not None:
            found.errors[PART] = sentence(problem, translate(_FILE_LABEL))
        if found.errors or sent.content is None:
            return found
        try:
            file = await self.files.add(
                visit.caller, name=sent.name, content=sent.content, declared=sent.declared
            )
        except FieldInvalid as error:
            found.errors[PART] = sentence(error, translate(_FILE_LABEL))
            return found
        members = {**_settled(visit.state, need), **found.answers, "fileId": file.id}
        try:
            (document,) = await self.dossiers.add_documents(visit.caller, visit.user, [members])
        except BaseException as error:
            # Runs after any failure, and also after the request was cancelled.
            await asyncio.shield(self._erase_unused(visit, file.id))
            if not isinstance(error, FieldInvalid):
                raise
            path = (error.field or "").removeprefix("[0].")
            found.blame(error, form_questions, PART if path == "fileId" else path)
            return found
        await self.links.enter(visit.link, [str(document.id)])
        return found

    async def _erase_unused(self, visit: FormVisit, file_id: str) -> None:
        """Erase the file, unless the document was stored and only the confirmation was lost."""
        org_id = visit.caller.org_id
        kyc_profile = await self.dossiers.get(org_id, visit.user)
        if all(each.file_id != file_id for each in kyc_profile.documents):
            await self.database.transact(lambda tx: self.files.erase(tx, org_id, [file_id]))


def find_need(state: FormState, item: str) -> RequiredDocuments:
    """Return the document group in a page's address; raise `LinkGone` for an unknown one."""
    if item == OTHER and state.accepts_more_documents:
        types, _ = accepted(state.user_type)
        return RequiredDocuments(name=OTHER, owner_id=None, accepted=types, is_lacking=False)
    found = next((each for each in needs(state) if each.item == item), None)
    if found is None:
        raise LinkGone(_UNKNOWN)
    return found


def document_questions(state: FormState, need: RequiredDocuments) -> list[FormQuestion]:
    """Return the questions about a file, without questions that have only one answer."""
    settled = _settled(state, need)
    form_questions = [
        FormQuestion("type", ChoiceFieldType(need.accepted), None),
        FormQuestion("subType", ChoiceFieldType(_sides(state, need)), None),
        FormQuestion("issuedCountry", DOCUMENT["issuedCountry"], None),
    ]
    if need.name == _IDENTITY:
        form_questions += [
            FormQuestion("number", DOCUMENT["number"], None, is_required=False),
            FormQuestion("expiryDate", DOCUMENT["expiryDate"], None, is_required=False),
        ]
    if _DESCRIBED in need.accepted:
        form_questions.append(
            FormQuestion("description", DOCUMENT["description"], None, is_required=False)
        )
    return [each for each in form_questions if each.path not in settled]


def suggested(form: Form) -> Form:
    """Return the initial answers of the document form."""
    return {"subType": ["SINGLE_SIDE"], **form}


def _settled(state: FormState, need: RequiredDocuments) -> dict[str, Any]:
    """Return the answers of questions that have only one answer."""
    fixed: dict[str, Any] = {}
    if need.owner_id is not None:
        fixed["uboId"] = str(need.owner_id)
    for name, choices in (("type", need.accepted), ("subType", _sides(state, need))):
        if len(choices) == 1:
            fixed[name] = choices[0]
    return fixed


def _sides(state: FormState, need: RequiredDocuments) -> tuple[str, ...]:
    """Return the sides that a file may show; the whole document is first."""
    of = state.user_type if need.owner_id is None else UserType.INDIVIDUAL
    return tuple(sorted((str(each) for each in accepted(of)[1]), key=_SIDES.index))
