"""What is kept is of one reading: where texts are read otherwise, `READING` is another number, and all is read anew."""

import json
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from tests.tree.code_graph_world import BASE, MODELS, answers, project
from verifflowcc.code.rules.grammars import language_of, read_facts
from verifflowcc.code.rules.task_words import words_of
from verifflowcc.code.store.source_listing import marks_by_text
from verifflowcc.code.use import indexing
from verifflowcc.code.use.indexing import bring_up
from verifflowcc.code.use.tree_states import READING

TEXTS = {
    "a.py": MODELS + BASE,
    "a.js": "import {b as c} from './b.js';\nexport class A extends c { d(e) { return this.f(e); } }\nconst g = c();\n",
    "a.ts": "import type {B} from './b';\ninterface C { d: B }\nexport function e(f: C): B { return f.d; }\n",
    "a.tsx": "export const A = (p: P) => <B c={p.c} />;\n",
    "a.go": 'package a\n\nimport b "x/b"\n\ntype S struct{ c int }\n\nfunc (s *S) D() int { return b.E(s.c) }\n',
    "a.rs": "use a::b::C;\nstruct S { d: C }\nimpl S { fn e(&self) -> C { f(self.d) } }\n",
    "A.java": "package a;\nimport b.C;\nclass A extends C { int d; int e() { return f(d); } }\n",
    "a.c": '#include "b.h"\n#define C 1\nstatic int d(int e) { return f(e) + C; }\n',
    "a.cpp": '#include "b.h"\nclass A : public B { int c(); };\nint A::c() { return d(); }\n',
    "a.cs": "using B;\nclass A : C { int D { get; } int E() => F(D); }\n",
    "a.rb": "require 'b'\nclass A < B\n  def c(d)\n    e(d)\n  end\nend\n",
    "a.php": "<?php\nuse B\\C;\nclass A extends C { function d($e) { return f($e); } }\n",
    "a.sh": 'source b.sh\nc() {\n  d "$1"\n}\n',
}
DIGEST = "a214dcf202222efa"


def digest() -> str:
    """Return a digest of all that is read of some texts of every language."""
    read = []
    for path, text in sorted(TEXTS.items()):
        language = language_of(path)
        facts = read_facts(language, text.encode())
        words = words_of(facts, text.encode())
        marks = marks_by_text(text.encode())
        counts = sorted((word, (count, words.named.get(word, 0))) for word, count in words.inside.items())
        read.append([path, language, repr(facts), counts, words.length, marks])
    return sha256(json.dumps(read).encode()).hexdigest()[:16]


@pytest.mark.sweep
def test_another_reading_has_another_number() -> None:
    found = digest()
    assert found == DIGEST, f"set READING in code/use/tree_states.py to {int(READING) + 1}, and DIGEST here to {found}"


@pytest.mark.vfcc("REQ-GRAPH-STORE")
def test_what_another_reading_kept_is_read_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = project(tmp_path)
    expected = answers(here)
    monkeypatch.setattr(indexing, "READING", "other")
    done = bring_up(here)
    with closing(done.code):
        assert done.parsed == 6
    assert answers(here) == expected
