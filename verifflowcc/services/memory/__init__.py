"""The use cases of typed memory: items in all scopes, tasks, and the stores that programs use."""
