"""Where the checks of a memory put what they find, and of how many things they were asked."""

from collections import Counter
from collections.abc import Iterable

from verifflowcc.domain.items import Item
from verifflowcc.domain.memory_codes import CHECKS
from verifflowcc.domain.trace import Asked, Finding, Severity
from verifflowcc.text.secrets import withhold

_ORDER = {severity: number for number, severity in enumerate(Severity)}


class MemoryFindings:
    """Collects findings: `message` is one sentence, `step` what to do next, `about` tells two of one code apart.

    What looks like a secret in them is withheld.
    """

    def __init__(self) -> None:
        self._asked: Counter[str] = Counter()
        self._found: list[Finding] = []

    def ask(self, count: int, *codes: str) -> None:
        """Note that checks were asked of so many things."""
        for code in codes:
            self._asked[code] += count

    def item(
        self, code: str, item: Item, line: int, message: str, step: str, about: str = "", also: Iterable[str] = ()
    ) -> None:
        """Tell something of an item, at a line of its file."""
        check = CHECKS[code]
        self._found.append(
            Finding(
                code,
                check.family,
                check.severity,
                withhold(item.id),
                item.type,
                item.path,
                line,
                withhold(message),
                withhold(step),
                about,
                tuple(also),
            )
        )

    def file(self, code: str, path: str, line: int, message: str, step: str) -> None:
        """Tell something of a file that is no item."""
        check = CHECKS[code]
        said = withhold(message)
        self._found.append(Finding(code, check.family, check.severity, "", "", path, line, said, step))

    def findings(self) -> tuple[Finding, ...]:
        """Return the findings in a stable order: severity, path, line, code, about."""
        return tuple(
            sorted(self._found, key=lambda each: (_ORDER[each.severity], each.path, each.line, each.code, each.about))
        )

    def asked(self) -> tuple[Asked, ...]:
        """Return each check with its denominator, in the order of the table."""
        found = Counter(each.code for each in self._found)
        return tuple(Asked(code, check.severity, self._asked[code], found[code]) for code, check in CHECKS.items())
