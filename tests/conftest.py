"""No test reads or writes what the person at this machine keeps beyond their projects."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.tree.postgres_server import Server


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
