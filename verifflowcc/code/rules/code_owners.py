"""CODEOWNERS files, as GitHub and GitLab read them: the last rule that matches a path names its owners.

https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners
"""

import re
from collections.abc import Sequence

from verifflowcc.base.records import dataclass

_LONGEST = 1_000


@dataclass(frozen=True, slots=True)
class OwnerRule:
    """A pattern of paths, and who owns what it matches; no owner where `owners` is empty."""

    pattern: str
    owners: tuple[str, ...]
    line: int


def owner_rules(text: str) -> tuple[OwnerRule, ...]:
    """Return the rules of a file in order. Sections of GitLab count as comments.

    >>> owner_rules("# all\\n* @a\\n/docs/ @b @c # their own\\n")[1].owners
    ('@b', '@c')
    """
    rules = []
    for number, line in enumerate(text.split("\n"), 1):
        words = re.sub(r"(?:^|(?<=\s))#.*", "", line).replace("\\ ", "\0").split()
        if words and not words[0].startswith(("[", "^[")) and len(words[0]) <= _LONGEST:
            rules.append(OwnerRule(words[0].replace("\0", " "), tuple(words[1:]), number))
    return tuple(rules)


def owning_rule(rules: Sequence[OwnerRule], path: str) -> OwnerRule | None:
    """Return the rule that decides about a path, None where none matches.

    >>> rules = owner_rules("*.py @a\\nsrc/ @b\\n/web/**/x.ts @c")
    >>> [owning_rule(rules, each).owners for each in ("a/b.py", "lib/src/c.py", "web/d/e/x.ts")]
    [('@a',), ('@b',), ('@c',)]
    """
    return next((each for each in reversed(rules) if _expression(each.pattern).match(path)), None)


def _expression(pattern: str) -> re.Pattern[str]:
    anchored = "/" in pattern.rstrip("/")
    plain = pattern.strip("/")
    text = "" if anchored else "(?:.*/)?"
    for part in re.findall(r"\*\*/|/\*\*$|\*\*|\*|\?|[^*?/]+|/", plain):
        text += {"**/": "(?:.*/)?", "/**": "/.*", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(part) or re.escape(part)
    # a pattern ending in `/*` does not descend, any other one matches a folder with all that it holds
    end = "$" if plain.endswith("/*") else "/.*$" if pattern.endswith("/") else "(?:/.*)?$"
    return re.compile(text + end)
