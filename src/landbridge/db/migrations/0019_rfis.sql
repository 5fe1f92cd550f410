-- Requests for information on payments. A payment with an open one waits in IN_REVIEW.
create table rfis (
    org_id uuid not null,
    id uuid not null,
    transfer_id uuid not null,
    transfer_kind text not null,
    -- Whose payment it is: the texts are sealed with this user's key, and go when the user does.
    user_id uuid not null,
    status text not null,
    -- Question, answer and comment; null once they were erased.
    sealed_texts bytea,
    -- What the answer brought along, as in file_<32 hex digits>.
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

-- At most one at a time on a payment.
create unique index rfis_open_idx on rfis (org_id, transfer_id) where status <> 'CLOSED';

create index rfis_transfer_idx on rfis (org_id, transfer_id, created_at, id);

-- The queue of reviews, the longest waiting first; and what goes with a user.
create index rfis_status_idx on rfis (org_id, status, created_at, id);
create index rfis_user_idx on rfis (org_id, user_id);
