"""Ask a project's recall in one process, and say what each question took; `recall_speed.py` starts it for each run.

    python -m benchmarks.recall_in_process ROOT MODE

MODE is one of

- `build`: the index is made from nothing, by the first question;
- `warm`: each question is asked once the index is up to date, and the index of what lies in it is asked to bring itself
  up to date where nothing changed;
- `update`: an item is changed in the store (not timed), then the index brings itself up (timed), several times;
- `agree`: each question is asked twice, as it is and with all passages that hold any of its words scored.

One line of JSON is printed. Milliseconds of wall time, and of processor time behind ` cpu`.
"""

import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.memory_stores import SCOPE
from verifflowcc.base.files.layout import SETTLED_AFTER_NS
from verifflowcc.base.model.memory_protocol import MemoryBackend
from verifflowcc.base.model.recall_values import RecallQuery
from verifflowcc.base.use.workspace import Workspace, open_workspace
from verifflowcc.memory.store import recall_index as recall_words
from verifflowcc.memory.store.placing import stored_item
from verifflowcc.memory.use import search_fields as finding
from verifflowcc.memory.use.searching import search, with_states
from verifflowcc.memory.use.stores import backend_of, open_store

GIVEN = "measured.json"
UPDATES = 10
TOP = 10


@dataclass
class Answer:
    """Milliseconds by what was done; what agreed with full scoring, in thousandths; the largest resident set in KiB."""

    ms: dict[str, list[float]] = field(default_factory=dict)
    agreement: dict[str, float] = field(default_factory=dict)
    found: int = 0
    peak_kib: int = 0

    def time(self, name: str, ask: Callable[[], object]) -> None:
        """Keep what one call took."""
        begin, processor = time.perf_counter(), time.process_time()
        ask()
        spent, used = time.perf_counter() - begin, time.process_time() - processor
        self.ms.setdefault(name, []).append(spent * 1000)
        self.ms.setdefault(f"{name} cpu", []).append(used * 1000)


@dataclass(frozen=True)
class Asked:
    """A project, questions to it, and the ids of items that are changed."""

    workspace: Workspace
    questions: Sequence[str]
    ids: Sequence[str]

    def search(self, question: str) -> list[str]:
        """Return the paths of what is found, best first; what links bring in is not among them."""
        recalled = search(self.workspace, [SCOPE], RecallQuery(question, limit=TOP))
        return [hit.item.path for hit in recalled.hits if hit.via is None]

    def bring_up(self) -> None:
        """Bring the index up to the store, as each question does first."""
        with open_store(self.workspace, SCOPE) as store:
            with_states(self.workspace, [store], lambda states: None)


def main() -> None:
    """Ask, and print what was measured."""
    workspace, mode = open_workspace(Path(sys.argv[1])), sys.argv[2]
    given = json.loads((workspace.root / GIVEN).read_text(encoding="utf-8"))
    asked, answer = Asked(workspace, given["questions"], given["ids"]), Answer()
    {"build": _build, "warm": _warm, "update": _update, "agree": _agree}[mode](asked, answer)
    answer.peak_kib = _peak_kib()
    print(json.dumps(asdict(answer)))


def _build(asked: Asked, answer: Answer) -> None:
    answer.time("build", lambda: asked.search(asked.questions[0]))


def _warm(asked: Asked, answer: Answer) -> None:
    asked.search(asked.questions[0])
    for question in asked.questions:
        answer.time("query", lambda question=question: asked.search(question))  # type: ignore[misc]
    for _ in range(UPDATES):
        answer.time("nothing to bring up", asked.bring_up)
    answer.found = sum(bool(asked.search(question)) for question in asked.questions)


def _update(asked: Asked, answer: Answer) -> None:
    asked.bring_up()
    _change(asked, asked.ids[0])
    asked.bring_up()
    for item_id in asked.ids[1 : UPDATES + 1]:
        _change(asked, item_id)
        answer.time("one item changed", asked.bring_up)


def _change(asked: Asked, item_id: str) -> None:
    """Change an item, and wait where the time of a file says too little until it is some time ago."""
    with open_store(asked.workspace, SCOPE) as store:
        change(store, item_id)
    if str(backend_of(asked.workspace, SCOPE)) == "files":
        time.sleep(SETTLED_AFTER_NS / 1e9 + 0.1)


def change(store: MemoryBackend, item_id: str) -> None:
    """Add a line to an item."""
    found = store.get(item_id)
    if found is None:
        raise SystemExit(f"{item_id} is not there")
    text = f"{found.text.rstrip()}\n\nLooked at again at {time.time_ns()}.\n"
    store.add(stored_item(found.item.path, text.encode("utf-8")))


def _agree(asked: Asked, answer: Answer) -> None:
    bounded = [asked.search(question) for question in asked.questions]
    finding.CANDIDATES = finding.CONSIDERED = recall_words.MOST_ROWS = 10**7
    whole = [asked.search(question) for question in asked.questions]
    pairs = [(one, other) for one, other in zip(bounded, whole, strict=True) if other]
    shares = [1000 * len({*one} & {*other}) / len(other) for one, other in pairs]
    answer.agreement = {
        "questions": len(pairs),
        "top 10": round(sum(shares) / len(pairs), 1),
        "first": round(1000 * sum(one[:1] == other[:1] for one, other in pairs) / len(pairs), 1),
        "lowest top 10": round(min(shares), 1),
    }


def _peak_kib() -> int:
    """Return the kernel's own figure for this process, which unlike `getrusage` does not begin with its parent's."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)


if __name__ == "__main__":
    main()
