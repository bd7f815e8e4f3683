"""Items about code that changed or went: which are stale, why, and what a prompt makes of them."""

import os
from pathlib import Path

import pytest

from tests.prompt_world import ask, keys, person, skipped
from tests.trees import commit, git, repository, write_memory, write_tree
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.files.project_content import project_content
from verifflowcc.base.git.git_snapshot import add_committed
from verifflowcc.base.model.entries import Fate, Question
from verifflowcc.base.model.item_values import Item, Ref
from verifflowcc.base.model.layers import Layer
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.memory_checking import check_memory
from verifflowcc.code.store import code_files as code_reader
from verifflowcc.code.store.code_files import CodeIndex
from verifflowcc.items.store.item_edits import parse_item
from verifflowcc.memory.rules.turns import Conversation, Speaker, Turn
from verifflowcc.memory.use.code_refs import renewed_refs, stale_items
from verifflowcc.memory.use.ingesting import ingest
from verifflowcc.memory.use.item_scope import identity_of
from verifflowcc.memory.use.stores import open_store
from verifflowcc.prompt.use import prompt_use as prompt_cache
from verifflowcc.prompt.use.prompt_use import compile_context, compile_prompt_only
from verifflowcc.trace.use.trace_code import read_code

pytestmark = pytest.mark.vfcc("REQ-STALE-REFS")

SEARCH = """\
LIMIT = 3


class Index:
    def query(self, text):
        return text[:LIMIT]

    def build(self):
        return 1
"""
FACT = "project/items/fact"
KEY = "items/fact/found.md"
WITHHOLD = "memory: {stale: withhold}\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    person(tmp_path, monkeypatch)
    root = write_memory(tmp_path / "project", {"config.yaml": "format: 1\n", "agent/coder/prompt.md": "You write.\n"})
    write_tree(root, {"src/search.py": SEARCH, "logo.bin": b"\0\r\n\1", "settings.toml": "[db]\nlimit = 3\n"})
    repository(root)
    return Workspace(root)


def now(here: Workspace, *places: str) -> str:
    """Return the line `refs` of an item that speaks of places, with the digests of today."""
    named = [Ref(path, symbol or None) for path, _, symbol in (place.partition(":") for place in places)]
    shown = (
        "{" + ", ".join(f"{name}: {value}" for name, value in zip(Ref.__slots__, each, strict=True) if value) + "}"
        for each in ((ref.path, ref.symbol, ref.digest) for ref in renewed_refs(here, named))
    )
    return f"refs: [{', '.join(shown)}]"


def remember(here: Workspace, *lines: str, name: str = "found", kind: str = "fact") -> Item:
    """Write an item with further lines of front matter and return it."""
    text = "".join(f"{line}\n" for line in (f"id: {name}", f"type: {kind}", *lines))
    path = f".memory/project/items/{kind}/{name}.md"
    write_tree(here.root, {path: f"---\n{text}---\nQueries are short.\n"})
    return parse_item(path, (here.root / path).read_bytes()).item


def why(here: Workspace, item: Item) -> str:
    return stale_items(here, [item]).get(item.path, "")


def change(here: Workspace, old: str, new: str, path: str = "src/search.py") -> None:
    file = here.root / path
    file.write_bytes(file.read_bytes().replace(old.encode(), new.encode()))


def test_an_item_whose_code_is_as_it_was_is_not_stale(here: Workspace) -> None:
    places = ("src/search.py", "src/search.py:Index.query", "src/search.py:query", "src/search.py:LIMIT", "src/")
    item = remember(here, now(here, *places, "logo.bin", "settings.toml:limit", "./src//search.py"))

    assert [bool(ref.digest) for ref in item.refs] == [True, True, True, True, False, True, True, True]
    assert stale_items(here, [item]) == {}


def test_a_file_that_changed_or_went_makes_an_item_stale(here: Workspace) -> None:
    item = remember(here, now(here, "src/search.py"))
    change(here, "LIMIT = 3", "LIMIT = 4")
    assert why(here, item) == "src/search.py changed since"

    (here.root / "src/search.py").unlink()
    assert why(here, item) == "src/search.py is gone"
    (here.root / "src").rmdir()
    assert why(here, item) == "src/search.py is gone"


def test_of_a_symbol_its_own_text_counts_alone(here: Workspace) -> None:
    item, other = (remember(here, now(here, f"src/search.py:Index.{name}"), name=name) for name in ("query", "build"))
    change(here, "return 1", "return 2")
    change(here, "class Index", "# moved down\n\nclass Index")

    assert stale_items(here, [item, other]) == {other.path: "Index.build in src/search.py changed since"}


def test_a_symbol_that_was_renamed_is_gone(here: Workspace) -> None:
    item, bare = remember(here, now(here, "src/search.py:Index.query")), "refs: [{path: src/search.py, symbol: query}]"
    change(here, "def query", "def find")

    assert why(here, item) == "Index.query is gone from src/search.py"
    assert why(here, remember(here, bare, name="bare")) == "query is not in src/search.py"


def test_a_constant_and_a_key_of_no_known_language_are_judged_by_their_file(here: Workspace) -> None:
    item = remember(here, now(here, "src/search.py:LIMIT", "settings.toml:db.limit"))
    change(here, "limit = 3", "limit = 4", "settings.toml")
    assert why(here, item) == "settings.toml changed since"
    change(here, "limit = 4", "size = 4", "settings.toml")
    change(here, "LIMIT", "MOST")
    assert why(here, item) == "LIMIT is gone from src/search.py, and 1 more"


def test_without_a_digest_an_item_is_stale_only_where_its_code_is_not_there(here: Workspace) -> None:
    item = remember(here, "refs: [src/search.py, {path: src/search.py, symbol: Index.query}]")
    change(here, "[:LIMIT]", "")
    assert why(here, item) == ""

    assert why(here, remember(here, "refs: [src/gone.py]")) == "src/gone.py is not there"
    extracted = remember(here, "refs: [src/gone.py]", "source: {kind: extracted}")
    assert why(here, extracted) == "", "it was read out of a conversation, and nobody ever saw it"


def test_line_ends_change_nothing_in_a_text_and_everything_in_a_binary_file(here: Workspace) -> None:
    item = remember(here, now(here, "src/search.py", "src/search.py:Index.query"))
    image = remember(here, now(here, "logo.bin"), name="image")
    change(here, "\n", "\r\n")
    assert stale_items(here, [item, image]) == {}

    (here.root / "logo.bin").write_bytes(b"\0\n\1")
    assert stale_items(here, [item, image]) == {image.path: "logo.bin changed since"}


def test_an_older_digest_of_the_whole_file_holds_as_long_as_the_file_does(here: Workspace) -> None:
    whole = project_content(here.root, None)["src/search.py"]
    item = remember(here, f"refs: [{{path: src/search.py, symbol: Index.query, digest: {whole}}}]")
    assert why(here, item) == ""
    change(here, "[:LIMIT]", "")
    assert why(here, item) == "Index.query in src/search.py changed since"


def test_of_a_huge_file_the_whole_counts(here: Workspace) -> None:
    padding = "# " + "x" * 2**20 + "\n"
    write_tree(here.root, {"src/huge.py": padding + SEARCH})
    item = remember(here, now(here, "src/huge.py:Index.query"))
    assert why(here, item) == ""
    change(here, "[:LIMIT]", "", "src/huge.py")
    assert why(here, item) == "src/huge.py changed since"


def test_nothing_outside_is_read_and_no_link_is_followed(here: Workspace, tmp_path: Path) -> None:
    secret = write_tree(tmp_path, {"outside/a.py": SEARCH}) / "outside"
    (here.root / "src/link.py").symlink_to(secret / "a.py")
    (here.root / "lib").symlink_to(secret)
    os.mkfifo(here.root / "pipe")
    item = remember(here, now(here, "src/link.py"), name="link")
    hostile = ("../outside/a.py", str(secret / "a.py"), "lib/a.py", ".git/HEAD", '"src/\\u202ea.py"', "x://y", "a/../b")
    named = ", ".join(f"{{path: {path}, digest: sha256:0}}" for path in hostile)
    apart = remember(here, f"refs: [{named}, {{path: pipe, digest: sha256:0}}, {{path: '{'a' * 5_000}'}}]")
    (secret / "a.py").write_text("changed = 1\n", encoding="utf-8")

    found = stale_items(here, [item, apart])

    assert set(found) == {apart.path}
    deep = remember(here, f"refs: [{{path: '{'a/' * 1_500}b'}}]", name="deep")
    assert why(here, deep).endswith("is not there")
    assert found[apart.path].startswith("aaaa")
    assert found[apart.path].endswith("a is not there")
    (here.root / "src/link.py").unlink()
    (here.root / "src/link.py").symlink_to(secret / "b.py")
    assert why(here, item) == "src/link.py changed since"


def test_a_persons_item_is_judged_by_the_project_that_it_comes_from(here: Workspace) -> None:
    def theirs(*lines: str) -> Item:
        head = "".join(f"{line}\n" for line in lines)
        return parse_item("user/items/fact/a.md", f"---\nid: a\n{head}---\nSaid.\n".encode()).item

    gone = "refs: [src/gone.py]"
    mine = f"source: {{kind: explicit, project: '{identity_of(here).text}'}}"
    assert stale_items(here, [theirs(gone, mine)]) == {"user/items/fact/a.md": "src/gone.py is not there"}
    assert stale_items(here, [theirs(gone), theirs(gone, "source: {kind: explicit, project: other@0123}")]) == {}


def test_unchanged_files_are_answered_from_what_is_known(here: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", -(10**12))
    item = remember(here, now(here, "src/search.py", "src/search.py:Index.query"))
    other = remember(here, now(here, "logo.bin"), name="other")
    for each in (item, other):
        assert why(here, each) == ""

    def read(*_: object) -> None:
        raise AssertionError("a file was read")

    monkeypatch.setattr("verifflowcc.base.files.project_content.digest_file", read)
    monkeypatch.setattr(code_reader, "digest_file", read)
    assert stale_items(here, [item, other]) == {}
    assert stale_items(here, [remember(here, name="plain")]) == {}


def test_the_traces_facts_of_other_files_stay_in_the_index(here: Workspace) -> None:
    item = remember(here, now(here, "src/search.py:Index.query"))
    index = here.local / "index.db"
    others = {(f"sha256:{number}", "x"): "" for number in range(1_500)}
    with CodeIndex(index) as kept:
        kept.learn(others, others)
    change(here, "[:LIMIT]", "")

    assert why(here, item)
    with CodeIndex(index) as kept:
        assert kept.known(others) == others


@pytest.mark.parametrize("damage", [b"", b"noise", None])
def test_what_is_kept_can_be_lost(here: Workspace, damage: bytes | None) -> None:
    item = remember(here, now(here, "src/search.py:Index.query"))
    change(here, "[:LIMIT]", "")
    before = why(here, item)
    for name in ("refs.json", "index.db"):
        if damage is None:
            (here.local / name).unlink(missing_ok=True)
        else:
            write_tree(here.local, {name: damage})

    assert why(here, item) == before == "Index.query in src/search.py changed since"


def test_symbols_are_those_of_the_trace(here: Workspace) -> None:
    (ref,) = renewed_refs(here, [Ref("src/search.py", "Index.query")])
    from verifflowcc.base.model.trace_codes import DEFAULT_POLICY
    from verifflowcc.base.model.trace_values import TraceItem

    item = TraceItem("REQ-a", "requirement", "It", "x", "It.", "0" * 20, refs=(ref,))
    (file,) = read_code(here, project_content(here.root, None), DEFAULT_POLICY, [item])
    assert ref.digest in {each.digest for each in file.symbols if each.name == "Index.query"}


def test_a_prompt_says_what_is_stale_beside_its_source(here: Workspace) -> None:
    remember(here, now(here, "src/search.py:Index.query"))
    assert "stale:" not in ask(here.root).text
    change(here, "[:LIMIT]", "")

    package = ask(here.root)

    assert "\n- (stale: Index.query in src/search.py changed since) " in package.text
    (one,) = [each for each in package.placed if each.candidate.key == KEY]
    assert (one.outcome, one.candidate.stale) == (Fate.KEPT, "Index.query in src/search.py changed since")


def test_a_setting_withholds_what_is_stale(here: Workspace) -> None:
    write_memory(here.root, {"config.yaml": WITHHOLD})
    remember(here, now(here, "src/search.py"))
    remember(here, name="other")
    assert set(keys(ask(here.root), Layer.PROJECT)) == {KEY, "items/fact/other.md"}
    change(here, "[:LIMIT]", "")

    package = ask(here.root)

    assert keys(package, Layer.PROJECT) == ["items/fact/other.md"]
    assert skipped(package)[KEY] == "stale: src/search.py changed since (memory.stale: withhold)"
    everything = ask(here.root, with_past=True)
    assert "\n- (stale: src/search.py changed since) " in everything.text
    assert KEY in keys(ask(here.root, as_of="2026-11-21"), Layer.PROJECT), "the code is that of the present"


def test_what_stands_in_the_trace_is_marked_and_never_withheld(here: Workspace) -> None:
    strategy = "loading_strategy: {project: {conditional_load: ['items/requirement/*.md'], max_tokens: 5000}}\n"
    write_memory(here.root, {"config.yaml": WITHHOLD + strategy})
    remember(here, now(here, "src/search.py"), name="REQ-a", kind="requirement")
    change(here, "[:LIMIT]", "")

    assert "\n- (stale: src/search.py changed since) " in ask(here.root).text


def test_what_holds_no_more_is_not_called_stale(here: Workspace) -> None:
    remember(here, now(here, "src/search.py"), "status: archived")
    change(here, "[:LIMIT]", "")

    (one,) = [each for each in ask(here.root, with_past=True).placed if each.candidate.key == KEY]
    assert (one.candidate.invalid_reason, one.candidate.stale) == ("archived", "")


def test_a_kept_prompt_is_not_served_once_the_code_has_changed(
    here: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", -(10**12))
    question = Question("coder")
    remember(here, now(here, "src/search.py"), "refs_too: 1")
    remember(here, "refs: [src/later.py]", name="later")

    def served() -> str:
        kept = prompt_cache.recall(here, question)
        assert kept is not None
        assert kept.text == compile_context(here, question).text
        return kept.text

    first = compile_prompt_only(here, question).text
    assert served() == first
    write_tree(here.root, {"README.md": "Nobody speaks of this.\n"})
    assert served() == first

    change(here, "LIMIT = 3", "LIMIT = 400")
    assert prompt_cache.recall(here, question) is None
    assert "stale: src/search.py changed since" in compile_prompt_only(here, question).text
    served()
    write_tree(here.root, {"src/later.py": "x = 1\n"})
    assert prompt_cache.recall(here, question) is None
    assert "src/later.py is not there" not in compile_prompt_only(here, question).text


def test_the_digest_of_the_code_is_among_the_inputs(here: Workspace) -> None:
    remember(here)
    assert "code" not in ask(here.root).inputs
    remember(here, now(here, "src/search.py"))
    before = ask(here.root).inputs["code"]
    write_tree(here.root, {"README.md": "Nobody speaks of this.\n"})
    assert ask(here.root).inputs["code"] == before
    change(here, "[:LIMIT]", "")
    assert ask(here.root).inputs["code"] != before


@pytest.mark.sweep
def test_a_prompt_of_a_commit_is_judged_by_the_code_of_that_commit(here: Workspace, tmp_path: Path) -> None:
    (here.root / "lib").symlink_to("src")
    remember(here, now(here, "src/search.py:Index.query", "src", "lib/search.py", "settings.toml"))
    remember(here, "refs: [{path: src/new.py}, {path: src/search.py/x}]", name="new")
    commit(here.root, "remember")
    first = ask(here.root, committed=True)
    assert "\n- Queries are short.\n" in first.text
    assert "- (stale: src/new.py is not there, and 1 more) " in first.text

    change(here, "[:LIMIT]", "")
    write_tree(here.root, {"src/new.py": "x = 1\n"})
    again = ask(here.root, committed=True)
    assert (again.text, again.inputs) == (first.text, first.inputs)
    assert "stale: Index.query in src/search.py changed since" in ask(here.root).text

    commit(here.root, "change")
    second = ask(here.root, committed=True)
    assert "stale: Index.query in src/search.py changed since" in second.text
    assert "(stale: src/search.py/x is not there) " in second.text
    assert ask(here.root, committed=True, revision="HEAD~1").text == first.text
    git(tmp_path, "clone", "--quiet", str(here.root), "clone")
    clone = ask(tmp_path / "clone", committed=True)
    assert (clone.text, clone.inputs) == (second.text, second.inputs)


def test_in_a_subfolder_of_a_repository_paths_are_those_of_the_project(tmp_path: Path) -> None:
    root = write_memory(tmp_path / "all/part", {"config.yaml": "format: 1\n", "agent/coder/prompt.md": "You write.\n"})
    write_tree(tmp_path / "all", {"part/src/a.py": "x = 1\n", "src/b.py": "x = 1\n"})
    here = Workspace(root)
    remember(here, now(here, "src/a.py"))
    remember(here, "refs: [src/b.py]", name="above")
    repository(tmp_path / "all")

    text = ask(root, committed=True).text
    assert text.count("\n- (stale: ") == 1
    assert "\n- Queries are short.\n" in text
    assert "\n- (stale: src/b.py is not there) Queries are short.\n" in text


def test_the_checks_tell_each_ref_with_its_line(here: Workspace) -> None:
    refs = ("src/search.py:Index.query", "src/search.py:Index.build", "src/search.py", "settings.toml")
    item = remember(here, now(here, *refs))
    change(here, "[:LIMIT]", "")
    change(here, "def build", "def make")
    (here.root / "settings.toml").unlink()

    found = [(each.code, each.line, each.about) for each in check_memory(here).report.findings]

    assert sorted(found) == [
        ("ref-changed", 4, "Index.query in src/search.py"),
        ("ref-changed", 4, "src/search.py"),
        ("ref-gone", 4, "settings.toml"),
        ("ref-symbol-gone", 4, "Index.build in src/search.py"),
    ]
    assert why(here, item) == "Index.query in src/search.py changed since, and 3 more"


def test_what_is_learned_of_code_is_stale_once_that_changes(here: Workspace) -> None:
    turn = Turn("t1", Speaker.PERSON, "We decided to keep `Index.query` in src/search.py free of locks.", "s1")
    ingest(here, [Conversation("chat.txt", (turn,))], actor="human:Ann")
    with open_store(here, "project") as store:
        (item,) = [each for each in store.items() if each.refs]

    assert [(ref.symbol, bool(ref.digest)) for ref in item.refs] == [("Index.query", True)]
    assert why(here, item) == ""
    change(here, "[:LIMIT]", "")
    assert why(here, item) == "Index.query in src/search.py changed since"


def test_of_a_commit_only_what_is_spoken_of_is_written(here: Workspace, tmp_path: Path) -> None:
    write_tree(here.root, {"src/other.py": "x = 1\n", "lib/a.py": "x = 1\n"})
    commit(here.root, "more")
    top = tmp_path / "top"
    top.mkdir()
    add_committed(here.root, top, "HEAD", ["src/search.py", "src/gone.py", "lib"])

    assert sorted(path.relative_to(top).as_posix() for path in top.rglob("*")) == ["lib", "src", "src/search.py"]
    add_committed(here.root, top, "HEAD", ["src/search.py", "lib/a.py"])
    assert (top / "lib/a.py").read_text(encoding="utf-8") == "x = 1\n"
    add_committed(here.root, top, "HEAD", [])
