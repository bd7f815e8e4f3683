"""The code of a repository at any of its commits, in memory: each text is read once, however many commits have it."""

import pickle
import subprocess
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from benchmarks.code_commits import git
from verifflowcc.code.rules.grammars import language_of, read_facts
from verifflowcc.code.rules.graph import FileFacts, Head, Import, Mark, Reference, ReferenceKind, SourceFile, chosen
from verifflowcc.code.rules.project_manifests import manifest_kind, read_manifest
from verifflowcc.code.rules.task_words import FileWords, words_of

Marks = Callable[[str, bytes], frozenset[Mark]]


class History:
    """A repository's states. What was read is kept in the file `cache` between runs, where one is given."""

    def __init__(self, repository: Path, marks: Marks, cache: Path | None = None) -> None:
        self._repository, self._marks, self._cache = repository, marks, cache
        self._read: dict[tuple[str, str], tuple[FileFacts, FileWords]] = {}
        self.texts: dict[str, bytes] = {}
        if cache is not None and cache.exists():
            self._read, self.texts = pickle.loads(cache.read_bytes())
        self._known = len(self._read)

    def at(self, commit: str) -> "State":
        """Return the code of a commit."""
        listed = git(self._repository, "ls-tree", "-r", "-z", commit).decode("utf-8", "surrogateescape")
        files, configured = {}, {}
        for entry in filter(None, listed.split("\0")):
            about, path = entry.split("\t", 1)
            mode, _, blob = about.split()
            if mode.startswith("100") and (language := language_of(path)):
                files[path] = (language, blob)
            elif mode.startswith("100") and (kind := manifest_kind(path)):
                configured[path] = (kind, blob)
        self._fetch({blob for _, blob in (*files.values(), *configured.values())})
        manifests = {path: read_manifest(kind, self.texts[blob]) for path, (kind, blob) in sorted(configured.items())}
        for language, blob in files.values():
            if (language, blob) not in self._read:
                facts = read_facts(language, self.texts[blob])
                words = words_of(facts, self.texts[blob])
                self._read[language, blob] = facts, words
        rows = {
            path: SourceFile(path, language, blob, self._marks(path, self.texts[blob][:2000]))
            for path, (language, blob) in sorted(files.items())
        }
        return State(
            rows, {path: self._read[each.language, each.blob] for path, each in rows.items()}, self.texts, manifests
        )

    def save(self) -> None:
        """Keep what was read."""
        if self._cache is not None and len(self._read) > self._known:
            self._cache.write_bytes(pickle.dumps((self._read, self.texts)))

    def _fetch(self, blobs: Collection[str]) -> None:
        wanted = [blob for blob in blobs if blob not in self.texts]
        if not wanted:
            return
        done = subprocess.run(
            ["git", "cat-file", "--batch"],
            cwd=self._repository,
            input="\n".join(wanted).encode(),
            capture_output=True,
            check=True,
        ).stdout
        place = 0
        for blob in wanted:
            end = done.index(b"\n", place)
            size = int(done[place:end].split()[2])
            self.texts[blob] = done[end + 1 : end + 1 + size]
            place = end + 2 + size


class State:
    """The code of one commit; it satisfies `SearchedCode`."""

    def __init__(
        self,
        files: Mapping[str, SourceFile],
        read: Mapping[str, tuple[FileFacts, FileWords]],
        texts: Mapping[str, bytes],
        manifests: Mapping[str, Sequence[Import]],
    ) -> None:
        self._manifests = manifests
        self._files, self._read, self._texts = files, read, texts
        self._heads: dict[str, Head] = {}
        self._lists: dict[str, dict[str, list[str]]] | None = None

    @property
    def files(self) -> Mapping[str, SourceFile]:
        return self._files

    def head(self, path: str) -> Head:
        if path not in self._read:
            return Head()
        if path not in self._heads:
            facts = self._read[path][0]
            self._heads[path] = Head(facts.definitions, facts.imports, facts.typed)
        return self._heads[path]

    def heads(self, paths: Collection[str]) -> None:
        pass

    def load_references(self, paths: Collection[str]) -> None:
        pass

    def manifests(self) -> Mapping[str, Sequence[Import]]:
        return self._manifests

    def references(self, path: str, name: str = "", kind: ReferenceKind | None = None) -> Sequence[Reference]:
        return chosen(self._read[path][0].references if path in self._read else (), name, kind)

    def defining(self, name: str) -> Sequence[str]:
        return self._listed("defining").get(name, ())

    def referring(self, name: str) -> Sequence[str]:
        return self._listed("referring").get(name, ())

    def importing(self, part: str) -> Sequence[str]:
        return self._listed("importing").get(part, ())

    def _listed(self, kind: str) -> dict[str, list[str]]:
        """Name → paths; made at the first question."""
        if self._lists is None:
            self._lists = {"defining": {}, "referring": {}, "importing": {}}
            for path, (facts, _) in self._read.items():
                taken = facts.imports
                names = {
                    "defining": {each.name for each in facts.definitions},
                    "referring": {each.name for each in facts.references}
                    | {name for each in taken for name in (each.name, each.alias)},
                    "importing": {name for each in taken for name in (each.name, last_part(each.module))},
                }
                for each, found in names.items():
                    for name in found:
                        self._lists[each].setdefault(name, []).append(path)
        return self._lists[kind]

    def postings(self, words: Collection[str]) -> Mapping[str, Sequence[tuple[str, int, int]]]:
        found: dict[str, list[tuple[str, int, int]]] = {}
        for path, (_, counted) in self._read.items():
            for word in words if len(words) < len(counted.inside) else counted.inside.keys() & set(words):
                if word in counted.inside:
                    found.setdefault(word, []).append((path, counted.inside[word], counted.named.get(word, 0)))
        return found

    def lengths(self) -> Mapping[str, int]:
        return {path: counted.length for path, (_, counted) in self._read.items()}

    def imports(self) -> Mapping[str, Sequence[Import]]:
        return {path: facts.imports for path, (facts, _) in self._read.items()}

    def text(self, path: str) -> bytes | None:
        return self._texts[self._files[path].blob] if path in self._files else None


def last_part(module: str) -> str:
    """Return the last part of a module's name, without an ending."""
    part = module.replace("\\", "/").replace("::", "/").rsplit("/", 1)[-1]
    parts = [each for each in part.split(".") if each]
    if "/" in module and len(parts) > 1:
        return ".".join(parts[:-1])
    return parts[-1] if parts else ""
