-- Orders of bridges between connected chains: burns, mints, and the approvals that are part of a burn.
alter table chain_orders
    add column action text not null default 'transfer',
    -- Of a bridge's order: who receives on the other chain, and how much. Such an order has no
    -- destinations: the version before would pay them, and signs nothing for an order without any.
    add column recipient text,
    add column amount numeric(38, 0),
    -- Where the coins of a burn are minted.
    add column into_chain text,
    -- Key of the burn; a mint creates its coins.
    add column burn_key uuid,
    -- Nonce of the attested message of a mint.
    add column message_nonce bytea,
    add constraint chain_orders_action_check check (action in ('transfer', 'approve', 'burn', 'mint')),
    drop constraint chain_orders_legs_check,
    add constraint chain_orders_legs_check check (
        cardinality(destinations) = cardinality(units)
        and case
            when action = 'transfer' then
                cardinality(units) > 0 and recipient is null and amount is null
            else cardinality(units) = 0 and recipient is not null and amount is not null and amount > 0
        end
    );

-- A message is carried out for one order: two burns of one transaction may be alike.
create unique index chain_orders_message_key on chain_orders (org_id, chain, message_nonce)
    where message_nonce is not null;
