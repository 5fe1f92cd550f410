-- The connected provider by which an exchange goes; null for the Travel Rule Protocol.
alter table travel_rule_exchanges add column provider text;

-- A webhook names the exchange of a provider, and no organisation.
create index travel_rule_exchanges_provider_idx on travel_rule_exchanges (id, provider)
    where provider is not null;
