"""What a long run prints: a line for every twentieth of the tests, and at the end what the run cost."""

import resource
import time
from collections.abc import Generator

import pytest

PARTS = 20


class Progress:
    """Prints lines in place of a dot for each test."""

    def __init__(self, terminal: pytest.TerminalReporter) -> None:
        self._terminal = terminal
        self._began = time.monotonic()
        self._done = self._shown = 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Keep the session, which knows how many tests there are once a test process has collected them."""
        self._session = session

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self) -> Generator[None, tuple[str, str, object], tuple[str, str, object]]:
        """Count each outcome as always, and print no letter for it."""
        category, _, word = yield
        return category, "", word

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Name each failure at once."""
        if report.failed:
            self._terminal.write_line(f"FAILED {report.nodeid}")

    def pytest_runtest_logfinish(self) -> None:
        """Count a test, and print a line where another part is done."""
        self._done += 1
        total = self._session.testscollected
        part = self._done * PARTS // total
        if part > self._shown:
            self._shown = part
            failed = sum(len(self._terminal.stats.get(name, ())) for name in ("failed", "error"))
            self._terminal.write_line(
                f"{part * 100 // PARTS:3d} %  {self._done:,} of {total:,} tests, {failed} failed, {self._seconds()} s"
            )

    def _seconds(self) -> int:
        return round(time.monotonic() - self._began)

    def pytest_unconfigure(self) -> None:
        """Print the processor time of this process and of all that it waited for."""
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        cpu = round(sum(each.ru_utime + each.ru_stime for each in used))
        self._terminal.write_line(f"{self._done:,} tests, {self._seconds()} s, {cpu:,} CPU-seconds")
