-- Screening of destination addresses: addresses on sanctions lists, and organisations' own policies.

-- As listed, whatever the currency; EVM addresses in lower case.
alter table sanctions_entries add column addresses text[] not null default '{}';

create index sanctions_entries_addresses_idx on sanctions_entries using gin (addresses);

-- Lists loaded before have no addresses: the same files must count as new ones.
update sanctions_versions set digest = digest || ' names only';

-- An organisation's own policy on addresses outside the platform; without a row there is none.
-- EVM addresses are in lower case.
create table address_policies (
    org_id uuid not null,
    -- Never paid.
    blocked_addresses text[] not null,
    -- If not empty, no other address is paid.
    allowed_addresses text[] not null,
    -- How long an address is new after its registration; 0 for no restriction.
    new_address_hours integer not null,
    -- Most that a payment to a new address may move, in whole coins.
    new_address_amount_max bigint not null,
    version integer not null,
    updated_at timestamptz not null,
    constraint address_policies_pkey primary key (org_id),
    constraint address_policies_org_id_fkey foreign key (org_id) references orgs (id),
    constraint address_policies_version_check check (version > 0),
    constraint address_policies_new_address_hours_check check (new_address_hours >= 0),
    constraint address_policies_new_address_amount_max_check check (new_address_amount_max >= 0)
);

-- Refunds wait for a person where other orders are rejected.
alter table chain_orders add column is_refund boolean not null default false;
