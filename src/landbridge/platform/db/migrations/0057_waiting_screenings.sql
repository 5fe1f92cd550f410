-- What waits for a provider that screens deposits and payments.
create index provider_screenings_waiting_idx on provider_screenings (org_id, created_at)
    where state in ('ASKED', 'PENDING');
