"""The reference of who may run what as it should be: from the table of classes and the signs of clients.

    python -m tests.who_may_page          # writes the parts of docs/reference/who-may.md

What is around the parts is written by hand, and kept.
"""

from collections.abc import Iterator
from pathlib import Path

from verifflowcc.base.model.command_classes import BY_OPTION, CI_TOO, CLASSES, COMMANDS, MOVE, PERSON
from verifflowcc.base.process.acting import AGENT_MARKERS, AGENT_PREFIXES, CLIENTS

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "who-may.md"
TITLES = {CI_TOO: "CI too"}


def with_parts(page: str) -> str:
    """Return the page with its parts written again."""
    for name, lines in (("signs", _signs()), ("classes", _classes()), ("commands", _commands())):
        head, _, rest = page.partition(f"<!-- {name} -->\n")
        end = f"<!-- end of {name} -->\n"
        page = f"{head}<!-- {name} -->\n" + "".join(f"{line}\n" for line in lines) + end + rest.partition(end)[2]
    return page


def _signs() -> Iterator[str]:
    prefixes = (f"{each}*" for each in AGENT_PREFIXES)
    yield f"- Variables: {_code((*AGENT_MARKERS, *prefixes))}; `0`, `false`, `no`, `off` and nothing count as not set."
    yield f"- Clients: {_code(sorted(CLIENTS))}."


def _classes() -> Iterator[str]:
    yield "| class | does | person | CI job | program | agent |"
    yield "|---|---|---|---|---|---|"
    for name, does in CLASSES.items():
        others = {PERSON: ("no", "no"), CI_TOO: ("yes", "no"), MOVE: ("narrower", "narrower")}.get(name, ("yes", "yes"))
        ci, rest = others
        yield f"| {_title(name)} | {does} | yes | {ci} | {rest} | {rest} |"


def _commands() -> Iterator[str]:
    yield "| class | commands |"
    yield "|---|---|"
    for name in CLASSES:
        plain = [command for command, sort in COMMANDS.items() if sort == name]
        by_option = {f"{command} {o}": sort for command, table in BY_OPTION.items() for o, sort in table.items()}
        with_option = [each for each, sort in by_option.items() if sort == name and " --" in each]
        yield f"| {_title(name)} | {_code((*sorted(plain), *sorted(with_option)))} |"


def _title(name: str) -> str:
    return TITLES.get(name, name)


def _code(words: object) -> str:
    assert isinstance(words, list | tuple)
    return ", ".join(f"`{word}`" for word in words)


if __name__ == "__main__":
    PAGE.write_text(with_parts(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
