"""What agents did: recorded, read back, asked, pruned, imported."""
