-- The member who made a key; null for one that was made by a command. A key of somebody's votes as that
-- person. No reference, for members are a matter of another package.
alter table api_keys add column made_by uuid;
