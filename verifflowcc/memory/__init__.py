"""The life of items: learn, replace, decay, recall, and what waits for a person."""
