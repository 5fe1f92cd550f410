-- What a payer writes on a deposit, so that the onramp it pays is found again. Given when the quote
-- is accepted, never given to another.
create table onramp_references (
    org_id uuid not null,
    -- Without blanks, upper case.
    reference text not null,
    transfer_id uuid not null,
    constraint onramp_references_pkey primary key (org_id, reference),
    constraint onramp_references_transfer_id_key unique (org_id, transfer_id),
    constraint onramp_references_transfer_id_fkey
        foreign key (org_id, transfer_id) references transfers (org_id, id)
);
