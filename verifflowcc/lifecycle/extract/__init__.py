"""What a turn says that is worth keeping, found by rules alone: no model, no clock, nothing kept between turns."""

from verifflowcc.lifecycle.extract.gate import signals_of
from verifflowcc.lifecycle.extract.stated import key_of
from verifflowcc.lifecycle.extract.turns import extract, is_users_own, keys_in, statement_of

__all__ = ["extract", "is_users_own", "key_of", "keys_in", "signals_of", "statement_of"]
