"""A project's own workflow beside the shipped ones; the one that new sprints follow; what sprints keep."""

import json
import os
from pathlib import Path

import pytest

from tests.derived_files import forge_in, kept_in
from verifflowcc.base.errors import ConfigError, UsageError, VfccError
from verifflowcc.base.files.layout import stamp
from verifflowcc.base.model.gate_values import CriterionKind, Mode
from verifflowcc.base.model.sprint_state import SprintState, StageStatus
from verifflowcc.base.records import replace
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.use.workspace import LedgerReads, Workspace
from verifflowcc.cli.use.initialise import initialise
from verifflowcc.gates.use.sprints import start_sprint
from verifflowcc.sprint.rules.stage_moves import pinned_digest
from verifflowcc.sprint.store.workflow_load import load_workflow, workflow_names
from verifflowcc.sprint.use.configuration import check_config, effective_config
from verifflowcc.sprint.use.pinned_workflow import KEPT, check_pinned_workflow
from verifflowcc.sprint.use.workflow_use import (
    check_workflow,
    list_workflows,
    show_workflow,
    use_workflow,
    workflow_yaml,
)

pytestmark = pytest.mark.vfcc("REQ-WORKFLOWS")

MINE = """\
name: mine
title: Mine
stages:
  - id: code
    title: Code
    leg: apex
    role: coder
    exit:
      - {id: tests, kind: junit, command: unit}
"""


@pytest.fixture
def project(tmp_path: Path) -> Workspace:
    initialise(tmp_path)
    return Workspace(tmp_path)


def own(project: Workspace, text: str = MINE) -> None:
    (project.memory / "workflow.yaml").write_text(text, encoding="utf-8")


def configure(project: Workspace, text: str) -> None:
    (project.memory / "config.yaml").write_bytes(text.encode())


def files_of(project: Workspace) -> dict[str, bytes]:
    """Everything in the memory tree that is no cache."""
    found = {path.relative_to(project.memory).as_posix(): path for path in project.memory.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not name.startswith("local/")}


def config_text(project: Workspace) -> str:
    return (project.memory / "config.yaml").read_bytes().decode()


def test_a_list_has_the_shipped_ones_and_marks_the_default(project: Workspace) -> None:
    found = list_workflows(project)

    assert [one.name for one in found.workflows] == ["agile", "aspice", "light", "safety", "standard"]
    assert [one.name for one in found.workflows if one.default] == ["light"]
    assert [one.name for one in found.workflows if one.strict] == ["safety"]
    assert found.problems == ()


def test_the_projects_own_is_one_of_them(project: Workspace) -> None:
    own(project)

    (mine,) = [one for one in list_workflows(project).workflows if one.own]

    assert (mine.name, mine.stages) == ("mine", ("code",))
    assert show_workflow(project, "mine").own
    assert workflow_yaml(project, "mine") == MINE


def test_a_bad_one_hides_no_other_and_is_told(project: Workspace) -> None:
    own(project, MINE.replace("apex", "left"))

    found = list_workflows(project)

    assert len(found.workflows) == 5
    assert found.problems[0].startswith("workflow.yaml:3: a V has one stage with leg: apex")
    assert show_workflow(project, "standard").workflow.name == "standard"


def test_a_bad_one_is_refused_where_it_is_used(project: Workspace) -> None:
    own(project, MINE.replace("apex", "left"))

    with pytest.raises(ConfigError, match=r"workflow\.yaml:3: a V has one stage"):
        start_sprint(project, "First", workflow="mine", actor="human:You")


def test_the_name_of_a_shipped_one_is_taken(project: Workspace) -> None:
    own(project, "# ours\n" + MINE.replace("name: mine", 'name: "light"  # really'))

    with pytest.raises(ConfigError, match=r"workflow\.yaml:2: light is the name of a shipped workflow"):
        load_workflow(project.memory, "light")
    assert check_workflow(project).problems == (
        "workflow.yaml:1: light is the name of a shipped workflow; give it another",
    )


def test_an_unknown_name_is_told_with_the_nearest(project: Workspace) -> None:
    with pytest.raises(UsageError, match="there is no workflow standart; did you mean standard") as refused:
        show_workflow(project, "standart")
    assert refused.value.hint == "vfcc workflow list"


def test_a_workflow_whose_name_stands_in_another_place_is_found_all_the_same(project: Workspace) -> None:
    own(project, "{name: mine, title: M, stages: [{id: code, title: C, leg: apex, role: coder}]}")

    assert load_workflow(project.memory, "mine").title == "M"


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("name: mine", "mine"),
        ("name:   'mine'  # it is", "mine"),
        ("name: Mine", None),
        ("  name: mine", None),
        ("# name: mine", None),
        ("name: ../x", None),
    ],
)
def test_the_configuration_may_name_it_without_its_being_parsed(
    project: Workspace, line: str, name: str | None
) -> None:
    own(project, f"{line}\ntitle: [not, closed\n")

    assert set(workflow_names(project.memory)) - {"agile", "aspice", "light", "safety", "standard"} == {name} - {None}


def test_new_sprints_follow_the_one_that_is_used(project: Workspace) -> None:
    own(project)
    configure(project, "format: 1\nworkflow: mine\ngates: {commands: {unit: {run: [make]}}}\n")

    assert effective_config(project).config.workflow == "mine"
    assert check_config(project).problems == ()
    assert show_workflow(project).workflow.name == "mine"


def test_a_missing_file_is_no_workflow(project: Workspace) -> None:
    configure(project, "workflow: mine\n")

    with pytest.raises(ConfigError, match=r"config\.yaml:1: workflow must be one of agile, aspice, light, "):
        show_workflow(project)


def test_a_link_out_of_the_project_and_a_pipe_are_not_opened(project: Workspace, tmp_path: Path) -> None:
    path = project.memory / "workflow.yaml"
    path.symlink_to("/etc/hostname")
    assert "this is a link that leaves the project" in check_workflow(project).problems[0]
    path.unlink()
    os.mkfifo(path)
    assert check_workflow(project).problems == ("workflow.yaml:1: this is not an ordinary file",)
    assert list_workflows(project).problems


def test_using_one_changes_one_line_and_no_other_byte(project: Workspace) -> None:
    text = "# top\r\nformat: 1\r\nworkflow:   'light'   # the small one\r\n\r\ngit: {commit: never}  # ü\r\n"
    configure(project, text)

    done = use_workflow(project, "agile")

    assert (done.before, done.workflow, done.running) == ("light", "agile", ())
    assert config_text(project) == text.replace("'light'", "agile")
    assert effective_config(project).config.workflow == "agile"


@pytest.mark.parametrize("text", ["", "# nothing\n", "format: 1", "format: 1\ngit: {commit: never}\n"])
def test_a_file_that_names_none_gets_a_line(project: Workspace, text: str) -> None:
    configure(project, text)

    use_workflow(project, "standard")

    assert "workflow: standard\n" in config_text(project)
    assert config_text(project).replace("workflow: standard\n", "").strip() == text.strip()
    assert effective_config(project).config.workflow == "standard"


def test_a_missing_configuration_is_written(project: Workspace) -> None:
    (project.memory / "config.yaml").unlink()

    use_workflow(project, "standard")

    assert config_text(project) == "workflow: standard\n"


@pytest.mark.parametrize("text", ["{workflow: light}", "workflow:\n  light\n", '"workflow": light\n'])
def test_what_cannot_be_changed_alone_stays_as_it_is(project: Workspace, text: str) -> None:
    configure(project, text)

    with pytest.raises(ConfigError, match="write standard there by hand"):
        use_workflow(project, "standard")
    assert config_text(project) == text


def test_using_an_unknown_a_bad_or_a_forbidden_one_changes_nothing(project: Workspace) -> None:
    own(project, MINE + "    nonsense: 1\n")
    configure(project, "gates: {modes: {trace: off}}\n")
    before = files_of(project)

    with pytest.raises(UsageError, match="there is no workflow agle"):
        use_workflow(project, "agle")
    with pytest.raises(ConfigError, match="unknown key nonsense"):
        use_workflow(project, "mine")
    with pytest.raises(ConfigError, match="safety allows no softer gate"):
        use_workflow(project, "safety")

    assert files_of(project) == before


def test_using_the_same_again_writes_nothing(project: Workspace) -> None:
    before = (project.memory / "config.yaml").stat().st_mtime_ns

    assert use_workflow(project, "light").before == "light"

    assert (project.memory / "config.yaml").stat().st_mtime_ns == before


def test_a_running_sprint_keeps_its_workflow(project: Workspace) -> None:
    own(project)
    start_sprint(project, "First", workflow="mine", actor="human:You")
    own(project, MINE.replace("command: unit", "command: other"))

    done = use_workflow(project, "standard")

    assert done.running == ("first",)
    view = show_workflow(project)
    assert (view.sprint, view.workflow.name, view.default) == ("first", "mine", False)
    assert [each.command for each in view.workflow.stages[0].exit if each.kind is CriterionKind.JUNIT] == ["unit"]
    assert view.statuses == {"code": StageStatus.ACTIVE}
    assert show_workflow(project, "mine").workflow.stages[0].exit[1].command == "other"


def test_a_sprint_is_shown_with_the_modes_that_it_started_under(project: Workspace) -> None:
    configure(project, "gates: {modes: {trace: off}}\n")
    start_sprint(project, "First", workflow="light", actor="human:You")
    configure(project, "")

    testing = show_workflow(project, sprint_id="first").workflow.stages[3]

    assert {each.id: each.mode for each in testing.exit}["requirements-tested"] is Mode.OFF


def test_a_name_beside_a_sprint_must_be_its_own(project: Workspace) -> None:
    start_sprint(project, "First", workflow="light", actor="human:You")

    with pytest.raises(UsageError, match="first follows light, not agile"):
        show_workflow(project, "agile", "first")


def test_a_check_without_a_file_finds_none(project: Workspace) -> None:
    report = check_workflow(project)

    assert (report.present, report.name, report.problems, report.notices) == (False, None, (), ())


def test_a_check_tells_of_commands_that_the_configuration_lacks(project: Workspace) -> None:
    own(project)
    assert check_workflow(project).notices == ("gates.commands.unit is not in config.yaml; needed by code/tests",)

    configure(project, "gates: {commands: {unit: {run: [make]}}}\n")
    assert check_workflow(project).notices == ()


def test_a_check_holds_the_modes_of_the_configuration_against_it(project: Workspace) -> None:
    own(project, MINE.replace("title: Mine", "title: Mine\nstrict: true"))
    configure(project, "gates: {modes: {tests: off}}\n")

    assert check_workflow(project).problems == ("config.yaml: mine allows no softer gate: tests: off",)


def test_a_check_beside_a_broken_configuration_still_checks_the_workflow(project: Workspace) -> None:
    own(project)
    configure(project, "workflo: x\n")

    report = check_workflow(project)

    assert (report.name, report.problems) == ("mine", ())
    assert report.notices[0].startswith("config.yaml is not sound, so its commands and modes were not looked at")


def test_the_configurations_check_holds_its_modes_against_the_workflow_it_names(project: Workspace) -> None:
    configure(project, "workflow: safety\ngates:\n  commands: {}\n  modes:\n    trace: off\n    cash: off\n")

    assert check_config(project).problems == (
        "config.yaml:4: gates.modes.cash is neither a kind nor a criterion of safety",
        "config.yaml:4: safety allows no softer gate: trace: off",
    )
    configure(project, "workflow: light\ngates: {modes: {trace: off}}\n")
    assert check_config(project).problems == ()


def test_the_configurations_check_tells_of_a_workflow_that_is_not_sound(project: Workspace) -> None:
    own(project, MINE + "    nonsense: 1\n")
    configure(project, "workflow: mine\n")

    (notice,) = check_config(project).notices
    assert notice.startswith("the workflow mine is not sound: workflow.yaml:10: unknown key nonsense; known are id, ")


def test_what_is_kept_of_a_workflow_file_changes_no_answer(project: Workspace) -> None:
    """Each state of the file is asked about after each other one: what is kept is of one state alone."""
    own(project)
    state = start_sprint(project, "Tides", workflow="mine", actor="human:Kim").state
    texts: tuple[str, ...] = (
        MINE,
        MINE + "# more\n",
        MINE.replace("id: code", "id: build"),
        MINE.replace("title: Mine", "title: ["),
    )
    texts += (MINE.replace("name: mine", "name: other"), MINE.replace("role: coder", "role: tester"))
    for one in texts:
        for other in texts:
            own(project, one)
            _asked(Workspace(project.root), state)
            own(project, other)

            kept = [_asked(Workspace(project.root), state) for _ in range(2)]
            assert kept == [_asked(Workspace(project.root, ledgers=LedgerReads(cached=False)), state)] * 2
    own(project)
    assert _asked(Workspace(project.root), state) == ()


def test_a_kept_answer_that_another_machine_brings_is_not_believed(project: Workspace) -> None:
    """The ledger here names the digest of the file, and asks for less than it: as a forged one would."""
    own(project)
    state = start_sprint(project, "Tides", workflow="mine", actor="human:Kim").state
    assert state.workflow is not None
    forged = replace(state, workflow=replace(state.workflow, stages=(replace(state.workflow.stages[0], exit=()),)))
    assert _asked(Workspace(project.root), state) == ()
    kept = (project.local / KEPT).read_bytes()
    assert "differs from it" in str(_asked(Workspace(project.root), forged))

    path = project.memory / "workflow.yaml"
    key = [stamp(path), digest_text(path.read_bytes()), pinned_digest(forged.workflow)]
    forge_in(
        project.local / KEPT,
        json.dumps(kept_in(project.local / KEPT)["key"][2]).replace(", ", ",").encode(),
        json.dumps(key).replace(", ", ",").encode(),
    )
    copied = path.read_bytes()
    path.unlink()
    path.write_bytes(copied)  # as a clone writes it: another file with the same bytes

    assert kept != (project.local / KEPT).read_bytes()
    assert "differs from it" in str(_asked(Workspace(project.root), forged))


def _asked(project: Workspace, state: SprintState) -> object:
    try:
        return check_pinned_workflow(project, state)
    except VfccError as error:
        return type(error), str(error), error.hint
