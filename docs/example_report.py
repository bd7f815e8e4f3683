"""Write the report of the worked example into docs/report: it shows what `vfcc report` makes.

    python docs/example_report.py [FOLDER]

The example is committed by one person on one day, and the report is judged on that day, so that each run writes the
same bytes. A test compares them with what is kept.
"""

import os
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from verifflowcc import __version__
from verifflowcc.base.process.clock import FixedClock
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.initialise import initialise
from verifflowcc.report.use.report_writing import ReportWritten, read_report, write_report

FOLDER = Path(__file__).parent / "report"
DAY = datetime(2026, 11, 16, tzinfo=UTC)


def committed_example(folder: Path) -> Workspace:
    """Make the worked example in a repository below `folder`, with everything committed."""
    root = folder / "tidewater"
    root.mkdir()
    initialise(root, example=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    person = {"NAME": "Maintainer", "EMAIL": "maintainer@example.org", "DATE": DAY.isoformat()}
    environment = {
        **kept,
        **{f"GIT_CONFIG_{where}": os.devnull for where in ("GLOBAL", "SYSTEM")},
        **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in person.items()},
    }
    for words in ("init --quiet --initial-branch=main", "add --all", "commit --quiet --message=Sprint-02:-design"):
        subprocess.run(["git", *words.split()], cwd=root, env=environment, check=True, capture_output=True)
    return Workspace(root, FixedClock(DAY))


def write(folder: Path) -> ReportWritten:
    """Write the report of the worked example into a folder."""
    with tempfile.TemporaryDirectory() as temporary:
        workspace = committed_example(Path(temporary))
        return write_report(read_report(workspace, local=False), folder, __version__)


if __name__ == "__main__":
    written = write(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
    sys.stdout.write(f"{written.index}\n")
