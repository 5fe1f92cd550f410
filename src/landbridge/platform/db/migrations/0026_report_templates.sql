-- Templates that organisations defined themselves, in versions.

-- A version is never changed: metrics and schedules name the one that they use, as in
-- `MEXICO_FAILURES@2`.
create table report_templates (
    org_id uuid not null,
    name text not null,
    version integer not null,
    display_name text not null,
    description text not null,
    -- reporting/metrics/custom/definition.py
    definition jsonb not null,
    created_at timestamptz not null,
    constraint report_templates_pkey primary key (org_id, name, version),
    constraint report_templates_org_id_fkey foreign key (org_id) references orgs (id),
    constraint report_templates_version_check check (version > 0),
    constraint report_templates_name_check check (length(name) between 1 and 64)
);

-- What templates count a transaction under, beside what report_records has. `bank` is the corridor
-- or the currency of its bank side, from which its country follows; `worth_cents` is that of
-- report_records, which depends on nothing that changes after a record has ended.
create view report_transactions as
select t.org_id, t.id, t.kind, t.status, t.user_id, t.created_at, t.source_asset, t.source_units,
    t.destination_asset,
    coalesce(
        t.details ->> 'corridor',
        case
            when t.destination_asset like '%:BANK' then split_part(t.destination_asset, ':', 1)
            when t.source_asset like '%:BANK' then split_part(t.source_asset, ':', 1)
            else 'none'
        end
    ) as bank,
    coalesce(t.details ->> 'payment_rail', t.request -> 'source' ->> 'transferType', 'none')
        as rail,
    case
        when t.kind in ('OFFRAMP', 'WALLET.TRANSFER') then
            case
                when jsonb_typeof(t.details -> 'fees') = 'array' and t.details -> 'fees' <> '[]'
                    or jsonb_typeof(t.details -> 'fee') = 'object' then 'sender'
                else 'none'
            end
        when coalesce((t.details ->> 'fee_units')::numeric, 0) > 0 then 'recipient'
        else 'none'
    end as fee_payer,
    trunc(case t.kind
        when 'ONRAMP' then coalesce(
            100 * ((t.details || t.facts) ->> 'worth_usd')::numeric,
            case t.source_asset
                when 'usd:BANK' then t.source_units
                else t.destination_units / 10000
            end
        )
        when 'OFFRAMP' then ((t.details || t.facts) ->> 'amount_units')::numeric / 10000
        else t.source_units / 10000
    end) as worth_cents
from transfers t;
