-- Daily closes: the positions of the first comparison after the end of a day, signed by one person
-- and confirmed by a second one.

-- Positions at the cut of a day: by the first good run of each source after the day's end in the
-- organisation's time zone. Never changed.
create table recon_cutoffs (
    org_id uuid not null,
    day date not null,
    source text not null,
    asset text not null,
    block_number bigint not null,
    block_hash text not null,
    compared_at timestamptz not null,
    -- As in recon_positions.
    ledger_units numeric(38, 0) not null,
    outside_units numeric(38, 0) not null,
    unexplained_units numeric(38, 0) not null,
    accepted_units numeric(38, 0) not null,
    constraint recon_cutoffs_pkey primary key (org_id, day, source, asset),
    constraint recon_cutoffs_org_id_fkey foreign key (org_id) references orgs (id)
);

create table recon_closes (
    org_id uuid not null,
    id uuid not null,
    day date not null,
    status text not null,
    -- What was signed, as canonical JSON, and its SHA-256. It names the digest of the close before.
    content text not null,
    digest bytea not null,
    -- Keys or members; all times are organisation time.
    signed_by uuid not null,
    signed_at timestamptz not null,
    -- Who has confirmed or rejected it.
    decided_by uuid,
    decided_at timestamptz,
    rejection_reason text,
    constraint recon_closes_pkey primary key (org_id, id),
    constraint recon_closes_org_id_fkey foreign key (org_id) references orgs (id),
    constraint recon_closes_status_check check (status in ('PREPARED', 'COMPLETED', 'REJECTED')),
    constraint recon_closes_decided_by_check
        check ((decided_by is not null) = (status <> 'PREPARED')),
    constraint recon_closes_decided_at_check
        check ((decided_at is not null) = (status <> 'PREPARED')),
    constraint recon_closes_rejection_reason_check
        check ((rejection_reason is not null) = (status = 'REJECTED')),
    constraint recon_closes_second_check
        check (status <> 'COMPLETED' or decided_by <> signed_by)
);

-- A day has one close that counts.
create unique index recon_closes_day_key on recon_closes (org_id, day) where status <> 'REJECTED';
create index recon_closes_signed_at_idx on recon_closes (org_id, signed_at, id);
