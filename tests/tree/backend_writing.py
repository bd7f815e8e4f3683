"""A process that writes to a store until it is stopped, and says what was written: `python -m … KIND ROOT [MOST]`.

Each turn replaces the item `shared` and adds a new one; `MOST` is the size in bytes at which files stop to grow.
"""

import resource
import sys
from collections.abc import Callable
from pathlib import Path

from tests.tree.backend_conformance import Opener
from tests.tree.backend_items import make
from tests.tree.backend_openers import Files, Sqlite
from verifflowcc.base.errors import VfccError

KINDS: dict[str, Callable[[Path], Opener]] = {"files": Files, "sqlite": Sqlite}


def text_of(number: int) -> str:
    return f"Turn {number}.\n" * (1 + number % 700)


def main() -> int:
    kind, root, *most = sys.argv[1:]
    store = KINDS[kind](Path(root))("project")
    if most:
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(most[0]), int(most[0])))
    number = max(store.count() - 1, 0)
    while True:
        try:
            store.add(make("shared", body=text_of(number)))
            store.add(make(f"n-{number:06}", body=text_of(number)))
        except VfccError as error:
            print(f"{type(error).__name__}: {error.message}", flush=True)
            return error.exit_code
        print(number, flush=True)
        number += 1


if __name__ == "__main__":
    sys.exit(main())
