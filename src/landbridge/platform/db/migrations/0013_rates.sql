-- Exchange rates and fees.

-- An organisation's own prices. For a pair without a row the rates adapter decides (sandbox: par
-- and a small fee; production: no quote).
create table prices (
    org_id uuid not null,
    source_currency text not null,
    destination_currency text not null,
    -- Coins of the destination per coin of the source.
    rate numeric(38, 18) not null,
    -- The fee as a fraction of the sent amount: 0.001 is ten basis points.
    fee_fraction numeric(9, 8) not null,
    set_at timestamptz not null,
    constraint prices_pkey primary key (org_id, source_currency, destination_currency),
    constraint prices_org_id_fkey foreign key (org_id) references orgs (id),
    constraint prices_rate_check check (rate > 0),
    constraint prices_fee_fraction_check check (fee_fraction >= 0 and fee_fraction < 1)
);

-- An organisation's own fees: a fraction of the sent amount for a pair in one direction, whatever
-- the source of its rate. Without a row the fee of the rate applies.
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

-- The following rates are the same for every organisation, so these tables have no org_id.

-- Euro reference rates of the European Central Bank, fixed on banking days.
create table reference_rates (
    currency text not null,
    set_on date not null,
    -- Units of the currency per euro. The euro itself has rows at 1, so that cross rates need no
    -- special case.
    per_eur numeric(38, 18) not null,
    constraint reference_rates_pkey primary key (currency, set_on),
    constraint reference_rates_currency_check check (currency ~ '^[a-z]{3}$'),
    constraint reference_rates_per_eur_check check (per_eur > 0)
);

-- The latest price in US dollars from the configured market.
create table market_rates (
    currency text not null,
    usd numeric(38, 18) not null,
    -- Real time, because a market knows no organisation's clock.
    observed_at timestamptz not null,
    -- Stablecoins only: quoting is stopped until the rate is back well within the bound.
    is_off_peg boolean not null,
    constraint market_rates_pkey primary key (currency),
    constraint market_rates_usd_check check (usd > 0)
);

-- Schedule of the fetches: of several workers one fetches.
create table rate_fetches (
    name text not null,
    next_fetch_at timestamptz not null,
    attempted_at timestamptz not null,
    -- The last success.
    succeeded_at timestamptz,
    -- Why the last attempt failed, in a sentence of our own.
    failure text,
    constraint rate_fetches_pkey primary key (name),
    constraint rate_fetches_name_check check (name in ('reference', 'market'))
);
