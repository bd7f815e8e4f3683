"""Chromium without a window: the page that it makes of a file, what it writes to its console, and axe-core over it."""

import json
import re
import shutil
import subprocess
import tarfile
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import pytest

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--hide-scrollbars"),
)
AXE = "axe-core@4.10.3"
PATIENCE_S = 120
in_browser = pytest.mark.skipif(BROWSER is None, reason="there is no chromium or google-chrome on PATH")


def dump(address: str, profile: Path, *flags: str, budget_ms: int = 2000) -> tuple[str, list[str]]:
    """Return the document that the browser has after its scripts ran, and the lines of its console."""
    assert BROWSER
    options = (f"--virtual-time-budget={budget_ms}", f"--user-data-dir={profile}", "--enable-logging=stderr", *flags)
    done = subprocess.run(
        [BROWSER, *FLAGS, *options, "--dump-dom", address], capture_output=True, timeout=PATIENCE_S, check=False
    )
    console = [line for line in done.stderr.decode("utf-8", "replace").splitlines() if ":CONSOLE" in line]
    return done.stdout.decode("utf-8", "replace"), console


@cache
def axe_source(folder: Path) -> str:
    """Return axe-core from the package registry; skips the test where npm or the registry is missing."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("there is no npm, which axe-core comes with")
    done = subprocess.run(
        [npm, "pack", AXE, "--silent"], cwd=folder, capture_output=True, timeout=PATIENCE_S, check=False
    )
    found = sorted(folder.glob("axe-core-*.tgz"))
    if done.returncode or not found:
        pytest.skip("npm has no network registry that gives axe-core")
    with tarfile.open(found[0]) as archive:
        file = archive.extractfile("package/axe.min.js")
        assert file
        return file.read().decode("utf-8")


def axe_findings(page: Path, axe: str, folder: Path, *flags: str) -> list[dict[str, Any]]:
    """Return what axe-core finds wrong with a page: in a copy whose policy lets axe-core run."""
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page.read_text(encoding="utf-8"))
    text = text.replace("<details", "<details open")
    run = (
        "axe.run(document, {resultTypes: ['violations']}).then(r => { document.title = JSON.stringify(r.violations.map("
    )
    shown = "v => ({id: v.id, impact: v.impact, nodes: v.nodes.slice(0, 3).map(n => n.html.slice(0, 200))})"
    script = f"<script>{axe}</script><script>{run}{shown})))</script>"
    copy = folder / page.name
    copy.write_text(text.replace("</body>", f"{script}</body>"), encoding="utf-8")
    made, _ = dump(copy.as_uri(), folder / "profile", *flags, budget_ms=20_000)
    title = re.search(r"<title>(.*?)</title>", made, re.DOTALL)
    assert title
    assert title[1].startswith("["), f"axe-core did not end: {title[1][:200]}"
    findings: list[dict[str, Any]] = json.loads(unescape(title[1]))
    return findings
