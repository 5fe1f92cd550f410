-- The exchanges to work on, by organisation: a worker skips organisations that have none.
drop index travel_rule_exchanges_next_attempt_at_idx;

create index travel_rule_exchanges_next_attempt_at_idx
    on travel_rule_exchanges (org_id, next_attempt_at) where next_attempt_at is not null;
