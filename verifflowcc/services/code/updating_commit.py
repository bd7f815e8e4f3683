"""Bring the code graph up to what a commit holds; the working tree and its stamps have no part in it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from verifflowcc.adapters.clock import step
from verifflowcc.adapters.files.write import shown_name
from verifflowcc.adapters.git.versions import committed_files, committed_texts
from verifflowcc.adapters.index.code_graph import NO_PART, State
from verifflowcc.adapters.index.store import Store
from verifflowcc.adapters.project.content import belongs
from verifflowcc.adapters.project.source_marks import marks_by_name
from verifflowcc.codegraph.languages import known_without_grammar, language_of
from verifflowcc.codegraph.manifests import MANIFEST, manifest_kind
from verifflowcc.codegraph.read import LARGEST
from verifflowcc.services.code.parsing import NO_GRAMMAR, Text
from verifflowcc.services.code.states import Done, joined_names, state_of
from verifflowcc.services.code.updating import Wanted, language_said


def update_to_commit(root: Path, store: Store, commit: str) -> tuple[State, Done]:
    """Bring the index up to a commit. Raises sqlite3.DatabaseError, and as `committed_files`."""
    files = [(name, blob) for name, blob in committed_files(root, commit) if belongs(shown_name(name))]
    wanted = Wanted(store, len(files))
    with step("reading the code of a commit", len(files)) as advance:
        wanted.read(_texts(root, files, wanted), advance)
    state = state_of(joined_names([name for name, _ in files]), wanted.rows)
    return state, Done(wanted.parsed, len(state.numbers) - wanted.parsed, 0)


def _texts(root: Path, files: Sequence[tuple[bytes, str]], wanted: Wanted) -> Iterator[Text]:
    """Yield the texts that are not known; git is asked for those alone, and for those whose bytes tell the language."""
    unknown = []
    for place, (name, blob) in enumerate(files):
        path = shown_name(name)
        said = MANIFEST + kind if (kind := manifest_kind(path)) else language_of(path)
        plain = said if said else (NO_GRAMMAR + known_without_grammar(path)).removesuffix(NO_GRAMMAR)
        if _told_by_bytes(path, said):
            unknown.append((place, ""))
        elif plain and wanted.want(place, name, (blob, plain)):
            unknown.append((place, plain))
    texts = committed_texts(root, [files[place][1] for place, _ in unknown])
    for (place, language), data in zip(unknown, texts, strict=True):
        name, blob = files[place]
        path = shown_name(name)
        said = language or language_said(path, data)
        if said and len(data) > LARGEST:
            wanted.refuse(place, (NO_PART, 0, blob, said, marks_by_name(path), f"it has more than {LARGEST >> 20} MiB"))
        elif language or (said and wanted.want(place, name, (blob, said))):
            yield blob, said, data


def _told_by_bytes(path: str, said: str) -> bool:
    return path.lower().endswith(".h") or (not said and "." not in path.rpartition("/")[2])
