"""Tables of the yardstick, as an ORM has them."""

from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import JSON, ForeignKey, Numeric, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import DateTime

_UNITS = Numeric(38, 0)
_MOMENT = DateTime(timezone=True)


class Base(DeclarativeBase):
    """Base of all tables."""


class ApiKey(Base):
    """API key of an organisation, stored as its hash."""

    __tablename__ = "api_keys"
    secret_hash: Mapped[bytes] = mapped_column(primary_key=True)
    org_id: Mapped[UUID]


class Wallet(Base):
    """Wallet of a user on a chain."""

    __tablename__ = "wallets"
    __table_args__ = (UniqueConstraint("org_id", "user_id", "chain"),)
    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    org_id: Mapped[UUID]
    user_id: Mapped[UUID]
    chain: Mapped[str]
    address: Mapped[str]


class Account(Base):
    """Balance of a wallet in one currency."""

    __tablename__ = "accounts"
    __table_args__ = (UniqueConstraint("wallet_id", "currency"),)
    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    wallet_id: Mapped[UUID] = mapped_column(ForeignKey("wallets.id"))
    currency: Mapped[str]
    available: Mapped[Decimal] = mapped_column(_UNITS)


class Price(Base):
    """Price of a pair for an organisation."""

    __tablename__ = "prices"
    org_id: Mapped[UUID] = mapped_column(primary_key=True)
    sold: Mapped[str] = mapped_column(primary_key=True)
    bought: Mapped[str] = mapped_column(primary_key=True)
    rate: Mapped[Decimal] = mapped_column(Numeric(38, 18))
    fee_fraction: Mapped[Decimal] = mapped_column(Numeric(9, 8))


class Transfer(Base):
    """Swap."""

    __tablename__ = "transfers"
    __table_args__ = (UniqueConstraint("org_id", "request_id"),)
    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    org_id: Mapped[UUID]
    user_id: Mapped[UUID] = mapped_column(index=True)
    request_id: Mapped[UUID]
    request: Mapped[dict[str, Any]] = mapped_column(JSON)
    status: Mapped[str]
    version: Mapped[int]
    source_account_id: Mapped[UUID] = mapped_column(ForeignKey("accounts.id"))
    source_currency: Mapped[str]
    source_units: Mapped[Decimal] = mapped_column(_UNITS)
    destination_account_id: Mapped[UUID] = mapped_column(ForeignKey("accounts.id"))
    destination_currency: Mapped[str]
    destination_units: Mapped[Decimal] = mapped_column(_UNITS)
    destination_address: Mapped[str]
    fee_units: Mapped[Decimal] = mapped_column(_UNITS)
    rate: Mapped[Decimal] = mapped_column(Numeric(38, 18))
    expires_at: Mapped[datetime] = mapped_column(_MOMENT)
    created_at: Mapped[datetime] = mapped_column(_MOMENT, index=True)
    updated_at: Mapped[datetime] = mapped_column(_MOMENT)


class Entry(Base):
    """One line of a journal."""

    __tablename__ = "entries"
    transfer_id: Mapped[UUID] = mapped_column(ForeignKey("transfers.id"), primary_key=True)
    line: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[UUID | None] = mapped_column(index=True)
    role: Mapped[str | None]
    currency: Mapped[str]
    units: Mapped[Decimal] = mapped_column(_UNITS)


class Change(Base):
    """Something that happened to a transfer."""

    __tablename__ = "changes"
    transfer_id: Mapped[UUID] = mapped_column(ForeignKey("transfers.id"), primary_key=True)
    seq: Mapped[int] = mapped_column(primary_key=True)
    what: Mapped[str]
    status_before: Mapped[str | None]
    status_after: Mapped[str]
    at: Mapped[datetime] = mapped_column(_MOMENT, index=True)
