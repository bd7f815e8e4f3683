"""BM25 with fields over the pieces of a repository, by SQLite's FTS5: a plain peer of the ranking of code.

Each piece (as `vfcc code context` cuts files) is a row with the fields path, name, signature, docstring and body; its
score is FTS5's `bm25` with one weight for each. A file is as good as its best piece. Words are split and folded as
vfcc does. Files with a mark (tests, vendored ones) are left out.
"""

import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence

from benchmarks.code_states import State
from verifflowcc.code.rules.graph import FILE
from verifflowcc.code.rules.rank_units import units_of
from verifflowcc.code.rules.task_words import TaskTerms, words_in

WEIGHTS = (4.0, 4.0, 2.0, 1.5, 1.0)
"""For path, name, signature, docstring and body; taken as usual, chosen on nothing."""
HEADING_TOKENS = 20
_DOCSTRING = re.compile(r"\"{3}.*?\"{3}|'{3}.*?'{3}|/\*.*?\*/|(?:^\s*//[^\n]*\n)+", re.DOTALL | re.MULTILINE)
Piece = tuple[int, int, str, str, str, str, str]
Shown = Mapping[str, Sequence[tuple[int, int]]]


class Fields:
    """The pieces of files, cut once for each text."""

    def __init__(self) -> None:
        self._cut: dict[str, list[Piece]] = {}

    def ranked(self, asked: TaskTerms, state: State) -> list[tuple[str, int, int, str]]:
        """Return path, first line, last line and text of the pieces that have a word of the task, best first."""
        words = sorted(word for word in asked.words if re.fullmatch(r"\w+", word))
        if not words:
            return []
        base = sqlite3.connect(":memory:")
        base.execute(
            "create virtual table pieces using fts5(path, name, signature, docstring, body, "
            "file unindexed, first unindexed, last unindexed, tokenize=\"unicode61 tokenchars '_'\")"
        )
        for path, file in state.files.items():
            if not file.marks:
                where = " ".join(dict.fromkeys(words_in(path.rpartition(".")[0] or path)))
                rows = [(where, *each[2:6], path, *each[:2]) for each in self._pieces(path, file.blob, state)]
                base.executemany("insert into pieces values (?, ?, ?, ?, ?, ?, ?, ?)", rows)
        query = " OR ".join(f'"{word}"' for word in words)
        weights = ", ".join(map(str, WEIGHTS))
        found = base.execute(
            f"select file, first, last from pieces where pieces match ? order by bm25(pieces, {weights}), file, first",
            (query,),
        ).fetchall()
        base.close()
        texts = {path: {one[0]: one[6] for one in self._cut[state.files[path].blob]} for path, _, _ in found}
        return [(path, first, last, texts[path][first]) for path, first, last in found]

    def _pieces(self, path: str, blob: str, state: State) -> list[Piece]:
        if blob not in self._cut:
            definitions = state.head(path).definitions
            lines = (state.text(path) or b"").decode("utf-8", "replace").split("\n")
            self._cut[blob] = []
            for unit in units_of(definitions, lines):
                text = "\n".join(lines[unit.first - 1 : unit.last])
                own = definitions[unit.place] if unit.place != FILE else None
                docstring = " ".join(_DOCSTRING.findall(text))
                fields = (own.name if own else "", own.signature if own else "", docstring, text)
                folded = [" ".join(words_in(each)) for each in fields]
                piece = (unit.first, unit.last, folded[0], folded[1], folded[2], folded[3], text)
                self._cut[blob].append(piece)
        return self._cut[blob]


def files_of(ranked: Sequence[tuple[str, int, int, str]]) -> list[str]:
    """Return the files, each at the place of its best piece."""
    return list(dict.fromkeys(path for path, _, _, _ in ranked))


def pieces_within(ranked: Sequence[tuple[str, int, int, str]], budget: int, count: Callable[[str], int]) -> Shown:
    """Return the pieces that fit, best first, each under a heading."""
    found: dict[str, list[tuple[int, int]]] = {}
    left = budget
    for path, first, last, text in ranked[:300]:
        tokens = HEADING_TOKENS + count(text) if len(text) < 12 * left else left + 1
        if tokens <= left:
            left -= tokens
            found.setdefault(path, []).append((first, last))
    return found
