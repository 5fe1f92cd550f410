"""Combined read models: transfers of all kinds in one list, total balances, and a search."""
