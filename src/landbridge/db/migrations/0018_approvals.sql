-- Payments that wait, or waited, for an admin; at most one for each record. The row is locked by
-- whoever votes or lets it lapse, so of these exactly one decides.
create table approvals (
    org_id uuid not null,
    -- Derived from the record.
    id uuid not null,
    transfer_id uuid not null,
    transfer_kind text not null,
    -- Whose payment it is: what is said about it is sealed under this user's data key.
    user_id uuid not null,
    status text not null,
    -- SHA-256 of the record as it was opened. A decision on anything else is refused.
    digest bytea not null,
    -- The organisation's policy as it was when this was asked.
    threshold integer not null,
    needs_second boolean not null,
    -- The API key or the member.
    initiator_id uuid not null,
    is_from_dashboard boolean not null,
    -- Organisation time; the due time of the record while it waits.
    expires_at timestamptz not null,
    -- Counts what was told of it in `changes`, under the same numbers.
    version integer not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint approvals_pkey primary key (org_id, id),
    constraint approvals_transfer_id_key unique (org_id, transfer_id),
    constraint approvals_status_check
        check (status in ('PENDING', 'APPROVED', 'REJECTED', 'EXPIRED')),
    constraint approvals_digest_check check (octet_length(digest) = 32),
    constraint approvals_threshold_check check (threshold between 1 and 20),
    constraint approvals_version_check check (version > 0)
);

-- The queue.
create index approvals_pending_idx
    on approvals (org_id, created_at desc, id desc)
    where status = 'PENDING';

-- Whose comments go when a user is erased.
create index approvals_user_id_idx on approvals (org_id, user_id);

-- The key is what makes a second vote of the same approver impossible.
create table votes (
    org_id uuid not null,
    approval_id uuid not null,
    -- The API key or the member.
    approver_id uuid not null,
    choice text not null,
    -- Null if nothing was said, and once the user was erased.
    sealed_comment bytea,
    at timestamptz not null,
    constraint votes_pkey primary key (org_id, approval_id, approver_id),
    constraint votes_approval_id_fkey
        foreign key (org_id, approval_id) references approvals (org_id, id),
    constraint votes_choice_check check (choice in ('APPROVE', 'REJECT'))
);

-- What an organisation asks of its approvals; without a row, one vote of anybody who may.
create table approval_policies (
    org_id uuid not null,
    threshold integer not null,
    needs_second boolean not null,
    version integer not null,
    updated_at timestamptz not null,
    constraint approval_policies_pkey primary key (org_id),
    constraint approval_policies_org_id_fkey foreign key (org_id) references orgs (id),
    constraint approval_policies_threshold_check check (threshold between 1 and 20),
    constraint approval_policies_version_check check (version > 0)
);
