-- Orders that sell coins on a market of a chain. Such an order has a recipient and an amount, as those
-- of bridges have: the version before signs nothing for it.
alter table chain_orders
    -- Currency that is bought, and the least units of it that the market may give.
    add column bought text,
    add column least numeric(38, 0),
    -- Part of the amount that is not sold, and the address of the organisation that receives it.
    add column fee numeric(38, 0),
    add column fee_to text,
    -- What the market gave, once that is final.
    add column received numeric(38, 0),
    drop constraint chain_orders_action_check,
    add constraint chain_orders_action_check
        check (action in ('transfer', 'approve', 'burn', 'mint', 'swap')),
    add constraint chain_orders_swap_check check (
        case
            when action = 'swap' then
                bought is not null and least is not null and least > 0 and fee is not null
                and fee >= 0 and fee < amount and (fee = 0) = (fee_to is null)
            else num_nulls(bought, least, fee, fee_to, received) = 5
        end
    );
