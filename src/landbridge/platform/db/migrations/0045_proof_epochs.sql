-- Epochs of provable books: what a restored backup made of published checkpoints.

-- Origin, size and root of the last checkpoint of the epoch before; null in the first epoch. Every
-- checkpoint of the epoch names it.
alter table proof_trees add column previous_head text;
