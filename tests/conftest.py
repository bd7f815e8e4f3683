"""No test reads or writes what the person at this machine keeps beyond their projects."""

import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests import forked, outside, tiers
from tests.progress import Progress

if TYPE_CHECKING:
    from tests.tree.postgres_server import Server


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what `make test` and `make sweep` set."""
    group = parser.getgroup("tiers")
    group.addoption("--examples", type=int, default=100, help="percent of the stated examples that laws try")
    group.addoption(
        "--progress", action="store_true", help="print a line for each twentieth of the tests, and the cost"
    )


@pytest.hookimpl(trylast=True)  # after the terminal's reporter
def pytest_configure(config: pytest.Config) -> None:
    """Set up the tiers."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # so a shell starts what runs in its background
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, "workerinput"):
        outside.leave_clients()
    tiers.set_percent(config.getoption("examples"))
    if not hasattr(config, "workerinput"):
        forked.share_starts(config)
        if config.getoption("progress"):
            config.pluginmanager.register(Progress(config.pluginmanager.getplugin("terminalreporter")))


def pytest_sessionfinish(exitstatus: int) -> None:
    """Tell the process that waits outside, if there is one."""
    outside.note_end(int(exitstatus))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark each test with its tier before `-m` selects."""
    tiers.mark(items)
    whole = config.args == config.getini("testpaths")  # of a part it says nothing
    without = tiers.only_swept(items) if whole and config.getoption("progress") else ()
    if without:
        raise pytest.UsageError(f"these requirements have no test that make test runs: {', '.join(without)}")


@pytest.fixture(scope="session", autouse=True)
def _nobody_at_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Point the variables at an empty folder, for what runs in the tests' own process; a test may set its own."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
            patch.setenv(variable, str(home / variable.lower()))
        patch.delenv("VFCC_POSTGRES_URL", raising=False)
        yield


@pytest.fixture(scope="session")
def postgres() -> Iterator["Server"]:
    """A real PostgreSQL server on loopback, with vfcc's schema in its database `memory`."""
    from tests.tree.postgres_server import ABSENT, programs, running

    found = programs()
    if found is None:
        pytest.skip(ABSENT)
    with running(found) as server:
        yield server
