-- What a transfer lacks for the travel rule: each change of it is announced once, by a change.

create table travel_rule_waits (
    org_id uuid not null,
    -- Record of the screening.
    screening_id uuid not null,
    -- As in the list of what waits; empty once nothing is missing.
    missing text[] not null,
    version integer not null,
    updated_at timestamptz not null,
    constraint travel_rule_waits_pkey primary key (org_id, screening_id),
    constraint travel_rule_waits_org_id_fkey foreign key (org_id) references orgs (id),
    constraint travel_rule_waits_version_check check (version > 0)
);
