-- Reconciliation: two people explain a difference together, and each comparison is kept.

alter table recon_differences
    -- Member who looks into it.
    add column assignee_id uuid,
    -- Person who has explained it, and why; a second one accepts. Keys or members.
    add column reason text,
    add column proposed_by uuid,
    add column proposed_at timestamptz,
    add column accepted_by uuid;

alter table recon_differences
    drop constraint recon_differences_status_check,
    add constraint recon_differences_status_check
        check (status in ('TIMING', 'OPEN', 'PROPOSED', 'RESOLVED')),
    add constraint recon_differences_proposed_by_check check (
        status <> 'PROPOSED'
        or (reason is not null and proposed_by is not null and proposed_at is not null)
    ),
    add constraint recon_differences_accepted_by_check
        check (accepted_by is null or accepted_by <> proposed_by);

-- Lists differences, newest first.
create index recon_differences_since_idx on recon_differences (org_id, since, id);
create index recon_differences_open_since_idx on recon_differences (org_id, since, id)
    where status <> 'RESOLVED';

-- Comparisons with one source; removed after some months. Times are organisation time.
create table recon_runs (
    org_id uuid not null,
    id uuid not null,
    source text not null,
    compared_at timestamptz not null,
    -- The block that was compared; null if the source did not answer before its first one.
    block_number bigint,
    block_hash text,
    -- Why nothing was compared.
    failure text,
    -- Differences of the source that were not resolved afterwards.
    open_count integer not null,
    constraint recon_runs_pkey primary key (org_id, id),
    constraint recon_runs_org_id_fkey foreign key (org_id) references orgs (id)
);

create index recon_runs_compared_at_idx on recon_runs (org_id, compared_at, id);
