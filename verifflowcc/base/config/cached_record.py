"""Whether hooks record, read from the cached configuration. It runs inside of hooks, so it imports next to nothing."""

from verifflowcc import __version__
from verifflowcc.base.text.canonical import digest_text

FILE = "config.json"
SHAPE = 8
"""The number of the cache's form; a cache of another number counts as absent."""


def cached_record(memory: str) -> "bool | None":
    """Return `hooks.record` where the cache is of the `config.yaml` on disk; None where the file must be read.

    `memory` is the path of `.memory/`. Without a `config.yaml` the default holds, which is to record.
    """
    try:
        with open(f"{memory}/config.yaml", "rb") as file:  # noqa: PTH123 - pathlib takes longer than all of this
            digest = digest_text(file.read())
    except FileNotFoundError:
        return True
    except OSError:
        return None
    from verifflowcc.base.text.quick_json import read  # other commands take the constants alone

    try:
        with open(f"{memory}/local/{FILE}", encoding="utf-8") as file:  # noqa: PTH123
            document = read(file.read().partition("\n")[2])
        number, version, key = document["key"]
        if (number, version, key[0]) != (SHAPE, __version__, digest):
            return None
        return document["value"][0] is not False
    except (OSError, ValueError, LookupError, TypeError):
        return None
