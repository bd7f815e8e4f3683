"""Records of a memory with a life cycle: imported, exported and imported again, they say the same."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.memory_faults import item
from tests.trees import write_memory
from verifflowcc.base.errors import FormatError, UsageError
from verifflowcc.base.model.item_values import Item, Relation, Status
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.lifetimes import last_day
from verifflowcc.memory.rules.superseded import excluded_items
from verifflowcc.memory.use.copying import export_memory
from verifflowcc.memory.use.editing import link_items
from verifflowcc.memory.use.importing import MemoryImportOptions, MemoryImportResult, import_memory
from verifflowcc.memory.use.item_search import ScopedItem
from verifflowcc.memory.use.stores import open_store

YOU, AGENT, TODAY = "human:You", "agent:coder", "2026-11-21"
RELATIONS = ("caused_by", "resolved_by", "supersedes", "contradicts", "depends_on")
TYPES = ("PROJECT_FACT", "FIX", "TASK_STATE", "decision", "INSIGHT")

Record = dict[str, object]
pytestmark = pytest.mark.vfcc("REQ-IMPORT-OLD")


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))


def project(folder: Path, files: dict[str, str | bytes] | None = None) -> Workspace:
    return Workspace(write_memory(folder, {"config.yaml": "format: 1\n", **(files or {})}))


def take(here: Workspace, text: str, actor: str = YOU, today: str = TODAY) -> MemoryImportResult:
    path = here.root / "records.jsonl"
    path.write_text(text, encoding="utf-8")
    return import_memory(here, str(path), MemoryImportOptions(), actor=actor, confirm=lambda _: None, today=today)


def lines(*records: Record) -> str:
    return "".join(f"{json.dumps(each)}\n" for each in records)


def stored(here: Workspace) -> dict[str, StoredItem]:
    with open_store(here, "project") as store:
        return {each.item.id: each for each in store.list_all()}


def items(here: Workspace) -> dict[str, Item]:
    return {name: each.item for name, each in stored(here).items()}


def in_force(here: Workspace) -> set[str]:
    every = list(items(here).values())
    left_out = excluded_items(every).left_out
    return {each.id for each in every if each.path not in left_out}


def exported(here: Workspace) -> dict[str, Record]:
    rows = export_memory(here, ["project"], records=True).text.splitlines()
    return {str(each["id"]): each for each in map(json.loads, rows)}


MYSQL: Record = {
    "id": "mem-1",
    "type": "PROJECT_FACT",
    "content": "The database is MySQL.",
    "scope": "repo:shop",
    "status": "superseded",
    "supersededById": "mem-2",
    "accessCount": 7,
    "lastAccessedAt": "2026-03-01T10:20:30Z",
    "relatedItems": [],
    "createdAt": "2026-01-02T03:04:05Z",
}
POSTGRES: Record = {
    "id": "mem-2",
    "type": "PROJECT_FACT",
    "content": "The database is PostgreSQL.",
    "status": "active",
    "access_count": 3,
    "related_items": [{"id": "mem-3", "relation": "caused_by"}],
    "created_at": 1767323045000,
    "embedding_model": "none",
}
CRASH: Record = {"id": "mem-3", "type": "FIX", "content": "MySQL lost the connection.", "status": "archived"}


def test_superseded_and_archived_records_do_not_become_active(tmp_path: Path) -> None:
    here = project(tmp_path / "p")
    take(here, lines(MYSQL, POSTGRES, CRASH))

    assert in_force(here) == {"mem-2"}
    found = items(here)
    assert found["mem-3"].status is Status.ARCHIVED
    assert [(link.to, str(link.relation)) for link in found["mem-2"].links] == [
        ("mem-3", "caused_by"),
        ("mem-1", "supersedes"),
    ]
    assert (found["mem-1"].uses.count, found["mem-1"].uses.last) == (7, MYSQL["lastAccessedAt"])
    assert (found["mem-1"].created, found["mem-2"].created) == (MYSQL["createdAt"], "2026-01-02T03:04:05Z")
    assert found["mem-1"].type == "fact"


@pytest.mark.parametrize("status", ["superseded", "Superseded", "retired", "archived", "ACTIVE"])
def test_a_record_whose_successor_is_not_in_the_file_is_not_in_force(tmp_path: Path, status: str) -> None:
    here = project(tmp_path / "p")
    take(here, lines({**MYSQL, "status": status}))

    assert in_force(here) == set()
    assert exported(here)["mem-1"]["supersededById"] == "mem-2"
    expected = "superseded" if status == "ACTIVE" else status.lower()
    assert str(exported(here)["mem-1"]["status"]).lower() == expected


def test_a_superseded_record_that_an_agent_imports_is_no_proposal(tmp_path: Path) -> None:
    here = project(tmp_path / "p")
    take(here, lines(MYSQL, POSTGRES), AGENT)

    assert {name: str(each.status) for name, each in items(here).items()} == {"mem-1": "archived", "mem-2": "pending"}
    done = take(here, lines(MYSQL, POSTGRES), AGENT)
    assert [str(each.outcome) for each in done.items] == ["unchanged", "unchanged"]


def test_each_field_that_is_not_understood_is_listed_and_kept(tmp_path: Path) -> None:
    here = project(tmp_path / "p")
    strange = {**CRASH, "relatedItems": [{"id": "mem-1", "relation": "next_to"}], "createdAt": "soon", "status": "odd"}
    done = take(here, lines(POSTGRES, strange))

    assert done.fields == {"createdAt": 1, "embedding_model": 1, "relatedItems": 1, "status": 1}
    again = exported(here)
    assert (again["mem-2"]["embedding_model"], again["mem-3"]["status"]) == ("none", "odd")
    assert items(here)["mem-3"].status is Status.PENDING


def test_links_name_the_items_that_the_import_made(tmp_path: Path) -> None:
    here = project(tmp_path / "p")
    take(
        here, lines({**MYSQL, "id": "mem:1"}, {**POSTGRES, "relatedItems": [{"id": "mem:1", "relation": "supersedes"}]})
    )
    (older,) = set(items(here)) - {"mem-2"}

    assert in_force(here) == {"mem-2"}
    assert older in {link.to for link in items(here)["mem-2"].links}
    assert exported(here)["mem:1"]["supersededById"] == "mem-2"


@pytest.mark.parametrize("created", ["2026-11-01T08:00:00Z", None])
def test_an_imported_task_state_expires(tmp_path: Path, created: str | None) -> None:
    here = project(tmp_path / "p")
    row: Record = {"id": "t", "type": "TASK_STATE", "content": "The login is half done.", "createdAt": created}
    take(here, lines(row))

    assert last_day(items(here)["t"]) == ("2026-11-15" if created else "2026-12-05")
    assert [str(each.outcome) for each in take(here, lines(row), today="2026-11-30").items] == ["unchanged"]


def test_records_that_supersede_each_other_are_refused(tmp_path: Path) -> None:
    here = project(tmp_path / "p")
    rows = lines(MYSQL, {**POSTGRES, "supersededById": "mem-1"})
    with pytest.raises(FormatError, match=r"mem-1 and mem-2 supersede each other"):
        take(here, rows)
    assert items(here) == {}

    take(here, lines({**CRASH, "id": "mem-2", "relatedItems": [{"id": "mem-1", "relation": "supersedes"}]}))
    done = take(here, lines({**CRASH, "id": "mem-1", "relatedItems": [{"id": "mem-2", "relation": "supersedes"}]}))
    assert [(str(each.outcome), each.why) for each in done.items] == [
        ("conflict", "it and mem-2 would supersede each other")
    ]


@pytest.mark.vfcc("REQ-SUPERSEDED")
def test_memory_link_refuses_a_circle_of_supersession(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {f"project/items/fact/{name}.md": item(name) for name in ("a", "b", "c")}
    here = project(tmp_path / "p", files)

    def link(newer: str, older: str) -> None:
        found = {name: ScopedItem("project", each) for name, each in stored(here).items()}
        link_items(here, found[newer], Relation.SUPERSEDES, found[older], actor=YOU)

    link("b", "a")
    link("c", "b")
    for newer, older in (("a", "b"), ("a", "c")):
        with pytest.raises(UsageError, match=rf"{newer} cannot supersede {older}"):
            link(newer, older)
    assert in_force(here) == {"c"}


moments = st.integers(1_577_836_800, 1_793_491_200).map(
    lambda seconds: datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
)
texts = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=30
).filter(str.strip)
unknown = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b c", "9"]), inner, max_size=2),
    max_leaves=4,
)


@st.composite
def stores(draw: st.DrawFn) -> list[Record]:
    """Records whose supersession is a forest: each is replaced by a later one or by none."""
    number = draw(st.integers(1, 5))
    names = [draw(st.sampled_from(["mem-{}", "m:{}", "Mem.{}", "mem {}"])).format(n) for n in range(number)]
    found: list[Record] = []
    for place, name in enumerate(names):
        later = names[place + 1 :]
        newer = draw(st.none() | st.sampled_from(later)) if later else None
        related = draw(st.lists(st.sampled_from(names), max_size=2, unique=True))
        record: Record = {
            "id": name,
            "type": draw(st.sampled_from(TYPES)),
            "content": f"{place} {draw(texts)}",
            "status": "superseded" if newer else draw(st.sampled_from(["active", "archived"])),
            "supersededById": newer,
            "accessCount": draw(st.integers(0, 10**6)),
            "lastAccessedAt": draw(st.none() | moments),
            "createdAt": draw(moments),
            "relatedItems": [
                {"id": each, "relation": draw(st.sampled_from([r for r in RELATIONS if r != "supersedes"]))}
                for each in related
                if each != name
            ],
            "scope": draw(st.sampled_from(["project", "repo:shop", "skill/review"])),
            "myField": draw(unknown),
        }
        snake = draw(st.booleans())
        found.append({_snake(key) if snake else key: value for key, value in record.items()})
    return found


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


SAME = ("status", "superseded_by_id", "access_count", "last_accessed_at", "related_items", "created_at", "scope")


def said(record: Mapping[str, object]) -> dict[str, object]:
    """Return what must survive, with names in snake case and a type in our words."""
    plain = {_snake(name): value for name, value in record.items()}
    kept = {name: plain.get(name) for name in (*SAME, "my_field")}
    return kept | {"type": str(plain["type"]).lower(), "content": str(plain["content"]).strip()}


@given(records=stores())
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_records_imported_and_exported_and_imported_again_say_the_same(
    records: list[Record], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("records")
    first, second = project(folder / "one"), project(folder / "two")
    take(first, lines(*records))
    once = export_memory(first, ["project"], records=True).text
    take(second, once)

    assert export_memory(second, ["project"], records=True).text == once
    assert {name: each.text for name, each in stored(second).items()}.keys() == stored(first).keys()
    assert in_force(second) == in_force(first)
    expected = {str(each["id"]): said(each) for each in records}
    assert {name: said(each) for name, each in exported(first).items()} == expected
