"""Where the checks put what they find and of how many things they were asked, with the weight that the policy gives."""

from collections import Counter
from collections.abc import Iterable

from verifflowcc.domain.trace import Asked, Finding, Severity, TraceItem
from verifflowcc.domain.trace_codes import CHECKS, TracePolicy

_ORDER = {severity: number for number, severity in enumerate(Severity)}


class Telling:
    """Collects findings; those of a check that is off are not kept.

    A finding's `message` is one sentence, `step` the next command, `about` tells it from others of its code and item,
    `also` are further files that it is about.
    """

    def __init__(self, policy: TracePolicy) -> None:
        self._weights = {code: policy.severities.get(code, check.severity) for code, check in CHECKS.items()}
        self._asked: Counter[str] = Counter()
        self._passed_over: Counter[str] = Counter()
        self.found: list[Finding] = []

    def on(self, *codes: str) -> bool:
        """Say whether any of these checks is asked at all."""
        return any(self._weights[code] is not Severity.OFF for code in codes)

    def ask(self, codes: Iterable[str], count: int, passed_over: int = 0) -> None:
        """Note that checks were asked of so many things, and left so many alone because they are only planned."""
        for code in codes:
            self._asked[code] += count
            self._passed_over[code] += passed_over

    def item(
        self, code: str, item: TraceItem, line: int, message: str, step: str, about: str = "", also: Iterable[str] = ()
    ) -> None:
        """Tell something of an item, at a line of its file."""
        weight = self._weights[code]
        if weight is not Severity.OFF:
            family = CHECKS[code].family
            self.found.append(
                Finding(code, family, weight, item.id, item.type, item.path, line, message, step, about, tuple(also))
            )

    def place(
        self, code: str, path: str, line: int, message: str, step: str, about: str = "", also: Iterable[str] = ()
    ) -> None:
        """Tell something that is about no item."""
        weight = self._weights[code]
        if weight is not Severity.OFF:
            family = CHECKS[code].family
            self.found.append(Finding(code, family, weight, "", "", path, line, message, step, about, tuple(also)))

    def findings(self) -> tuple[Finding, ...]:
        """Return the findings in their stable order: severity, path, line, code, about."""
        order = _ORDER
        return tuple(
            sorted(
                self.found,
                key=lambda each: (
                    order[each.severity], each.path, each.line, each.code, each.about, each.item, each.message
                ),
            )
        )  # fmt: skip

    def asked(self) -> tuple[Asked, ...]:
        """Return each check that is not off, in the order of the table, with its denominator."""
        found = Counter(each.code for each in self.found)
        return tuple(
            Asked(code, weight, self._asked[code], found[code], self._passed_over[code])
            for code, weight in self._weights.items()
            if weight is not Severity.OFF
        )
