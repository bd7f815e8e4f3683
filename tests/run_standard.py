"""A repository with a sprint of `standard`: what its agents write in each role, and a person who does what is asked."""

import re
import shlex
from pathlib import Path

from tests.cli.process import by_person, vfcc
from tests.day.repository import ALL_COMMANDS, FILES, LOUD
from tests.day.test_standard import file_of_tests, unit
from tests.run_world import AGENT, RunWorld
from tests.trees import git, write_tree

SPRINT = "shout"
FEW_PLUGINS = 'addopts = "-p no:hypothesispytest -p no:xdist -p no:anyio -p no:cacheprovider"\n'
COMMANDS = re.sub(r"(build|lint): {", r'\1: {inputs: ["greetings/**"], ', ALL_COMMANDS).replace(
    "--cov,", "--cov=greetings,"
)
"""What builds and reads the code depends on the code alone, and is not run again for a test or a note."""
MOST_ASKS = 20
ITEM = """\
---
id: {name}
type: {kind}
title: {title}
status: active
{more}source: {{kind: explicit, actor: "agent:{role}"}}
trust: agent
created: 2026-11-29
---

{text}
"""


def item(name: str, kind: str, text: str, *links: str, role: str, more: str = "", title: str = "") -> tuple[str, str]:
    """Return an item's file and its text, as `vfcc trace add` writes it; a link is `relation ID`."""
    lines = "".join(f"  - {{to: {link.split()[1]}, relation: {link.split()[0]}}}\n" for link in links)
    more = more + (f"links:\n{lines}" if links else "")
    title = title or text.rstrip(".")
    found = ITEM.format(name=name, kind=kind, title=title, text=text, more=more, role=role)
    return f".memory/project/items/{kind}/{name}.md", found


def notes(stage: str, **texts: str) -> dict[str, str]:
    """Return artifacts of a stage; `_` is written for `-` in their names."""
    names = {name.replace("_", "-"): text for name, text in texts.items()}
    return {
        f".memory/stage/{SPRINT}/{stage}/artifacts/{name}.md": f"# {name}\n\n{text}\n" for name, text in names.items()
    }


TESTED = "verification: test\n"
SCRIPT: dict[str, list[dict[str, object]]] = {
    "planner": [
        {
            "files": {
                **dict(
                    [
                        item("NEED-far", "need", "People far away hear a greeting.", role="planner"),
                        item(
                            "TEST-heard",
                            "test_spec",
                            "Somebody sees HELLO.",
                            "verifies NEED-far",
                            role="planner",
                            more="verification: demonstration\n",
                        ),
                    ]
                ),
                **notes(
                    "planning",
                    sprint_plan="## Goals\n\nA loud greeting.\n\n## Scope\n\nOne function.",
                    needs="NEED-far.",
                    acceptance_plan="TEST-heard.",
                    risks="Names without upper case.",
                ),
            }
        }
    ],
    "analyst": [
        {
            "files": {
                **dict(
                    [
                        item(
                            "REQ-shout",
                            "requirement",
                            "A shout shall be the greeting of the name in upper case.",
                            "refines NEED-far",
                            role="analyst",
                            more=TESTED,
                            title="A shout is a greeting in capitals",
                        ),
                        item("TEST-shouts", "test_spec", "Ada gives HELLO, ADA.", "verifies REQ-shout", role="analyst"),
                    ]
                ),
                **notes("requirements", requirements="REQ-shout.", system_test_specification="TEST-shouts."),
            }
        }
    ],
    "architect": [
        {
            "files": {
                **dict(
                    [
                        item("COMP-greet", "component", "Greets.", "allocates REQ-shout", role="architect"),
                        item("COMP-loud", "component", "Shouts.", "allocates REQ-shout", role="architect"),
                        item(
                            "IF-greet",
                            "interface",
                            "greet takes a name and returns a text.",
                            "refines COMP-greet",
                            "refines COMP-loud",
                            role="architect",
                        ),
                        item("TEST-calls", "test_spec", "Bo gives HELLO, BO.", "verifies IF-greet", role="architect"),
                    ]
                ),
                **notes(
                    "architecture",
                    components="COMP-greet and COMP-loud.",
                    interfaces="IF-greet.",
                    decisions="A function of its own.",
                    integration_specification="TEST-calls.",
                ),
            }
        }
    ],
    "designer": [
        {
            "files": {
                ".memory/project/items/unit/UNIT-greet.md": unit(
                    "UNIT-greet", "COMP-greet", "greetings/__init__.py", "greet"
                ),
                ".memory/project/items/unit/UNIT-shout.md": unit(
                    "UNIT-shout", "COMP-loud", "greetings/loud.py", "shout"
                ),
                **dict(
                    [
                        item("TEST-greet", "test_spec", "One name.", "verifies UNIT-greet", role="designer"),
                        item(
                            "TEST-shout", "test_spec", "One name, and no name.", "verifies UNIT-shout", role="designer"
                        ),
                    ]
                ),
                **notes(
                    "detailed_design",
                    unit_designs="UNIT-greet and UNIT-shout.",
                    unit_test_specification="TEST-greet and TEST-shout.",
                ),
            }
        }
    ],
    "coder": [{"files": {"greetings/loud.py": LOUD, **notes("coding", changes="greetings/loud.py has shout.")}}],
    "tester": [
        {
            "files": {
                "tests/test_units.py": file_of_tests(
                    ("TEST-greet", 'greet("Bo") == "Hello, Bo!"'),
                    ("TEST-shout", '(shout("Bo"), shout("")) == ("HELLO, BO!", "")'),
                ),
                "tests/test_integration.py": file_of_tests(("TEST-calls", 'shout("Bo") == greet("Bo").upper()')),
                "tests/test_system.py": file_of_tests(("TEST-shouts", 'shout("Ada") == "HELLO, ADA!"')),
                **notes("unit_test", results="All passed."),
                **notes("system_test", environment="Python and pytest."),
            }
        },
        {"files": notes("system_test", verification_report="All verified.")},
    ],
    "integrator": [{"files": notes("integration_test", results="All passed.")}],
    "stakeholder": [{"files": notes("validation", acceptance_record="NEED-far: seen.", release_notes="1.1: shout.")}],
}


ASKED = [
    ("planning", ["approve planning"]),
    ("requirements", ["approve requirements", "trace review"]),
    ("architecture", ["approve architecture"]),
    ("detailed_design", ["approve detailed_design"]),
    ("coding", ["approve coding", "trace review"]),
    ("unit_test", ["approve coding"]),  # again: the tests that were written beside it are part of what was approved
    ("system_test", ["approve system_test"]),
    ("validation", ["approve validation", "git tag"]),
]
"""What the run asks of a person, by stage."""


class StandardWorld(RunWorld):
    """The repository `greetings` with a sprint of `standard`."""

    def __init__(self, folder: Path) -> None:
        self.root, self.state = folder / "shop", folder / "agent"
        self.state.mkdir()
        write_tree(folder, {"agent.py": AGENT})
        self.write_script(SCRIPT)
        write_tree(self.root, {**FILES, "pyproject.toml": FILES["pyproject.toml"] + FEW_PLUGINS})
        git(self.root, "init", "--quiet", "--initial-branch", "main")
        assert vfcc(self.root, "init", "--workflow", "standard").code == 0
        config = self.root / ".memory" / "config.yaml"
        config.write_text(config.read_text().partition("gates:")[0] + COMMANDS)
        assert vfcc(self.root, "allow", "--yes", env={"CI": "true"}).code == 0
        self.commit("first")
        done = by_person(self.root, "sprint", "start", "Shout", "--goal", "Shout a greeting")
        assert done.code == 0, done
        self.commit("sprint")


def done_by_person(world: RunWorld, ask: str) -> str:
    """Do what a run asks of a person, as that person at a terminal; return the command without its folder."""
    command = ask.rpartition("; to do: ")[2].partition("  #")[0]
    program, _, folder, *words = shlex.split(command)
    if program == "git":
        assert words == ["tag", "NAME"]
        git(Path(folder), "tag", "v1.1")
        return "git tag"
    more = ("--statement", "saw HELLO, ADA") if words[:2] == ["approve", "validation"] else ()
    done = by_person(world.root, "-C", folder, *words, *more, "--yes")
    assert done.code == 0, (words, done)
    return " ".join(words[:2])
