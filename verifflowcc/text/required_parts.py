"""The parts that an artifact must fill: headings of a Markdown text, top-level keys of JSON and YAML."""

import re

from verifflowcc.text.placeholder import read_json, says_something, value_says_something
from verifflowcc.text.sections import sections

_NUMBER = re.compile(r"(?:\d{1,4}\.)*\d{1,4}[.)]?\s+")
_YAML_KEY = re.compile(r"""(["']?)([^\s#"'-][^"'#:]{0,200}?)\1\s*:(?=\s|$)(.*)""")


def has_part(path: str, text: str | None, part: str) -> bool:
    """Say whether the file holds the part, with something said in it; a file that is no text holds none.

    Names are compared without case, emphasis, numbering and a final colon. Of several parts of one name, one will do.

    >>> has_part("plan.md", "# Plan\\n\\n## 1. Risks\\n\\nThe tide.\\n", "risks")
    True
    """
    if text is None:
        return False
    if path.lower().endswith(".json"):
        return _has_key(text, _plain(part))
    if path.lower().endswith((".yaml", ".yml")):
        return _has_yaml_key(text.removeprefix("\ufeff"), _plain(part))
    return _has_section(text.removeprefix("\ufeff"), _plain(part))


def part_word(path: str, count: int) -> str:
    """Return what a part of such a file is called."""
    word = "key" if path.lower().endswith((".json", ".yaml", ".yml")) else "heading"
    return word if count == 1 else f"{word}s"


def _plain(title: str) -> str:
    words = " ".join(title.replace("*", "").replace("_", " ").replace("`", "").split())
    return _NUMBER.sub("", words, count=1).rstrip(":：").strip().casefold()


def _has_section(text: str, wanted: str) -> bool:
    parts = sections(text)
    for index, part in enumerate(parts):
        if part.level and _plain(part.title) == wanted:
            end = next((later.start for later in parts[index + 1 :] if later.level <= part.level), len(text))
            if says_something(text[part.start : end]):
                return True
    return False


def _has_key(text: str, wanted: str) -> bool:
    try:
        value = read_json(text)
    except ValueError:
        return False
    return isinstance(value, dict) and any(
        _plain(key) == wanted and value_says_something(one) for key, one in value.items()
    )


def _has_yaml_key(text: str, wanted: str) -> bool:
    inside, said = False, []
    for line in text.split("\n"):
        if key := _YAML_KEY.match(line):
            inside = _plain(key[2]) == wanted
        elif line.startswith(("---", "...")):
            inside = False
        if inside:
            said.append(key[3] if key else line)
    return says_something("\n".join(said), markdown=False)
