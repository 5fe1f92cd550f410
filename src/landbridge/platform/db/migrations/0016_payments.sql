-- What payments need beside their ledger records.

-- References that payers write on deposits, so that the onramp is found. Assigned when the quote is
-- accepted and never reused.
create table onramp_references (
    org_id uuid not null,
    -- Without blanks, upper case.
    reference text not null,
    transfer_id uuid not null,
    constraint onramp_references_pkey primary key (org_id, reference),
    constraint onramp_references_transfer_id_key unique (org_id, transfer_id),
    constraint onramp_references_transfer_id_fkey
        foreign key (org_id, transfer_id) references transfers (org_id, id)
);

-- Texts of a payout (references, descriptions, documents), sealed with the data key of the paying
-- user. The row is removed when the user is erased; the record stays.
create table offramp_texts (
    org_id uuid not null,
    transfer_id uuid not null,
    user_id uuid not null,
    sealed_texts bytea not null,
    -- Files that the texts name; they are erased with the user too.
    file_ids text[] not null,
    constraint offramp_texts_pkey primary key (org_id, transfer_id),
    constraint offramp_texts_transfer_id_fkey
        foreign key (org_id, transfer_id) references transfers (org_id, id),
    constraint offramp_texts_user_id_fkey
        foreign key (org_id, user_id) references users (org_id, id)
);

-- For erasing a user.
create index offramp_texts_user_id_idx on offramp_texts (org_id, user_id);

-- Requests for information on payments. A payment with an open one waits in IN_REVIEW.
create table rfis (
    org_id uuid not null,
    id uuid not null,
    transfer_id uuid not null,
    transfer_kind text not null,
    -- The payment's user: the texts are sealed with this user's key and erased with the user.
    user_id uuid not null,
    status text not null,
    -- Question, answer and comment; null once erased.
    sealed_texts bytea,
    -- Files attached to the answer, as in file_<32 hex digits>.
    file_ids text[] not null default '{}',
    opened_by text not null,
    answered_at timestamptz,
    closed_at timestamptz,
    version integer not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint rfis_pkey primary key (org_id, id),
    constraint rfis_version_check check (version > 0),
    constraint rfis_status_check check (status in ('OPEN', 'ANSWERED', 'CLOSED')),
    constraint rfis_answered_at_check check (status <> 'ANSWERED' or answered_at is not null),
    constraint rfis_closed_at_check check ((status = 'CLOSED') = (closed_at is not null))
);

-- A payment has at most one open request.
create unique index rfis_open_idx on rfis (org_id, transfer_id) where status <> 'CLOSED';

create index rfis_transfer_id_idx on rfis (org_id, transfer_id, created_at, id);

-- The review queue, oldest first; and for erasing a user.
create index rfis_status_idx on rfis (org_id, status, created_at, id);
create index rfis_user_id_idx on rfis (org_id, user_id);

-- Why a reviewer wants a payment resolved. The state of a resolution is its record in `transfers`.
create table resolutions (
    org_id uuid not null,
    -- The id of its record.
    id uuid not null,
    -- The payment to resolve.
    transfer_id uuid not null,
    -- The payment's user: the evidence is sealed with this user's key and erased with the user.
    user_id uuid not null,
    -- Null once erased.
    sealed_evidence bytea,
    created_at timestamptz not null,
    constraint resolutions_pkey primary key (org_id, id)
);

create index resolutions_transfer_id_idx on resolutions (org_id, transfer_id, created_at, id);
create index resolutions_user_id_idx on resolutions (org_id, user_id);
