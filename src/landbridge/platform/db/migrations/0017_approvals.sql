-- Payments that wait, or waited, for approval; at most one approval for each record. A vote and the
-- expiry both lock the row, so that exactly one of them decides.
create table approvals (
    org_id uuid not null,
    -- Derived from the record.
    id uuid not null,
    transfer_id uuid not null,
    transfer_kind text not null,
    -- The payment's user: comments are sealed with this user's data key.
    user_id uuid not null,
    status text not null,
    -- SHA-256 of the record as created. A decision on anything else is refused.
    digest bytea not null,
    -- The organisation's policy when the approval was requested.
    threshold integer not null,
    needs_second boolean not null,
    -- The API key or team member.
    initiator_id uuid not null,
    is_from_dashboard boolean not null,
    -- Organisation time; the due time of the record while it waits.
    expires_at timestamptz not null,
    -- Number of changes, equal to the last changes.seq.
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

-- For erasing the comments of a user.
create index approvals_user_id_idx on approvals (org_id, user_id);

-- Lists of all approvals, newest first: of an organisation, and of one initiator.
create index approvals_created_at_idx on approvals (org_id, created_at desc, id desc);

create index approvals_initiator_id_idx
    on approvals (org_id, initiator_id, created_at desc, id desc);

-- The primary key prevents a second vote of the same approver.
create table approval_votes (
    org_id uuid not null,
    approval_id uuid not null,
    -- The API key or team member.
    approver_id uuid not null,
    choice text not null,
    -- Null without a comment, and once the user is erased.
    sealed_comment bytea,
    occurred_at timestamptz not null,
    constraint approval_votes_pkey primary key (org_id, approval_id, approver_id),
    constraint approval_votes_approval_id_fkey
        foreign key (org_id, approval_id) references approvals (org_id, id),
    constraint approval_votes_choice_check check (choice in ('APPROVE', 'REJECT'))
);

-- An organisation's approval policy; without a row, one vote of any approver decides.
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
