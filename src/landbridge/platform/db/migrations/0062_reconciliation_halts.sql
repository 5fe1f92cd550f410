-- Reconciliation: new payments of an asset wait while coins are missing, until two people lift it.

alter table recon_differences
    -- Part of the missing units despite which people have lifted a halt.
    add column lifted_units numeric(38, 0) not null default 0;

alter table recon_positions
    -- Runs in a row that found more units missing than the threshold.
    add column short_runs integer not null default 0;

-- Halts of new payments. All times are organisation time.
create table recon_halts (
    org_id uuid not null,
    id uuid not null,
    -- Name of the chain.
    source text not null,
    -- Empty if all assets of the source wait.
    asset text not null,
    cause text not null,
    status text not null,
    -- Missing units by the last run, besides those of earlier lifts; 0 for a whole source.
    units numeric(38, 0) not null,
    -- What has caused it, unless it is the sum of several differences.
    difference_id uuid,
    halted_at timestamptz not null,
    -- Person who wants to lift it, and why; a second one accepts. Keys or members.
    reason text,
    proposed_by uuid,
    proposed_at timestamptz,
    lifted_by uuid,
    ended_at timestamptz,
    constraint recon_halts_pkey primary key (org_id, id),
    constraint recon_halts_org_id_fkey foreign key (org_id) references orgs (id),
    constraint recon_halts_cause_check
        check (cause in ('SHORTFALL', 'UNKNOWN_DEBIT', 'SOURCE_SILENT')),
    constraint recon_halts_status_check
        check (status in ('HALTED', 'PROPOSED', 'LIFTED', 'CLEARED')),
    constraint recon_halts_asset_check check ((asset = '') = (cause = 'SOURCE_SILENT')),
    constraint recon_halts_proposed_by_check check (
        status not in ('PROPOSED', 'LIFTED')
        or (reason is not null and proposed_by is not null and proposed_at is not null)
    ),
    constraint recon_halts_lifted_by_check check ((lifted_by is not null) = (status = 'LIFTED')),
    constraint recon_halts_second_check check (lifted_by is null or lifted_by <> proposed_by),
    constraint recon_halts_ended_at_check
        check ((ended_at is not null) = (status in ('LIFTED', 'CLEARED')))
);

-- An asset has one halt in force. Each new payment looks here.
create unique index recon_halts_in_force_key on recon_halts (org_id, source, asset)
    where status in ('HALTED', 'PROPOSED');
create index recon_halts_halted_at_idx on recon_halts (org_id, halted_at, id);
