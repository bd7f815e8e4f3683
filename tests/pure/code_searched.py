"""Code with its words, made of texts: what a ranking and a map are asked of, without an index."""

from collections.abc import Collection, Mapping, Sequence

from verifflowcc.code.rules.grammars import language_of, read_facts
from verifflowcc.code.rules.graph import FileFacts, Head, Import, Mark, Reference, ReferenceKind, SourceFile, chosen
from verifflowcc.code.rules.task_words import FileWords, words_of


class Searched:
    """The facts and the words of some texts, given by path."""

    def __init__(self, texts: Mapping[str, str], marked: Collection[str] = ()) -> None:
        self._texts = {path: texts[path] for path in sorted(texts)}
        self._facts: dict[str, FileFacts] = {
            path: read_facts(language_of(path), text.encode()) for path, text in self._texts.items()
        }
        self._words: dict[str, FileWords] = {
            path: words_of(self._facts[path], text.encode()) for path, text in self._texts.items()
        }
        self._files = {
            path: SourceFile(
                path,
                language_of(path),
                path,
                frozenset({Mark.TEST}) if path in marked else frozenset(),
                lines=len(text.splitlines()),
            )
            for path, text in self._texts.items()
        }

    @property
    def files(self) -> Mapping[str, SourceFile]:
        return self._files

    def head(self, path: str) -> Head:
        facts = self._facts.get(path, FileFacts(""))
        return Head(facts.definitions, facts.imports, facts.typed)

    def heads(self, paths: Collection[str]) -> None:
        pass

    def load_references(self, paths: Collection[str]) -> None:
        pass

    def manifests(self) -> Mapping[str, Sequence[Import]]:
        return {}

    def references(self, path: str, name: str = "", kind: ReferenceKind | None = None) -> Sequence[Reference]:
        return chosen(self._facts[path].references if path in self._facts else (), name, kind)

    def defining(self, name: str) -> Sequence[str]:
        return [path for path, facts in self._facts.items() if name in {each.name for each in facts.definitions}]

    def referring(self, name: str) -> Sequence[str]:
        return [
            path
            for path, facts in self._facts.items()
            if name in {each.name for each in facts.references} | {each.name for each in facts.imports}
        ]

    def importing(self, part: str) -> Sequence[str]:
        return [
            path
            for path, facts in self._facts.items()
            if any(part in (each.name, each.module.replace("/", ".").split(".")[-1]) for each in facts.imports)
        ]

    def postings(self, words: Collection[str]) -> Mapping[str, Sequence[tuple[str, int, int]]]:
        found: dict[str, list[tuple[str, int, int]]] = {}
        for path, each in self._words.items():
            for word in words:
                if word in each.inside:
                    found.setdefault(word, []).append((path, each.inside[word], each.named.get(word, 0)))
        return found

    def lengths(self) -> Mapping[str, int]:
        return {path: each.length for path, each in self._words.items()}

    def imports(self) -> Mapping[str, Sequence[Import]]:
        return {path: facts.imports for path, facts in self._facts.items()}

    def text(self, path: str) -> bytes | None:
        return self._texts[path].encode() if path in self._texts else None
