"""Pure: the V, and the fold over the ledger."""
