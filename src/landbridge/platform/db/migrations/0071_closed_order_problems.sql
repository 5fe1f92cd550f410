-- Whether a person has cleared the problem of an order up; open again with another problem.
alter table provider_orders add column is_closed boolean not null default false;

drop index provider_orders_problem_idx;
create index provider_orders_problem_idx on provider_orders (org_id, created_at)
    where problem is not null and not is_closed;
