"""`migrate` from format 1: the defaults that an earlier version wrote go out, what somebody chose stays."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.trees import write_memory
from verifflowcc.base.config.config_defaults import default_config
from verifflowcc.base.config.config_provenance import DEFAULT
from verifflowcc.base.errors import ConfigError
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.migrating import Migration, migrate
from verifflowcc.sprint.store.workflow_load import templates_folder
from verifflowcc.sprint.use.configuration import effective_config, show_config

pytestmark = pytest.mark.vfcc("REQ-MIGRATE")

EARLIER = {path.stem: path.read_text(encoding="utf-8") for path in (templates_folder() / "earlier-configs").iterdir()}
FIRST = EARLIER["0.1"]
WHOLE = ("loading_strategy", "token_allocation", "gates", "trace", "memory", "hooks", "git", "tokens")


def project(folder: Path, text: str) -> Workspace:
    return Workspace(write_memory(folder, {"config.yaml": text}))


def text_of(here: Workspace) -> str:
    return (here.memory / "config.yaml").read_bytes().decode()


def changes(done: Migration) -> list[str]:
    return [step.action.removeprefix(".memory/config.yaml: ") for step in done.steps]


def out(*names: str) -> list[str]:
    return [f"{name} is taken out: it holds the defaults of an earlier vfcc" for name in names]


def test_the_files_of_earlier_versions_are_what_they_wrote() -> None:
    assert {name: digest_text(text.encode())[:15] for name, text in EARLIER.items()} == {
        "0.1": "sha256:f53bd5f6",
    }


@pytest.mark.parametrize("version", EARLIER)
def test_a_file_of_defaults_alone_becomes_one_without_any(tmp_path: Path, version: str) -> None:
    here = project(tmp_path, EARLIER[version])

    done = migrate(here)

    now = {name: getattr(effective_config(here).config, name) for name in default_config().__slots__}
    assert {**now, "digest": ""} == {name: getattr(default_config(), name) for name in now} | {"digest": ""}
    assert changes(done)[:8] == out(*WHOLE)
    assert [each.name for each in show_config(here) if each.origin != DEFAULT] == ["format", "workflow"]
    new = (templates_folder() / "config.yaml").read_text(encoding="utf-8")
    assert text_of(here).startswith(new[: new.index("# The stages")])


def test_a_default_that_changed_since_is_named_with_both_values(tmp_path: Path) -> None:
    done = migrate(project(tmp_path, FIRST))

    assert (
        "loading_strategy.stage.conditional_load changes from (feedback.md, previous_stage_summary.md) to "
        "(feedback.md, @handover), today's default"
    ) in changes(done)


CHOICES = [
    ("    max_tokens: 15000", "    max_tokens: 9000", ("loading_strategy", "stage", "max_tokens"), 9000),
    ("  hold: false", "  hold: true", ("hooks", "hold"), True),
    ("  max_items: 1000", "  max_items: 1000  # as agreed", ("memory", "max_items"), 1000),
    ("  commit: never", "  # we commit by hand\n  commit: never", ("git", "commit"), "never"),
    ("git:\n", "# We commit by hand.\ngit:\n", ("git", "commit"), "never"),
    ("  code: []", "  code: [src/**]", ("trace", "code"), ("src/**",)),
]


@pytest.mark.parametrize(("before", "after", "place", "value"), CHOICES, ids=lambda each: str(each)[:20])
def test_a_value_that_somebody_chose_or_explained_stays(
    tmp_path: Path, before: str, after: str, place: tuple[str, ...], value: object
) -> None:
    assert FIRST.count(before) == 1
    here = project(tmp_path, FIRST.replace(before, after))

    migrate(here)

    (setting,) = [each for each in show_config(here) if each.name == ".".join(place)]
    assert (setting.value, setting.origin != DEFAULT) == (value, True)
    assert after in text_of(here)


def test_the_comments_of_what_went_go_and_all_others_stay(tmp_path: Path) -> None:
    text = FIRST.replace("  hold: false", "  hold: true").replace("git:\n", "\n# Until 2027.\n\ngit:\n")
    here = project(tmp_path, text.replace("\n", "\r\n"))

    migrate(here)

    kept = text_of(here)
    assert kept.count("\r\n") == kept.count("\n")
    assert kept.endswith("hooks:\r\n  hold: true\r\n\r\n# Until 2027.\r\n")
    assert "# What the hooks of agents' clients do here" in kept
    assert "# How tokens are counted" not in kept


OWN_LIST = FIRST.replace("      - previous_stage_summary.md # summary.md of the stage before\n", "      - ours.md\n")


def test_a_list_of_ones_own_stays_and_the_lines_to_add_are_printed(tmp_path: Path) -> None:
    here = project(tmp_path, OWN_LIST)

    done = migrate(here)

    (notice,) = done.notices
    place, _, line = notice.partition("Add to the list:\n")
    assert "loading_strategy.stage.conditional_load is your own and stays" in place
    assert line == '      - "@handover"'
    row = int(place.split(":")[1])
    lines = text_of(here).splitlines()
    assert lines[row - 1] == "    conditional_load:"

    lines.insert(row, line)
    (here.memory / "config.yaml").write_text("\n".join(lines).replace("format: 2", "format: 1"), encoding="utf-8")
    assert migrate(here).notices == ()


@pytest.mark.parametrize(
    "text",
    [
        "format: 1\ntrace:\n  code: &a []\n  tests: *a\nhooks:\n  record: true\n",
        "format: 1\ngit: {\n  commit: never\n  }\n",
        "format: 1\nmemory:\n  backends: &k {project: files, task: files}\nhooks: {record: true, share: never}\n",
    ],
)
def test_a_form_that_lines_cannot_take_apart_keeps_its_meaning(tmp_path: Path, text: str) -> None:
    here = project(tmp_path, text)
    before = [(each.name, each.value) for each in show_config(here) if each.name != "format"]

    migrate(here)

    assert [(each.name, each.value) for each in show_config(here) if each.name != "format"] == before


def test_roles_that_the_allocation_does_not_name_keep_their_shares(tmp_path: Path) -> None:
    here = project(tmp_path, "format: 1\ntoken_allocation:\n  coder: {agent: 1}\n")
    before = effective_config(here).config

    done = migrate(here)

    after = effective_config(here).config
    for role in ("coder", "planner", "tester"):
        assert after.allocation_for(role).shares == before.allocation_for(role).shares, role
    assert "token_allocation.default is added: roles without shares keep those that they had" in changes(done)


def test_in_format_2_the_allocation_of_one_role_leaves_those_of_others_at_their_defaults(tmp_path: Path) -> None:
    one = effective_config(project(tmp_path / "a", "format: 2\ntoken_allocation:\n  coder: {agent: 1}\n")).config
    two = effective_config(project(tmp_path / "b", "format: 2\ntoken_allocation:\n  default: {agent: 1}\n")).config
    budget = effective_config(project(tmp_path / "c", "format: 2\ntoken_allocation: {coder: {budget: 9}}\n")).config

    assert one.allocation_for("planner") == default_config().allocation_for("planner")
    assert two.allocation_for("planner") == two.allocation_for("tester")
    assert budget.allocation_for("coder").shares == default_config().allocation_for("coder").shares
    assert budget.allocation_for("coder").budget_tokens == 9


def test_an_invalid_file_is_refused_as_it_was(tmp_path: Path) -> None:
    here = project(tmp_path, FIRST.replace("hold: false", "hold: 3"))
    before = text_of(here)

    for dry_run in (True, False):
        with pytest.raises(ConfigError, match=r"hooks\.hold"):
            migrate(here, dry_run=dry_run)
    assert text_of(here) == before


LEAVES = sorted({line for line in FIRST.splitlines() if line.startswith("  ") and "#" not in line and ": " in line})
NUMBERS = [line for line in LEAVES if "_tokens: " in line or "user_items: " in line]
FLAGS = [line for line in LEAVES if line.endswith((": []", ": false", ": true")) and "code" not in line]


@given(
    chosen=st.sets(st.sampled_from(NUMBERS)),
    gone=st.sets(st.sampled_from(FLAGS)),
    comments=st.sets(st.integers(0, len(FIRST.splitlines()) - 1), max_size=4),
    crlf=st.booleans(),
    version=st.sampled_from(sorted(EARLIER)),
)
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_choice_and_every_comment_of_ones_own_survives_and_a_second_run_changes_nothing(
    chosen: set[str],
    gone: set[str],
    comments: set[int],
    crlf: bool,
    version: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    lines = []
    for number, line in enumerate(EARLIER[version].splitlines()):
        if number in comments:
            lines.append(f"{line[: len(line) - len(line.lstrip())]}# line {number}")
        if line not in gone:
            lines.append(f"{line.rpartition(': ')[0]}: 77" if line in chosen else line)
    here = project(tmp_path_factory.mktemp("any"), ("\r\n" if crlf else "\n").join(lines))
    before = {each.name: each.value for each in show_config(here)}
    default = {each.name: each.value for each in show_config(Workspace(write_memory(tmp_path_factory.mktemp("d"), {})))}

    dry = migrate(here, dry_run=True)
    done = migrate(here)

    after = {each.name: each.value for each in show_config(here)}
    assert dry.steps == done.steps
    assert {name for name in after if after[name] not in (before.get(name), default.get(name))} == set()
    assert sum(value == 77 for value in after.values()) == sum(value == 77 for value in before.values())
    assert [line.strip() for line in text_of(here).splitlines() if "# line " in line] == [
        line.strip() for line in lines if "# line " in line
    ]
    assert migrate(here).steps == ()
