-- An organisation's own fees: the part of what is sent that is kept of a pair, in one direction,
-- wherever its rate comes from. Where there is none, the fee that comes with the rate counts.
create table fees (
    org_id uuid not null,
    source_currency text not null,
    destination_currency text not null,
    fraction numeric(9, 8) not null,
    set_at timestamptz not null,
    constraint fees_pkey primary key (org_id, source_currency, destination_currency),
    constraint fees_org_id_fkey foreign key (org_id) references orgs (id),
    constraint fees_fraction_check check (fraction >= 0 and fraction < 1)
);
