-- An organisation's price table. A pair without a row has no price of the organisation's own; the
-- rates adapter decides what then (sandbox: par and a small fee; production: no quote).
create table prices (
    org_id uuid not null,
    source_currency text not null,
    destination_currency text not null,
    -- Coins of the destination per coin of the source.
    rate numeric(38, 18) not null,
    -- The part of what is sent that is kept as the fee: 0.001 is ten basis points.
    fee_fraction numeric(9, 8) not null,
    set_at timestamptz not null,
    constraint prices_pkey primary key (org_id, source_currency, destination_currency),
    constraint prices_org_id_fkey foreign key (org_id) references orgs (id),
    constraint prices_rate_check check (rate > 0),
    constraint prices_fee_fraction_check check (fee_fraction >= 0 and fee_fraction < 1)
);
