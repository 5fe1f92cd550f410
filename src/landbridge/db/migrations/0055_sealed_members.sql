-- Where a session began, sealed under the member's data key; and the keyed hash of the address of
-- somebody who was removed, in place of the address.

alter table sessions add column sealed_origin bytea;

alter table members add column email_hash bytea;

-- What was noted in clear is forgotten: a statement can't seal.
update sessions set ip_address = null, browser = null
where ip_address is not null or browser is not null;
