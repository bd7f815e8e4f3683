"""The part of Jinja that a prompt template may use: tags, filters, limits, and the Jinja environment for them."""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import BaseLoader, Environment

TAGS = ("if", "elif", "else", "endif", "for", "endfor", "include")
FILTERS = ("default", "join", "length", "lower", "title", "trim", "upper")
TESTS = ("defined", "none")

MAX_SOURCE_BYTES = 65_536
MAX_LITERAL_CHARS = 32_768
MAX_NODES = 4_000
MAX_LOOPS = 32
MAX_LOOP_DEPTH = 2
MAX_TAG_DEPTH = 8
MAX_TAG_TOKENS = 60
MAX_BRACKETS = 4
MAX_STRING_CHARS = 200
MAX_NUMBER_DIGITS = 6
MAX_INCLUDE_DEPTH = 4
MAX_PROBLEMS = 20

ESCAPES = ("n", "t", "\\", "'", '"')


def new_environment(loader: "BaseLoader | None" = None) -> "Environment":
    """Return a Jinja environment with no globals, and no filter or test beyond the listed ones."""
    from jinja2 import Environment, StrictUndefined

    env = Environment(
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        loader=loader,
        auto_reload=False,
    )
    env.globals.clear()
    env.filters = {name: env.filters[name] for name in FILTERS}
    env.tests = {name: env.tests[name] for name in TESTS}
    return env


@cache
def reading_environment() -> "Environment":
    """Return the environment for reading templates; it finds none by name."""
    return new_environment()
