"""What a test reads out of a recording of the demo, and the function that draws one."""

import re
import sys
from collections.abc import Callable, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

SCRIPT = Path(__file__).resolve().parents[1] / "docs" / "recording.py"
SVG = "{http://www.w3.org/2000/svg}"


def animation() -> Callable[[Sequence[Sequence[str]]], str]:
    """The function that draws a recording."""
    spec = spec_from_file_location("recording", SCRIPT)
    assert spec
    assert spec.loader
    module: Any = module_from_spec(spec)
    sys.modules["recording"] = module  # where dataclasses look for the module of a class
    spec.loader.exec_module(module)
    drawn: Callable[[Sequence[Sequence[str]]], str] = module.animation
    return drawn


def texts(svg: str) -> str:
    """The rows of a recording."""
    return "\n".join("".join(row.itertext()) for row in ElementTree.fromstring(svg).iter(f"{SVG}text"))


def seconds(svg: str) -> float:
    """How long a recording lasts before it repeats."""
    lasting = re.findall(r"animation: ([\d.]+)s step-end infinite", svg)
    assert len(lasting) == 1
    return float(lasting[0])
