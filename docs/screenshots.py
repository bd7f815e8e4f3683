"""Take the pictures of the documentation: pages that commands write, in a browser without a window.

    python docs/screenshots.py [FOLDER]        # default: docs/images, and docs/screens for the report

Each picture is of the worked example. Those of the report are of docs/report: at the width of a phone, of a laptop and
of a large screen, light and dark. It needs chromium or google-chrome, and says so if there is none.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "images"
SCREENS = Path(__file__).parent / "screens"
REPORT = Path(__file__).parent / "report"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-sync")


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture: its name, the command that writes the page to `page.html`, and its width and height."""

    name: str
    command: tuple[str, ...]
    size: tuple[int, int]


PICTURES = (Picture("trace-matrix", ("trace", "matrix", "-o", "page.html"), (1200, 820)),)


PAGES = {
    **{(page, width): ("light", "dark") for page in ("index", "trace") for width in (390, 1280, 2560)},
    **{(page, 1280): ("light",) for page in ("gates", "prompts", "memory")},
}
"""The pages of the report and the widths of their pictures, each with its colour schemes."""
SCHEMES = {"light": "1", "dark": "0"}
HEIGHT = 760


def take_report(browser: str, folder: Path) -> list[Path]:
    """Take the pictures of the report and return their files.

    A page is shown in a frame: a window of a browser cannot be as narrow as a phone.
    """
    taken = []
    with tempfile.TemporaryDirectory() as temporary:
        frame = Path(temporary) / "frame.html"
        for (page, width), schemes in PAGES.items():
            for scheme in schemes:
                target = folder / report_picture(page, width, scheme)
                frame.write_text(
                    '<meta name="color-scheme" content="light dark"><style>body { margin: 0; }</style>'
                    f'<iframe src="{(REPORT / page).as_uri()}.html" width="{width}" height="{HEIGHT}"'
                    ' style="border: 0; display: block"></iframe>',
                    encoding="utf-8",
                )
                _shoot(browser, temporary, frame.as_uri(), (width, HEIGHT), target, SCHEMES[scheme])
                taken.append(target)
    return taken


def report_picture(page: str, width: int, scheme: str) -> str:
    """Return the name of a picture of the report."""
    return f"report-{page}-{width}-{scheme}.png"


def _shoot(browser: str, temporary: str, address: str, size: tuple[int, int], target: Path, scheme: str) -> None:
    options = (
        f"--user-data-dir={temporary}/profile",
        f"--window-size={','.join(map(str, size))}",
        f"--blink-settings=preferredColorScheme={scheme}",
        f"--screenshot={target.resolve()}",
    )
    subprocess.run([browser, *FLAGS, *options, address], check=True, capture_output=True, timeout=120)


def take(picture: Picture, browser: str, folder: Path) -> Path:
    """Take a picture and return its file. Raises CalledProcessError if the command or the browser fails."""
    target = folder / f"{picture.name}.png"
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary) / "tides"
        root.mkdir()
        environment = os.environ | {"HOME": temporary, "XDG_CONFIG_HOME": f"{temporary}/config"}
        for command in (("git", "init", "--quiet"), _vfcc("init", "--worked-example"), _vfcc(*picture.command)):
            subprocess.run(command, cwd=root, env=environment, check=True, capture_output=True)
        _shoot(browser, temporary, (root / "page.html").as_uri(), picture.size, target, SCHEMES["light"])
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
    for path in take_report(browser, folder if len(sys.argv) > 1 else SCREENS):
        sys.stdout.write(f"{path}\n")
