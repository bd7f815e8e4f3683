"""The pytest plugin: `@pytest.mark.vfcc("REQ-a")`, and what a JUnit report says of it.

With `--junitxml` each test case has a property `vfcc` for each id that it is marked with, and the report has the
property `vfcc.content`: the digest of the project's files on which the tests ran, the report itself left out. Where
these changed since it is `vfcc.content.changed` instead; where they cannot be read, `vfcc.content.problem` says
why. Without `--junitxml` only the marker is registered; outside of a project with `.memory/` nothing of content.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MARKER = "vfcc"
CONTENT = "vfcc.content"
_WATCH = "vfcc-content"


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and watch the project's content where a report is written."""
    config.addinivalue_line("markers", "vfcc(*ids): the trace items that the test verifies")
    report = config.getoption("xmlpath", None)
    if not report or hasattr(config, "workerinput"):
        return
    root = _project(config)
    if root is not None:
        config.pluginmanager.register(_ContentWatch(config, root, str(report)), _WATCH)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give each test a property for each id. Raises pytest.UsageError for a mark that names none."""
    if config.getoption("xmlpath", None):
        for item in items:
            item.user_properties += [(MARKER, name) for name in dict.fromkeys(_ids(item))]


def _ids(item: pytest.Item) -> Iterator[str]:
    for mark in item.iter_markers(MARKER):
        words = [word for value in mark.args for word in (value if isinstance(value, list | tuple) else [value])]
        if not words or mark.kwargs or not all(isinstance(word, str) for word in words):
            raise pytest.UsageError(f'{item.nodeid}: @pytest.mark.vfcc takes ids of trace items, as ("REQ-a", "REQ-b")')
        yield from (name for word in words for part in word.split(",") if (name := part.strip()))


def _project(config: pytest.Config) -> Path | None:
    """Return the folder with `.memory/` at or above pytest's root, else at or above where it was called."""
    for start in (config.rootpath, config.invocation_params.dir):
        for folder in (start, *start.parents):
            if (folder / ".memory").is_dir():
                return folder
    return None


class _ContentWatch:
    """Takes the digest of the project's content before the first test and after the last."""

    def __init__(self, config: pytest.Config, root: Path, report: str) -> None:
        self._config = config
        self._root = root
        self._report = report
        self._before: str | None = None
        self._problem = ""

    def pytest_sessionstart(self) -> None:
        """Take the digest before anything runs."""
        self._before = self._digest()

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Tell the report, before it is written."""
        after = self._digest()
        if self._before is None or after is None:
            self._tell(f"{CONTENT}.problem", self._problem)
        elif self._before == after:
            self._tell(CONTENT, after)
        else:
            self._tell(f"{CONTENT}.changed", "files of the project changed while the tests ran")

    def _digest(self) -> str | None:
        from verifflowcc.base.errors import VfccError
        from verifflowcc.base.files.project_content import project_content
        from verifflowcc.sprint.rules.evidence_files import inputs_digest

        try:
            content = dict(project_content(self._root, self._root / ".memory" / "local"))
        except VfccError as error:
            self._problem = error.message
            return None
        content.pop(self._own_path(), None)
        return inputs_digest(content, ()).digest

    def _own_path(self) -> str:
        """Return the report's path below the project's root; "" where it lies elsewhere."""
        from os.path import expandvars
        from pathlib import Path

        path = (self._config.invocation_params.dir / Path(expandvars(self._report)).expanduser()).resolve()
        root = self._root.resolve()
        return path.relative_to(root).as_posix() if path.is_relative_to(root) else ""

    def _tell(self, name: str, value: str) -> None:
        for plugin in self._config.pluginmanager.get_plugins():
            add = getattr(plugin, "add_global_property", None)
            if callable(add):
                add(name, value)
