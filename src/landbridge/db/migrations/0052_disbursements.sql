-- Finds the records that belong to a payment: its disbursements name it in their details.
create index transfers_payment_idx on transfers (org_id, (details ->> 'payment_id'))
    where details ? 'payment_id';
