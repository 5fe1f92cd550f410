-- Which provider swaps a pair of an organisation, where it differs from the chains file.

create table swap_provider_policies (
    org_id uuid not null,
    -- Array of chain, source, destination and provider; without an element the chains file decides.
    choices jsonb not null,
    version integer not null,
    updated_at timestamptz not null,
    constraint swap_provider_policies_pkey primary key (org_id),
    constraint swap_provider_policies_org_id_fkey foreign key (org_id) references orgs (id),
    constraint swap_provider_policies_version_check check (version > 0)
);
