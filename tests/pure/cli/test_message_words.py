"""Help and messages are free of the words that the convention lists: every text that a person or an agent reads.

Names of code are counted in `test_words.py`. Here are the literals of the package, the help of each command and option,
and the templates. Names that users commit or read with `--json` stay as they are, and are listed with their reason.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from typer.main import get_command

from tests.pure.test_words import KEPT_AS_SHIPPED, ROOT, avoided
from verifflowcc.cli.cli.app import app

PACKAGE = ROOT / "verifflowcc"
TEMPLATES = ("*.md", "*.j2", "*.yaml", "*.sql", "*.html", "*.js", "*.css")

NAMES = {
    "said": "a key of `--json` and of local records",
    "told": "a key of `--json` and of local records",
    ".told": "the ending of a local file's name",
    "standing": "an earlier name in prompt templates, which a project may have of its own",
}
"""Literals that are names, each with its reason."""

VOCABULARY = {
    "memory/rules/corrections.py": "words by which a statement is recognised in what a user writes",
    "memory/rules/clauses.py": "words by which a statement is recognised in what a user writes",
    "memory/rules/wishes.py": "words by which a statement is recognised in what a user writes",
    "memory/rules/sentence_doubt.py": "words by which a statement is recognised in what a user writes",
    "memory/rules/qualifiers.py": "words by which a statement is recognised in what a user writes",
    "memory/rules/subject_words.py": "words by which a statement is recognised in what a user writes",
    "base/text/stems.py": "irregular forms of English words",
    "base/text/own_text.py": "sentences of prompts that earlier versions wrote, which are recognised",
    "trace/rules/matrix.py": "names of columns, which scripts read",
}
"""Files whose literals are data and are never printed, each with its reason."""

NEGATION = ("memory/rules/model_extraction.py", r"\b(?:not|no|never|nobody|")
"""A file and the beginning of its pattern that recognises a negation in what a model answers."""


def literals(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and text of the string literals that are neither a docstring nor an annotation."""
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            skipped.add(id(node.value))
        for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if isinstance(annotation, ast.AST):
                skipped.update(id(each) for each in ast.walk(annotation))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield node.lineno, node.value


@cache
def of_the_package() -> dict[str, list[tuple[int, str]]]:
    """Return file → its literals."""
    return {
        path.relative_to(PACKAGE).as_posix(): list(literals(ast.parse(path.read_text(encoding="utf-8"))))
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def in_messages() -> Iterator[str]:
    words = avoided()
    for name, found in of_the_package().items():
        if name in VOCABULARY:
            continue
        for line, text in found:
            is_negation = name == NEGATION[0] and text.startswith(NEGATION[1])
            if words.search(text) and text not in NAMES and not is_negation:
                yield f"{name}:{line}: {text[:90]!r}"


def in_help(command: object = None, path: str = "vfcc") -> Iterator[str]:
    words = avoided()
    command = command or get_command(app)
    texts = [getattr(command, part, None) for part in ("help", "short_help", "epilog", "deprecated")]
    texts += [getattr(param, "help", None) for param in getattr(command, "params", ())]
    yield from (f"{path}: {text[:90]!r}" for text in texts if isinstance(text, str) and words.search(text))
    for name, below in getattr(command, "commands", {}).items():
        yield from in_help(below, f"{path} {name}")


def in_templates() -> Iterator[str]:
    words = avoided()
    for path in _templates():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if words.search(line):
                yield f"{path.relative_to(ROOT)}:{number}: {line.strip()[:90]}"


def _templates() -> Iterator[Path]:
    for pattern in TEMPLATES:
        for path in sorted((ROOT / "templates").rglob(pattern)):
            if not path.is_relative_to(ROOT / KEPT_AS_SHIPPED):
                yield path


def test_no_message_has_a_word_of_the_list() -> None:
    assert list(in_messages()) == []


def test_no_help_has_a_word_of_the_list() -> None:
    assert list(in_help()) == []


def test_no_template_has_a_word_of_the_list() -> None:
    assert list(in_templates()) == []


def test_literals_are_found_and_docstrings_and_annotations_are_not() -> None:
    source = '"""said"""\nX = 1\n"""said"""\ndef f(a: "said") -> "said":\n    return g(f"it is {a} anew", "nobody")\n'

    assert {text for _, text in literals(ast.parse(source))} == {"it is ", " anew", "nobody"}


def test_each_exception_is_needed() -> None:
    words = avoided()
    found = {name: [text for _, text in each] for name, each in of_the_package().items()}
    everywhere = {text for texts in found.values() for text in texts}

    assert NAMES.keys() <= everywhere
    assert [name for name in VOCABULARY if not any(words.search(text) for text in found[name])] == []
    assert any(text.startswith(NEGATION[1]) for text in found[NEGATION[0]])


if __name__ == "__main__":
    for find in (in_messages, in_help, in_templates):
        lines = list(find())
        print(*lines, sep="\n")
        print(f"{len(lines)} {find.__name__}")
