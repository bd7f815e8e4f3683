"""The published schemas of documents: they are made from the types, and a lean document is a part of the full one."""

import json
import runpy
from pathlib import Path

import pytest

from tests.cli.cli.test_help import COMMANDS
from tests.cli.process import vfcc

SCHEMAS = runpy.run_path(str(Path(__file__).parents[3] / "docs" / "schemas.py"), run_name="schemas")

pytestmark = pytest.mark.vfcc("REQ-JSON")

NO_DOCUMENT = {"run events", "run worker", "config schema", "help", "hook", "mcp", "memory schema", "trace export"}
"""Commands whose output has a form of its own."""


def test_the_published_schemas_are_those_of_the_types() -> None:
    texts = SCHEMAS["schema_texts"]()
    published = {path.name: path.read_text(encoding="utf-8") for path in SCHEMAS["FOLDER"].glob("*.json")}

    assert published == texts, "python docs/schemas.py"


def test_a_schema_describes_its_types_and_their_keys() -> None:
    schemas = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in SCHEMAS["FOLDER"].glob("*.json")}
    types = {f"{stem} {name}": one for stem, each in schemas.items() for name, one in each["definitions"].items()}

    assert [name for name, one in types.items() if not one.get("description")] == []
    keys = types["stage-advance Transition"]["properties"]
    assert keys["changed"]["description"].startswith("False if an earlier command made this move"), "below a field"
    assert types["check-gate Gate"]["properties"]["open"]["description"], "of a property"
    assert keys["state"]["description"] == "The sprint after the move.", "beside a reference"
    assert keys["state"]["allOf"] == [{"$ref": "#/definitions/SprintState"}]


def test_every_command_has_a_schema() -> None:
    groups = {path[:length] for path in COMMANDS for length in range(len(path))}
    commands = {" ".join(path) for path in COMMANDS if path not in groups}

    assert commands | {"check", "run"} == {*SCHEMAS["COMMANDS"], *NO_DOCUMENT}


@pytest.mark.parametrize(
    "line",
    [
        "status",
        "next",
        "stage show",
        "sprint show",
        "check gate",
        "check trace",
        "memory list",
        "context show -a coder",
    ],
)
def test_a_lean_document_is_a_part_of_the_full_one(example: Path, line: str) -> None:
    lean, full = (vfcc(example, *line.split(), "--json", *more).document for more in ((), ("--full",)))

    assert _is_part(lean, full), line
    assert len(json.dumps(lean)) < len(json.dumps(full))


def _is_part(lean: object, full: object) -> bool:
    if isinstance(lean, dict) and isinstance(full, dict):
        return all(key in full and _is_part(each, full[key]) for key, each in lean.items())
    if isinstance(lean, list) and isinstance(full, list):
        return len(lean) == len(full) and all(map(_is_part, lean, full))
    return lean == full
