"""Items taken along to another machine, and items of older stores: nothing lost, nothing twice, nothing overwritten."""

import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.memory_faults import item
from tests.trees import write_memory, write_tree
from verifflowcc.base.errors import FormatError, NotAllowed, UsageError
from verifflowcc.base.files.private_files import user_home
from verifflowcc.base.model.item_values import Item, SourceKind, Status, Trust
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.superseded import superseded
from verifflowcc.memory.store.placing import folder_of
from verifflowcc.memory.use.copying import export_memory
from verifflowcc.memory.use.importing import IncomingItem, MemoryImportOptions, MemoryImportResult, import_memory
from verifflowcc.memory.use.stores import open_store

YOU, AGENT = "human:You", "agent:coder"
CRLF = "\ufeff---\r\nid: crlf\r\ntype: fact # said so\r\nown_key: [1,  2]\r\ntitle: 'A'\r\n---\r\n\r\nText \r\nno end"


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    machine(monkeypatch, tmp_path / "first")


def machine(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Be at another machine, where nothing is remembered."""
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(folder / name))


def project(folder: Path, files: dict[str, str | bytes] | None = None) -> Workspace:
    return Workspace(write_memory(folder, {"config.yaml": "format: 1\n", **(files or {})}))


def no_question(asked: Sequence[IncomingItem]) -> None:
    raise AssertionError(f"asked about {asked}")


def yes(asked: Sequence[IncomingItem]) -> None:
    assert asked


def take(here: Workspace | None, source: Path | str, actor: str = YOU, **choices: object) -> MemoryImportResult:
    return import_memory(
        here,
        str(source),
        MemoryImportOptions(**choices),  # type: ignore[arg-type]
        actor=actor,
        confirm=yes,
        today="2026-11-21",
    )


def rows(folder: Path, *values: object) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("".join(f"{json.dumps(each)}\n" for each in values), encoding="utf-8")
    return path


def fates(done: MemoryImportResult) -> list[str]:
    return [str(each.outcome) for each in done.items]


def the_item(here: Workspace | None, scope: str, item_id: str) -> Item:
    return the_text(here, scope, item_id)[0]


def the_text(here: Workspace | None, scope: str, item_id: str) -> tuple[Item, str, str]:
    with open_store(here, scope) as store:
        found = store.get(item_id)
    assert found is not None, item_id
    return found.item, found.text, found.body


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.md")}


@pytest.mark.vfcc("REQ-PORTABLE")
def test_user_memory_comes_to_another_machine_byte_for_byte(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    files = {
        "user/items/fact/crlf.md": CRLF,
        "user/items/preference/short.md": item("short", "key: style", "uses: {count: 3, last: 2026-11-20}"),
        "user/items/goal/old.md": item("old", "status: archived", "links: [{to: short, relation: caused_by}]"),
        "user/decisions/no-front-matter.md": "# Just text\n",
        "user/items/odd/Größe.md": "no id\n",
    }
    write_tree(user_home(), files)
    (tmp_path / "mine.jsonl").write_text(export_memory(None, ["user"]).text, encoding="utf-8", newline="")
    before = files_of(user_home())

    machine(monkeypatch, tmp_path / "second")
    done = take(None, tmp_path / "mine.jsonl")

    assert set(fates(done)) == {"added"}
    assert files_of(user_home()) == before
    assert set(fates(take(None, tmp_path / "mine.jsonl"))) == {"unchanged"}


@pytest.mark.vfcc("REQ-PORTABLE")
@given(body=st.text(st.characters(exclude_categories=["Cs"]), max_size=60), crlf=st.booleans())
@settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_a_text_holds_export_and_import_keep_it(
    body: str, crlf: bool, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("any")
    machine(monkeypatch, folder / "one")
    text = item("any", text=body)
    text = text.replace("\n", "\r\n") if crlf else text
    write_tree(user_home(), {"user/items/fact/any.md": text.encode()})
    before = files_of(user_home())
    (folder / "x.jsonl").write_bytes(export_memory(None).text.encode())

    machine(monkeypatch, folder / "two")
    take(None, folder / "x.jsonl")

    assert files_of(user_home()) == before


def test_lines_stand_by_scope_and_id_and_can_be_read(tmp_path: Path) -> None:
    here = project(tmp_path / "p", {f"project/items/fact/{name}.md": item(name) for name in ("b", "a")})
    write_tree(user_home(), {"user/items/fact/z.md": item("z")})

    found = export_memory(here, ["user", "project"])
    lines = [json.loads(line) for line in found.text.splitlines()]

    assert [(each["scope"], each["id"]) for each in lines] == [("project", "a"), ("project", "b"), ("user", "z")]
    assert lines[0] == {
        "scope": "project",
        "id": "a",
        "path": ".memory/project/items/fact/a.md",
        "type": "fact",
        "title": "a",
        "status": "active",
        "importance": "0.5",
        "confidence": "0.8",
        "source": "explicit",
        "trust": "human",
        "text": item("a"),
    }
    assert found.counts == {"project": 2, "user": 1}


def test_types_can_be_chosen_and_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    here = project(
        tmp_path / "p",
        {
            "project/items/fact/a.md": item("a"),
            "project/items/insight/b.md": item("b", kind="insight"),
            "project/items/fact/bad.md": b"\xff",
        },
    )

    found = export_memory(here, (), ["insight"])

    assert [json.loads(line)["id"] for line in found.text.splitlines()] == ["b"]
    assert ["bad.md" in each for each in found.problems] == [True]


def test_all_is_every_scope_that_is_open_here(tmp_path: Path) -> None:
    here = project(tmp_path / "p", {"agent/coder/a.md": item("a"), "project/items/fact/b.md": item("b")})
    write_tree(user_home(), {"user/items/fact/z.md": item("z")})

    assert export_memory(here, everything=True).counts == {"agent/coder": 1, "project": 1, "user": 1}


def test_broken_lines_are_told_with_their_numbers_and_nothing_is_imported(tmp_path: Path) -> None:
    here = project(tmp_path / "p")
    path = tmp_path / "x.jsonl"
    lines = ['{"content": "good"}', "{", '"text"', '{"content": ""}', '{"content": "x", "type": "fcat"}', ""]
    path.write_text("\n".join(lines), encoding="utf-8")

    with pytest.raises(FormatError) as told:
        take(here, path)

    assert [line.partition(": ")[0] for line in told.value.message.splitlines()] == [
        *(f"{path}:{number}" for number in (2, 3, 4, 5)),
        "nothing was imported",
    ]
    assert "did you mean fact?" in told.value.message
    assert not list(here.memory.rglob("*.md"))
    done = take(here, path, skip_broken=True)
    assert (fates(done), len(done.problems)) == (["added"], 4)


@pytest.mark.parametrize(
    "member",
    [
        {"scope": "../elsewhere"},
        {"scope": "task/t1"},
        {"path": 3},
        {"id": "another"},
        {"text": "\ud800"},
        {"path": ".memory/project/../../x.md", "id": "x/../y"},
    ],
    ids=["scope", "task", "path", "id", "surrogate", "outside"],
)
def test_a_line_of_ours_that_was_bent_is_told(tmp_path: Path, member: dict[str, object]) -> None:
    here = project(tmp_path / "p", {"project/items/fact/a.md": item("a")})
    (line,) = export_memory(here).text.splitlines()
    path = rows(tmp_path, {**json.loads(line), "id": "a", **member})
    other = project(tmp_path / "q")

    with pytest.raises(FormatError, match=r"rows\.jsonl:1: "):
        take(other, path)
    assert not list(other.root.rglob("*.md"))


def test_a_path_that_leaves_its_scope_is_not_followed(tmp_path: Path) -> None:
    here = project(tmp_path / "p", {"project/items/fact/a.md": item("a")})
    (line,) = export_memory(here).text.splitlines()
    for number, path in enumerate(("../../../x.md", "/tmp/x.md", ".memory/project/../../x.md", "user/../x.md")):
        other = project(tmp_path / f"q{number}")
        take(other, rows(tmp_path, {**json.loads(line), "path": path}))
        assert [each.relative_to(other.root).as_posix() for each in other.root.rglob("*.md")] == [
            ".memory/project/items/fact/a.md"
        ]
    assert not list(tmp_path.glob("*.md"))


def test_an_item_that_differs_is_a_conflict_and_replace_takes_what_comes(tmp_path: Path) -> None:
    here = project(tmp_path / "p", {"project/items/fact/a.md": item("a", text="Theirs.")})
    (tmp_path / "x.jsonl").write_text(export_memory(here).text, encoding="utf-8")
    write_memory(here.root, {"project/items/fact/a.md": item("a", text="Mine.")})

    done = take(here, tmp_path / "x.jsonl")
    assert (fates(done), the_text(here, "project", "a")[2].strip()) == (["conflict"], "Mine.")
    with pytest.raises(NotAllowed):
        take(here, tmp_path / "x.jsonl", AGENT, replace=True)
    assert fates(take(here, tmp_path / "x.jsonl", replace=True)) == ["replaced"]
    assert the_text(here, "project", "a")[1] == item("a", text="Theirs.")


def test_two_lines_of_one_id_that_differ_are_told_and_equal_ones_are_one(tmp_path: Path) -> None:
    here = project(tmp_path / "p")
    one, two = {"id": "x", "content": "One."}, {"id": "X", "content": "Two."}

    assert fates(take(here, rows(tmp_path, one, one))) == ["added"]
    with pytest.raises(FormatError, match=r"rows\.jsonl:2: X comes twice, and differs from .*rows\.jsonl:1"):
        take(here, rows(tmp_path, one, two))


def test_a_dry_run_says_the_same_and_writes_nothing(tmp_path: Path) -> None:
    here = project(tmp_path / "p", {"project/items/fact/a.md": item("a")})
    before = files_of(here.memory)
    path = rows(tmp_path, {"content": "New."}, {"content": "A preference.", "category": "preference"})

    planned = import_memory(
        here, str(path), MemoryImportOptions(dry_run=True), actor=YOU, confirm=no_question, today="2026-11-21"
    )

    assert files_of(here.memory) == before
    assert not user_home().exists() or not list(user_home().rglob("*.md"))
    assert [(each.outcome, each.id) for each in take(here, path).items] == [
        (each.outcome, each.id) for each in planned.items
    ]


@pytest.mark.parametrize(("actor", "trust"), [(AGENT, Trust.AGENT), ("ci", Trust.TOOL)])
def test_what_no_person_imports_waits_for_one(tmp_path: Path, actor: str, trust: Trust) -> None:
    here = project(tmp_path / "p", {"project/items/fact/a.md": item("a"), "agent/coder/b.md": item("b")})
    (tmp_path / "x.jsonl").write_text(export_memory(here, ["project", "agent/coder"]).text, encoding="utf-8")
    other = project(tmp_path / "q", {"agent/coder/prompt.md": "Be brief.\n"})

    done = import_memory(
        other, str(tmp_path / "x.jsonl"), MemoryImportOptions(), actor=actor, confirm=no_question, today="2026-11-21"
    )

    assert sorted(fates(done)) == ["added", "proposed"]
    found = the_item(other, "project", "a")
    assert (found.status, found.trust) == (Status.PENDING, trust)
    assert the_item(other, "agent/coder", "b").status is Status.ACTIVE
    assert set(fates(take(other, tmp_path / "x.jsonl", actor))) == {"unchanged"}


@pytest.mark.parametrize("status", ["active", "pending", "archived"])
@pytest.mark.parametrize("scope", ["project", "user", "agent/coder"])
def test_no_import_vouches_for_more_than_who_imports(tmp_path: Path, scope: str, status: str) -> None:
    here = project(tmp_path / "p", {"agent/coder/prompt.md": "Be brief.\n"})
    lines = f"id: a\ntype: pattern\nstatus: {status}\ntrust: human\nsource: {{actor: 'human:You', by: hand}}"
    path, text = f"{folder_of(scope)}/items/pattern/a.md", f"---\n{lines}\n---\nSaid.\n"
    take(here, rows(tmp_path, {"scope": scope, "id": "a", "path": path, "text": text}), AGENT)

    found, source, _ = the_text(here, scope, "a")
    assert (found.trust, found.source.actor) == (Trust.AGENT, AGENT)
    assert found.status == ("pending" if status == "active" and scope != "agent/coder" else status)
    assert "by: hand" in source
    again = rows(tmp_path, {"scope": scope, "id": "a", "path": path, "text": text})
    assert fates(take(here, again, AGENT)) == ["unchanged"]


def test_a_proposal_that_a_person_has_accepted_is_not_proposed_again(tmp_path: Path) -> None:
    here = project(tmp_path / "p")
    path = rows(tmp_path, {"id": "x", "content": "Said."})
    take(here, path, AGENT)
    file = here.memory / "project/items/fact/x.md"
    file.write_text(file.read_text(encoding="utf-8").replace("status: pending", "status: active"), encoding="utf-8")

    assert fates(take(here, path, AGENT)) == ["unchanged"]


def test_preferences_are_asked_about_once_and_a_no_leaves_all_as_it_was(tmp_path: Path) -> None:
    path = rows(tmp_path, *({"category": "preference", "content": f"Prefers {n}."} for n in range(3)))
    asked: list[int] = []

    def no(coming: Sequence[IncomingItem]) -> None:
        asked.append(len(coming))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_memory(None, str(path), MemoryImportOptions(), actor=YOU, confirm=no, today="2026-11-21")
    assert asked == [3]
    assert not list(user_home().rglob("*.md"))
    take(None, path)
    assert (
        fates(import_memory(None, str(path), MemoryImportOptions(), actor=YOU, confirm=no_question, today="2026-11-21"))
        == ["unchanged"] * 3
    )


PERSON_ROW = {
    "id": "3f0c2d6e-55c7-4a33-9a63-0d5f0a1c9f11",
    "user_id": "u-1",
    "category": "business_fact",
    "key": "company_type",
    "content": "Works at a B2B SaaS company",
    "importance": 0.7,
    "confidence": 0.85,
    "source_type": "extracted",
    "source_project_id": "shop",
    "last_referenced_at": "2025-02-01T10:00:00Z",
    "reference_count": 4,
    "created_at": "2025-01-29T08:00:00Z",
    "updated_at": "2025-01-30T08:00:00Z",
}


@pytest.mark.vfcc("REQ-IMPORT-OLD")
def test_a_row_of_the_two_layer_store_keeps_all_that_it_says(tmp_path: Path) -> None:
    done = take(None, rows(tmp_path, PERSON_ROW))
    found, text, body = the_text(None, "user", str(PERSON_ROW["id"]))

    assert fates(done) == ["added"]
    assert (found.type, found.key, found.scope, body.strip()) == (
        "business_fact",
        "company_type",
        "user",
        PERSON_ROW["content"],
    )
    assert (found.importance, found.confidence, found.uses.count, found.uses.last) == (
        700,
        850,
        4,
        PERSON_ROW["last_referenced_at"],
    )
    assert (found.created, found.updated) == (PERSON_ROW["created_at"], PERSON_ROW["updated_at"])
    assert (found.source.kind, found.source.project) == (SourceKind.IMPORTED, "shop")
    assert "imported: {user_id: u-1, source_type: extracted}" in text
    assert fates(take(None, rows(tmp_path, PERSON_ROW))) == ["unchanged"]


@pytest.mark.vfcc("REQ-IMPORT-OLD")
def test_missing_fields_get_the_defaults_of_their_type(tmp_path: Path) -> None:
    take(None, rows(tmp_path, {"category": "preference", "key": "format", "content": "Prefers bullet points"}))
    with open_store(None, "user") as store:
        (found,) = store.items()

    assert (found.importance, found.confidence, found.status, found.uses.count) == (900, 800, Status.ACTIVE, 0)
    assert (found.created, found.links, found.key) == (None, (), "format")


@pytest.mark.vfcc("REQ-IMPORT-OLD")
def test_a_block_of_a_project_has_its_semantic_type(tmp_path: Path) -> None:
    here = project(tmp_path / "p")
    take(here, rows(tmp_path, {"id": "b1", "semantic_type": "assumption", "content": "Three weeks.", "state": "open"}))
    found, text, _ = the_text(here, "project", "b1")

    assert (found.type, found.path) == ("assumption", ".memory/project/items/assumption/b1.md")
    assert "imported: {state: open}" in text


CONTEXT_ROWS: tuple[tuple[str, str, object, str, str, dict[str, str]], ...] = (
    (
        "decision", "project/shop", {"decision": "Use SQLite."}, "project",
        "Use SQLite.", {},
    ),
    (
        "convention", "project/shop", {"convention": "Four spaces.", "scope": "python"}, "project",
        "Four spaces.", {"scope": "python"},
    ),
    (
        "failure", "project/shop", {"failure": {"code": "TIMEOUT"}, "lesson": "Wait longer."}, "project",
        "Wait longer.", {"code": "TIMEOUT"},
    ),
    ("preference", "global", {"preference": "Brief.", "category": "style"}, "user", "Brief.", {"category": "style"}),
    ("pattern", "global", {"pattern": "Explain it.", "domain": "ros"}, "user", "Explain it.", {"domain": "ros"}),
    ("tool_output", "task/t1", {"tool": "pytest", "output": "3 passed"}, "project", "3 passed", {"tool": "pytest"}),
)  # fmt: skip


@pytest.mark.vfcc("REQ-IMPORT-OLD")
@pytest.mark.parametrize(
    ("kind", "source", "payload", "scope", "body", "details"), CONTEXT_ROWS, ids=[each[0] for each in CONTEXT_ROWS]
)
def test_a_context_item_of_the_tiered_store_is_read(
    tmp_path: Path, kind: str, source: str, payload: object, scope: str, body: str, details: dict[str, str]
) -> None:
    here = project(tmp_path / "p")
    row = {
        "context_item_id": f"{kind}-1",
        "kind": kind,
        "source": source,
        "timestamp": "2025-03-01T10:00:00",
        "tags": [scope, kind],
        "importance": 0.85,
        "token_cost": 7,
        "payload": payload,
    }

    take(here, rows(tmp_path, row))
    found, text, said = the_text(here, scope, f"{kind}-1")

    assert (found.type, said.strip(), dict(found.details)) == (kind, body, details)
    assert found.tags == tuple(dict.fromkeys((scope, kind, *details.values())))
    assert (found.importance, found.created, found.tokens) == (850, "2025-03-01T10:00:00", 7)
    assert f"source: {source}" in text
    assert fates(take(here, rows(tmp_path, row))) == ["unchanged"]


@pytest.mark.vfcc("REQ-IMPORT-OLD")
@pytest.mark.parametrize("name", ["content", "text", "memory"])
def test_whatever_has_a_text_is_read_and_unknown_keys_are_kept(tmp_path: Path, name: str) -> None:
    here = project(tmp_path / "p")
    row = {name: "The client is in Oslo.", "hash": "1f", "metadata": {"a: b": [1, 2.5, None, True], "日": "x\ny"}}
    take(here, rows(tmp_path, row))
    with open_store(here, "project") as store:
        (found,) = store.list_all()

    assert (found.item.type, found.body.strip()) == ("fact", "The client is in Oslo.")
    assert (found.item.trust, found.item.title) == (Trust.EXTERNAL, "The client is in Oslo.")
    import yaml

    head = yaml.safe_load(found.text.split("---\n")[1])
    assert head["imported"] == {"hash": "1f", "metadata": row["metadata"]}


def test_a_type_that_is_none_of_ours_can_be_given_one(tmp_path: Path) -> None:
    here = project(tmp_path / "p")
    path = rows(tmp_path, {"id": "m", "memory": "Likes tea.", "category": "misc"})

    assert fates(take(here, path, type="insight")) == ["added"]
    found, text, _ = the_text(here, "project", "m")
    assert found.type == "insight"
    assert "imported: {category: misc}" in text


def test_a_key_that_is_active_already_is_a_conflict(tmp_path: Path) -> None:
    here = project(tmp_path / "p", {"project/items/fact/a.md": item("a", "key: client")})

    done = take(here, rows(tmp_path, {"type": "fact", "key": "client", "content": "Another."}))

    assert fates(done) == ["conflict"]
    assert done.items[0].why == "a is there already with its key"


def test_stdin_and_an_array_of_objects_do_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = project(tmp_path / "p")
    data = json.dumps([{"id": "x", "content": "One."}, {"id": "y", "content": "Two."}], indent=1).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    assert [(each.id, str(each.outcome)) for each in take(here, "-").items] == [("x", "added"), ("y", "added")]
    with pytest.raises(UsageError, match="Markdown is imported from files"):
        take(here, "-", format="markdown")


def test_a_row_goes_where_it_is_told_to(tmp_path: Path) -> None:
    here = project(tmp_path / "p")
    take(here, rows(tmp_path, PERSON_ROW), scope="project")

    assert the_item(here, "project", str(PERSON_ROW["id"])).path.startswith(".memory/project/items/business_fact/")


@pytest.mark.vfcc("REQ-PENDING")
@pytest.mark.parametrize("was", ["", "archived: {on: 2026-11-01, why: ended, was: active}\n"])
def test_an_archived_item_that_would_replace_another_waits_where_no_person_imports_it(tmp_path: Path, was: str) -> None:
    here = project(tmp_path / "p", {"project/items/fact/old.md": item("old")})
    text = f"---\nid: new\ntype: fact\nstatus: archived\n{was}links: [{{to: old, relation: supersedes}}]\n---\nSo.\n"
    path = ".memory/project/items/fact/new.md"

    assert fates(take(here, rows(tmp_path, {"scope": "project", "id": "new", "path": path, "text": text}), AGENT)) == [
        "proposed"
    ]

    assert the_item(here, "project", "new").status is Status.PENDING
    with open_store(here, "project") as store:
        assert superseded(store.items()).found == {}
