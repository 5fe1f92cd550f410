-- Notes of the organisation's team on payments. Rows are only added; erasing a user blanks theirs.

create table transaction_notes (
    org_id uuid not null,
    id uuid not null,
    transfer_id uuid not null,
    -- The payment's user: the text is sealed with this user's key and erased with the user.
    user_id uuid not null,
    -- The API key or team member.
    author_id uuid not null,
    -- Null once erased.
    sealed_text bytea,
    created_at timestamptz not null,
    constraint transaction_notes_pkey primary key (org_id, id),
    constraint transaction_notes_transfer_id_fkey
        foreign key (org_id, transfer_id) references transfers (org_id, id),
    constraint transaction_notes_user_id_fkey
        foreign key (org_id, user_id) references users (org_id, id)
);

create index transaction_notes_transfer_id_idx
    on transaction_notes (org_id, transfer_id, created_at, id);

-- For erasing a user.
create index transaction_notes_user_id_idx on transaction_notes (org_id, user_id);
