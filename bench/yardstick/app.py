"""Application of the yardstick: create and accept a swap."""

import hashlib
import os
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from decimal import ROUND_UP, Decimal
from typing import Annotated
from uuid import UUID, uuid4, uuid5

from fastapi import Depends, FastAPI, Header, HTTPException
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine

from bench.yardstick import DSN_VARIABLE, schemas
from bench.yardstick.tables import Account, ApiKey, Change, Entry, Price, Transfer, Wallet

_SCALE = 6
_LIFETIME = timedelta(seconds=30)
_PATH = ("OPEN_QUOTE", "CREATED", "PENDING", "COMPLETED")

_engine = create_async_engine(os.environ[DSN_VARIABLE], pool_size=12, max_overflow=0)
_sessions = async_sessionmaker(_engine, expire_on_commit=False)
app = FastAPI()


async def session() -> AsyncGenerator[AsyncSession]:
    """One session per request."""
    async with _sessions() as opened:
        yield opened


Session = Annotated[AsyncSession, Depends(session)]


async def caller(authorization: Annotated[str, Header()], db: Session) -> UUID:
    """Return the organisation of the key."""
    secret_hash = hashlib.sha256(authorization.removeprefix("Bearer ").encode()).digest()
    key = await db.get(ApiKey, secret_hash)
    if key is None:
        raise HTTPException(401)
    return key.org_id


Caller = Annotated[UUID, Depends(caller)]


@app.post("/v2/wallets/swaps")
async def create(data: schemas.NewSwap, org_id: Caller, db: Session) -> schemas.Reply:
    """Quote a swap, once per request id."""
    source, destination = data.source, data.destination
    if source.chain != destination.chain or source.currency == destination.currency:
        raise HTTPException(400)
    wallet = await db.scalar(
        select(Wallet).where(
            Wallet.org_id == org_id,
            Wallet.user_id == source.user_id,
            Wallet.chain == source.chain,
        )
    )
    if wallet is None:
        raise HTTPException(404)
    currencies = (source.currency, destination.currency)
    accounts = {
        each.currency: each
        for each in await db.scalars(
            select(Account).where(Account.wallet_id == wallet.id, Account.currency.in_(currencies))
        )
    }
    price = await db.get(Price, (org_id, *currencies))
    if len(accounts) != len(currencies) or price is None:
        raise HTTPException(400)
    transfer = _quoted(data, wallet, accounts, price)
    if accounts[source.currency].available < transfer.source_units:
        raise HTTPException(400)
    db.add(transfer)
    try:
        await db.flush()
    except IntegrityError:
        await db.rollback()
        known = await db.scalar(
            select(Transfer).where(
                Transfer.org_id == org_id, Transfer.request_id == data.request_id
            )
        )
        if known is None or known.request != transfer.request:
            raise HTTPException(409) from None
        return _reply(known)
    db.add(_change(transfer, 1, "open"))
    await db.commit()
    return _reply(transfer)


@app.post("/v2/wallets/swaps/{swap_id}/accept")
async def accept(swap_id: UUID, org_id: Caller, db: Session) -> schemas.Reply:
    """Carry the swap out at its quote."""
    transfer = await db.scalar(
        select(Transfer).where(Transfer.org_id == org_id, Transfer.id == swap_id).with_for_update()
    )
    if transfer is None:
        raise HTTPException(404)
    if transfer.status != _PATH[0]:
        return _reply(transfer)
    now = datetime.now(UTC)
    if now >= transfer.expires_at:
        raise HTTPException(400)
    ids = (transfer.source_account_id, transfer.destination_account_id)
    accounts = {
        each.id: each
        for each in await db.scalars(
            select(Account).where(Account.id.in_(ids)).order_by(Account.id).with_for_update()
        )
    }
    if accounts[transfer.source_account_id].available < transfer.source_units:
        raise HTTPException(400)
    accounts[transfer.source_account_id].available -= transfer.source_units
    accounts[transfer.destination_account_id].available += transfer.destination_units
    transfer.status, transfer.version, transfer.updated_at = _PATH[-1], len(_PATH), now
    db.add_all(_entries(transfer))
    db.add_all(_change(transfer, seq, "accept") for seq in range(2, len(_PATH) + 1))
    await db.commit()
    return _reply(transfer)


def _quoted(
    data: schemas.NewSwap, wallet: Wallet, accounts: dict[str, Account], price: Price
) -> Transfer:
    now = datetime.now(UTC)
    units = data.source.amount.scaleb(_SCALE)
    fee = (units * price.fee_fraction).to_integral_value(ROUND_UP)
    return Transfer(
        id=uuid4(),
        org_id=wallet.org_id,
        user_id=wallet.user_id,
        request_id=data.request_id,
        request=data.model_dump(mode="json"),
        status=_PATH[0],
        version=1,
        source_account_id=accounts[data.source.currency].id,
        source_currency=data.source.currency,
        source_units=units,
        destination_account_id=accounts[data.destination.currency].id,
        destination_currency=data.destination.currency,
        destination_units=((units - fee) * price.rate).to_integral_value(),
        destination_address=wallet.address,
        fee_units=fee,
        rate=price.rate,
        expires_at=now + _LIFETIME,
        created_at=now,
        updated_at=now,
    )


def _change(transfer: Transfer, seq: int, what: str) -> Change:
    return Change(
        transfer_id=transfer.id,
        seq=seq,
        what=what,
        status_before=_PATH[seq - 2] if seq > 1 else None,
        status_after=_PATH[seq - 1],
        at=transfer.updated_at,
    )


def _entries(transfer: Transfer) -> list[Entry]:
    sold, bought = transfer.source_currency, transfer.destination_currency
    lines: list[tuple[UUID | None, str | None, str, Decimal]] = [
        (transfer.source_account_id, None, sold, -transfer.source_units),
        (None, "liquidity", sold, transfer.source_units - transfer.fee_units),
        (None, "fees", sold, transfer.fee_units),
        (None, "liquidity", bought, -transfer.destination_units),
        (transfer.destination_account_id, None, bought, transfer.destination_units),
    ]
    return [
        Entry(
            transfer_id=transfer.id,
            line=line,
            account_id=account_id,
            role=role,
            currency=currency,
            units=units,
        )
        for line, (account_id, role, currency, units) in enumerate(lines, start=1)
    ]


def _reply(transfer: Transfer) -> schemas.Reply:
    received = _amount(transfer.destination_units, transfer.destination_currency)
    sold = transfer.source_currency
    return schemas.Reply(
        transfer_type="WALLET.SWAP",
        transfer_details=schemas.Details(
            id=transfer.id,
            request_id=transfer.request_id,
            status=transfer.status,
            created_at=transfer.created_at.isoformat(),
            updated_at=transfer.updated_at.isoformat(),
            source=schemas.SourceReply(
                currency=sold,
                amount=float(transfer.source_units.scaleb(-_SCALE)),
                chain="POLYGON",
                user_id=transfer.user_id,
            ),
            destination=schemas.DestinationReply(
                currency=transfer.destination_currency,
                user_id=transfer.user_id,
                external_wallet_id=None,
                amount=None,
                chain="POLYGON",
                wallet_address=transfer.destination_address,
            ),
            error=None,
            error_details=None,
            quote_information=schemas.Quote(
                send_gross=_amount(transfer.source_units, sold),
                send_net=_amount(transfer.source_units - transfer.fee_units, sold),
                receive_gross=received,
                receive_net=received,
                rate=f"{transfer.rate.normalize():f}",
                expires_at=transfer.expires_at.isoformat(),
            ),
            billing_information=schemas.Billing(
                fees=[
                    schemas.Fee(
                        id=uuid5(transfer.id, "exchange-fee"),
                        amount=float(transfer.fee_units.scaleb(-_SCALE)),
                        currency="USD",
                        type="EXCHANGE_FEE",
                        timing="ON_TRANSACTION",
                    )
                ]
            ),
        ),
    )


def _amount(units: Decimal, currency: str) -> schemas.Amount:
    return schemas.Amount(amount=f"{units.scaleb(-_SCALE).normalize():f}", currency=currency)
