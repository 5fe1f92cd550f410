"""Routes of notes on transfers: /v2/transactions/{transactionId}/notes. Ours."""

from typing import Annotated
from uuid import UUID

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.ledger.path_params import known_transfer
from landbridge.payments.transactions.notes import (
    NOTE_LENGTH_MAX,
    TransactionNote,
    TransactionNotes,
)
from landbridge.platform.formats.schemas import prose
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import with_schema
from landbridge.platform.http.responses import Moment, WireStruct, reply_of
from landbridge.platform.idempotency.service import IdempotencyKeys


class NewTransactionNote(WireStruct, frozen=True):
    """A note of up to 1,000 characters, of one or more lines."""

    text: Annotated[str, with_schema(prose(NOTE_LENGTH_MAX))]


class TransactionNoteReply(WireStruct, frozen=True):
    """A note; `text` is null once the user was erased. `authorId` is a member or an API key."""

    id: UUID
    text: str | None
    author_id: UUID
    created_at: Moment


class TransactionNotesReply(WireStruct, frozen=True):
    """All notes on a transfer, oldest first."""

    count: int
    notes: list[TransactionNoteReply]


class TransactionNoteRoutes(Controller):
    """Notes on transfers of all kinds."""

    path = "/v2/transactions/{transactionId:str}/notes"
    tags = ("Transactions",)

    @post(
        status_code=200,
        summary="Add a note to a transaction",
        keyed=True,
        operation_id="transactions.addNote",
    )
    async def add(
        self,
        request: ApiRequest,
        transactionId: FromPath[str],
        data: JSONBody[NewTransactionNote],
        transaction_notes: NamedDependency[TransactionNotes],
        idempotency_keys: NamedDependency[IdempotencyKeys],
    ) -> TransactionNoteReply:
        """Add a note for the organisation's team, which can't be changed or removed.

        Nothing of the transfer changes, and no event is sent. A transfer has at most 100 notes.
        """
        transaction_id = known_transfer(transactionId)
        note = await idempotency_keys.run(
            request,
            data,
            lambda claim: transaction_notes.add(
                request.user, transaction_id, data.text, claim=claim
            ),
            lambda key: transaction_notes.get(key.org_id, key.object_id),
        )
        return _reply(note)

    @get(summary="List the notes on a transaction", operation_id="transactions.listNotes")
    async def page(
        self,
        request: ApiRequest,
        transactionId: FromPath[str],
        transaction_notes: NamedDependency[TransactionNotes],
    ) -> TransactionNotesReply:
        """List all notes, oldest first."""
        found = await transaction_notes.page(request.user.org_id, known_transfer(transactionId))
        return TransactionNotesReply(count=len(found), notes=[_reply(each) for each in found])


def _reply(note: TransactionNote) -> TransactionNoteReply:
    return reply_of(note, TransactionNoteReply)
