-- Rates that are the same for every organisation, so these tables have no org_id: a worker fetches
-- them, or a command loads them, and every process reads them.

-- What a euro is worth, as the European Central Bank fixes it on banking days.
create table reference_rates (
    currency text not null,
    set_on date not null,
    -- Units of the currency per euro. The euro itself has rows, too, at 1: crosses need no exception.
    per_eur numeric(38, 18) not null,
    constraint reference_rates_pkey primary key (currency, set_on),
    constraint reference_rates_currency_check check (currency ~ '^[a-z]{3}$'),
    constraint reference_rates_per_eur_check check (per_eur > 0)
);

-- What the configured market says that a unit of a currency is worth in dollars: the last word only.
create table market_rates (
    currency text not null,
    usd numeric(38, 18) not null,
    -- Real time: a market knows no organisation's clock.
    observed_at timestamptz not null,
    -- Of a stablecoin: quoting was stopped, and starts again only when it is back well within the
    -- bound.
    is_off_peg boolean not null,
    constraint market_rates_pkey primary key (currency),
    constraint market_rates_usd_check check (usd > 0)
);

-- Who asks outside, and when again: of several workers one does.
create table rate_fetches (
    name text not null,
    next_at timestamptz not null,
    tried_at timestamptz not null,
    -- The last time that something came of it.
    done_at timestamptz,
    -- Why nothing came of the last try, in words of ours.
    failure text,
    constraint rate_fetches_pkey primary key (name),
    constraint rate_fetches_name_check check (name in ('reference', 'market'))
);
