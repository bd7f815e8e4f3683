"""What a turn says that is worth keeping, found by rules alone: no model, no clock, nothing kept between turns."""

from verifflowcc.lifecycle.extract.gate import signals_of
from verifflowcc.lifecycle.extract.stated import key_of
from verifflowcc.lifecycle.extract.statement import statement_key, statement_of
from verifflowcc.lifecycle.extract.turns import extract

__all__ = ["extract", "key_of", "signals_of", "statement_key", "statement_of"]
