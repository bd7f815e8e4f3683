"""How much the commands about code show, where nobody says otherwise."""

CONTEXT_TOKENS = 4_000
MAP_TOKENS = 2_000
MOST_FOUND = 50
MOST_SYMBOLS = 10
"""Of a name that more symbols have, so many are answered."""
