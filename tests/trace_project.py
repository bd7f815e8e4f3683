"""A small traced project on disk: a need, three requirements, a unit, code, and tests of which one fails."""

from pathlib import Path

from tests.trees import write_memory, write_tree
from verifflowcc.base.files.project_content import project_content
from verifflowcc.sprint.rules.evidence_files import inputs_digest

NEED, TIMEOUT, LOCK, AUDIT, UNIT = (
    *("NEED-login-a2b3", "REQ-timeout-k3f9", "REQ-lock-m4n5", "REQ-audit-p6q7", "UNIT-session-r8s9"),
)
HOSTILE = "</script><script>document.title='broken'</script> & \"quoted\" \u202e turned"


def _item(name: str, kind: str, title: str, text: str, *lines: str) -> tuple[str, str]:
    front = "\n".join((f"id: {name}", f"type: {kind}", f"title: {title}", *lines))
    return f"project/items/{kind}/{name}.md", f"---\n{front}\n---\n{text}\n"


def _link(to: str, relation: str) -> str:
    return f"links:\n- {{to: {to}, relation: {relation}}}"


def traced(root: Path) -> Path:
    """Write the project's items, code and tests below `root`, and return it."""
    items = (
        _item(NEED, "need", "People sign in safely", "Nobody else signs in."),
        _item(
            *(TIMEOUT, "requirement", "A session ends", "It shall end after 15 minutes.", "verification: test"),
            _link(NEED, "refines"),
        ),
        _item(
            *(LOCK, "requirement", "An account is locked", HOSTILE, "verification: test"),
            _link(NEED, "refines"),
        ),
        _item(
            *(AUDIT, "requirement", "Sign-ins are on record", "It shall record each.", "verification: inspection"),
            *("planned: 2027 Q1", _link(NEED, "refines")),
        ),
        _item(UNIT, "unit", "Session", "It keeps the last use.", _link(TIMEOUT, "implements")),
    )
    write_memory(root, dict(items))
    return write_tree(
        root,
        {
            "src/session.py": f'def ended(now):\n    """vfcc: {UNIT}"""\n    return now > 900\n',
            "tests/test_session.py": (
                f"def test_ends():\n    # vfcc: {TIMEOUT}, {UNIT}\n    assert True\n\n\n"
                f"def test_locks():\n    # vfcc: {LOCK}\n    raise AssertionError\n"
            ),
        },
    )


def report(root: Path) -> Path:
    """Write a report of the tests, one of them failing, on the content of now, beside the project; return its path."""
    content = inputs_digest(project_content(root, None), ()).digest
    said = f'<properties><property name="vfcc.content" value="{content}"/></properties>'
    path = root.parent / "junit.xml"
    path.write_text(
        f'<testsuites><testsuite name="pytest" tests="2" failures="1">{said}'
        '<testcase classname="tests.test_session" name="test_ends" file="tests/test_session.py"/>'
        '<testcase classname="tests.test_session" name="test_locks" file="tests/test_session.py">'
        '<failure message="AssertionError"/></testcase></testsuite></testsuites>',
        encoding="utf-8",
    )
    return path
