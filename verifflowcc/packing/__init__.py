"""Pure: split a budget, choose what fits, trim what nearly does."""
