"""A whole sprint in `standard`: all its roles in five sessions, and a person who approves, reviews and accepts."""

from pathlib import Path

import pytest

from tests.clients.conftest import Desk
from tests.day import Act, Day, Work, a_day, artifact, asked, by_git, put, run, write
from tests.day.repository import ALL_COMMANDS, FILES, GOAL, LOUD
from verifflowcc.base.model.sprint_state import SprintStatus

pytestmark = pytest.mark.sweep
"""Real clients take minutes."""

SPRINT = "shout"
APPROVE = asked("approve")
REVIEW = asked("trace", "review", "--all")
EVIDENCE = run("vfcc evidence run")
EVIDENCE_AND_REQUEST = run("vfcc evidence run && vfcc approve --request")


def notes(**lines: str) -> Act:
    """Store artifacts, each with a sentence that marks it and a line more; `_` stands for `-` in their names."""
    names = {name.replace("_", "-"): text for name, text in lines.items()}
    return put({f"{name}.md": note(name, text) for name, text in names.items()})


def note(name: str, text: str) -> str:
    """Return an artifact's text with the sentence that marks it."""
    return f"# {name}\n\n{mark(name)}\n\n{text}\n"


def mark(name: str) -> str:
    """Return the sentence by which an artifact is known."""
    return f"MARK-{name.upper()}: this is {name}."


def unit(name: str, component: str, path: str, symbol: str) -> str:
    """Return a unit, as a designer writes it by hand."""
    return (
        f'---\nid: {name}\ntype: unit\ntitle: {symbol}\nsource: {{kind: explicit, actor: "agent:designer"}}\n'
        f"links: [{{to: {component}, relation: implements}}]\nrefs: [{{path: {path}, symbol: {symbol}}}]\n---\n"
        "## Contract\nReturns the greeting in capitals.\n## Errors\nNone.\n"
    )


def file_of_tests(*tests: tuple[str, str]) -> str:
    """Return a file of tests; each names the specification that it is of."""
    found = [
        f"def test_{number}() -> None:  # vfcc: {mark}\n    assert {what}" for number, (mark, what) in enumerate(tests)
    ]
    return "\n\n\n".join(["from greetings import greet\nfrom greetings.loud import shout", *found]) + "\n"


def items(*lines: str) -> str:
    """Return commands that add trace items, one for each line."""
    return " && ".join(f"vfcc trace add {line}" for line in lines)


PLANNING = Work(
    "planning",
    [
        run(
            items(
                'need "People far away hear a greeting" --id NEED-far --text "However far they are."',
                'test_spec "A shout is heard" --id TEST-heard --parent NEED-far --verification demonstration'
                ' --text "Somebody sees HELLO."',
            )
        ),
        notes(
            sprint_plan="## Goals\n\nA loud greeting.\n\n## Scope\n\nOne function.",
            needs="NEED-far.",
            acceptance_plan="TEST-heard.",
            risks="Names without upper case.",
        ),
    ],
    [APPROVE, REVIEW],
)
REQUIREMENTS = Work(
    "requirements",
    [
        run(
            items(
                'requirement "A shout is a greeting in capitals" --id REQ-shout --parent NEED-far --relation refines'
                ' --verification test --text "A shout shall be the greeting of the name in upper case."',
                'test_spec "Shouts of names" --id TEST-shouts --parent REQ-shout --text "Ada gives HELLO, ADA."',
            )
        ),
        write(artifact(SPRINT, "requirements", "requirements.md"), note("requirements", "REQ-shout.")),
        notes(system_test_specification="TEST-shouts."),
        EVIDENCE_AND_REQUEST,
    ],
    [APPROVE, REVIEW],
)
ARCHITECTURE = Work(
    "architecture",
    [
        run(
            items(
                'component "greetings" --id COMP-greet --parent REQ-shout --relation allocates --text "Greets."',
                'component "greetings.loud" --id COMP-loud --parent REQ-shout --relation allocates --text "Shouts."',
                'interface "greet" --id IF-greet --parent COMP-greet --parent COMP-loud'
                ' --text "greet takes a name and returns a text."',
                'test_spec "Shouts call greet" --id TEST-calls --parent IF-greet --text "Bo gives HELLO, BO."',
            )
        ),
        notes(
            components="COMP-greet and COMP-loud.",
            interfaces="IF-greet.",
            decisions="A function of its own.",
            integration_specification="TEST-calls.",
        ),
    ],
    [APPROVE, REVIEW],
)
DESIGN = Work(
    "detailed_design",
    [
        write(
            ".memory/project/items/unit/UNIT-greet.md",
            unit("UNIT-greet", "COMP-greet", "greetings/__init__.py", "greet"),
        ),
        write(
            ".memory/project/items/unit/UNIT-shout.md", unit("UNIT-shout", "COMP-loud", "greetings/loud.py", "shout")
        ),
        run(
            items(
                'test_spec "One greeting" --id TEST-greet --parent UNIT-greet --text "One name."',
                'test_spec "One shout" --id TEST-shout --parent UNIT-shout --text "One name, and no name."',
            )
        ),
        notes(unit_designs="UNIT-greet and UNIT-shout.", unit_test_specification="TEST-greet and TEST-shout."),
    ],
    [APPROVE, REVIEW],
)
CODING = Work(
    "coding",
    [
        write("greetings/loud.py", LOUD),
        write(
            "tests/test_units.py",
            file_of_tests(
                ("TEST-greet", 'greet("Bo") == "Hello, Bo!"'),
                ("TEST-shout", '(shout("Bo"), shout("")) == ("HELLO, BO!", "")'),
            ),
        ),
        write("tests/test_integration.py", file_of_tests(("TEST-calls", 'shout("Bo") == greet("Bo").upper()'))),
        write("tests/test_system.py", file_of_tests(("TEST-shouts", 'shout("Ada") == "HELLO, ADA!"'))),
        notes(changes="greetings/loud.py has shout."),
        run("git add . && git commit --quiet -m 'shout: greet in capitals'"),
        EVIDENCE_AND_REQUEST,
    ],
    [APPROVE, REVIEW],
)
UNIT_TEST = Work("unit_test", [EVIDENCE, put({"results.md": note("unit-results", "All passed.")})])
INTEGRATION_TEST = Work(
    "integration_test",
    [
        EVIDENCE,
        put(
            {
                "results.md": note("integration-results", "All passed."),
                "environment.md --stage system_test": note("environment", "Python and pytest."),
            }
        ),
    ],
)
SYSTEM_TEST = Work("system_test", [EVIDENCE, notes(verification_report="All verified.")], [APPROVE])
VALIDATION = Work(
    "validation",
    [
        notes(acceptance_record="NEED-far: seen.", release_notes="1.1: shout."),
    ],
    [
        asked("trace", "verify", "TEST-heard", "--saw", "HELLO, ADA"),
        asked("approve", "--statement", "saw HELLO, ADA"),
        by_git("add", "."),
        by_git("commit", "--quiet", "--message", "shout: items as reviewed"),
        by_git("tag", "v1.1"),
    ],
    last="vfcc evidence run && vfcc stage advance && vfcc sprint close",
)
OWED = {
    "planning": ["sprint-plan", "needs", "acceptance-plan", "risks"],
    "requirements": ["requirements", "system-test-specification"],
    "architecture": ["components", "interfaces", "decisions", "integration-specification"],
    "detailed_design": ["unit-designs", "unit-test-specification"],
    "coding": ["changes"],
    "unit_test": ["results"],
    "integration_test": ["results"],
    "system_test": ["verification-report"],
    "validation": ["acceptance-record", "release-notes"],
}
"""The artifacts of each stage."""
SESSIONS = [
    ("planner", [PLANNING]),
    ("", [REQUIREMENTS, ARCHITECTURE, DESIGN]),  # the role is that of the stage
    ("coder", [CODING]),
    ("", [UNIT_TEST, INTEGRATION_TEST, SYSTEM_TEST]),
    ("stakeholder", [VALIDATION]),
]
"""The role that a client is started in, and what it does there."""


@pytest.fixture
def day(desk: Desk, claude: Path) -> Day:
    """A repository with a sprint that a person started, and commands that a person allowed."""
    made = a_day(desk, "claude", claude, FILES, workflow="standard", config=ALL_COMMANDS)
    made.person("allow", keys="y\n")
    made.person("sprint", "start", "Shout", "--goal", GOAL)
    return made


def test_each_role_begins_with_its_goal_what_it_owes_and_the_artifacts_it_builds_on(day: Day) -> None:
    roles = {each.stage.id: each.stage.role for each in day.sprint().stages}
    for role, works in SESSIONS:
        session = day.session(*works, role=role)

        assert list(session.openings) == [work.stage for work in works]
        for stage, opening in session.openings.items():
            opening.holds(GOAL, f"stage {stage}, whose role is {roles[stage]}")
            opening.holds(*(f"{artifact(SPRINT, stage, name)}." for name in OWED[stage]))
            for path in day.builds_on(stage):
                opening.quotes(day.folder, path)
        assert day.sprint().current != works[-1].stage, session.results[-1]

    assert day.sprint().status is SprintStatus.CLOSED
