"""Take the pictures of the documentation: pages that commands write, in a browser without a window.

    python docs/screenshots.py [FOLDER]        # default: docs/images

Each picture is of the worked example, in a repository made for it. It needs chromium or google-chrome, and says so if
there is none.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "images"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-sync")


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture: its name, the command that writes the page to `page.html`, and its width and height."""

    name: str
    command: tuple[str, ...]
    size: tuple[int, int]


PICTURES = (Picture("trace-matrix", ("trace", "matrix", "-o", "page.html"), (1200, 820)),)


def take(picture: Picture, browser: str, folder: Path) -> Path:
    """Take a picture and return its file. Raises CalledProcessError if the command or the browser fails."""
    target = folder / f"{picture.name}.png"
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary) / "tides"
        root.mkdir()
        environment = os.environ | {"HOME": temporary, "XDG_CONFIG_HOME": f"{temporary}/config"}
        for command in (("git", "init", "--quiet"), _vfcc("init", "--worked-example"), _vfcc(*picture.command)):
            subprocess.run(command, cwd=root, env=environment, check=True, capture_output=True)
        size = ",".join(map(str, picture.size))
        options = (f"--user-data-dir={temporary}/profile", f"--window-size={size}", f"--screenshot={target.resolve()}")
        address = (root / "page.html").as_uri()
        subprocess.run([browser, *FLAGS, *options, address], check=True, capture_output=True, timeout=120)
    return target


def _vfcc(*arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "verifflowcc", *arguments)


def browser_here() -> str | None:
    """Return the first browser on the path, or None."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


if __name__ == "__main__":
    browser = browser_here()
    if browser is None:
        sys.exit(f"screenshots: none of {', '.join(BROWSERS)} is installed")
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(exist_ok=True)
    for each in PICTURES:
        sys.stdout.write(f"{take(each, browser, folder)}\n")
