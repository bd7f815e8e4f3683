"""What recall does: search, what is stale, what comes before planning, how well it finds."""
