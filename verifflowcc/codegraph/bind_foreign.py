"""Which files an import means in languages other than Python and JavaScript: Go packages, and files by their names."""

from collections import Counter
from posixpath import dirname, normpath

from verifflowcc.codegraph.bind_modules import Modules
from verifflowcc.codegraph.manifests import GO_MODULE, GO_REPLACE
from verifflowcc.domain.graph import Code, Import, SymbolKind

_GO_STANDARD = frozenset(
    "archive bufio builtin bytes cmp compress container context crypto database debug embed encoding errors expvar flag"
    " fmt go hash html image index io iter log maps math mime net os path plugin reflect regexp runtime slices sort"
    " strconv strings structs sync syscall testing text time unicode unique unsafe weak".split()
)
_GO_VOTERS = 40
_RUST_STANDARD = frozenset({"std", "core", "alloc"})
_ABOVE = frozenset({"crate", "self", "super"})
_ENDINGS = {
    "java": (".java",),
    "csharp": (".cs",),
    "php": (".php",),
    "rust": (".rs", "/mod.rs"),
    "ruby": (".rb", ""),
    "c": ("",),
    "bash": ("", ".sh"),
}


class Foreign:
    """Finds the files of imports by the rules of their language."""

    def __init__(self, code: Code, modules: Modules) -> None:
        self._code = code
        self._modules = modules
        self._go_modules: list[tuple[str, str]] | None = None

    def sources(self, path: str, family: str, taken: Import) -> tuple[str, ...]:
        """Return the files, or folders with `/` at their end, that an import means; none where it is outside."""
        if family == "go":
            return self._go(taken.module)
        if family == "c":
            return self._near(path, taken.module.strip('<>"'))
        if family in ("ruby", "bash"):
            return self._by_name(path, family, taken.module)
        if family == "php" and taken.module.endswith((".php", ".inc")):
            return self._required(path, taken.module)
        if family == "csharp" and taken.name == "*" and (found := self._namespace(taken.module)):
            return found
        return self._by_parts(path, family, taken)

    def _required(self, path: str, module: str) -> tuple[str, ...]:
        """Return the file that PHP's `require` names: beside the file, from the root, or by the end of its path."""
        plain = module.removeprefix("/")
        for base in (dirname(path), ""):
            whole = normpath(f"{base}/{plain}" if base else plain)
            if whole in self._code.files:
                return (whole,)
        return self._near(path, plain)

    def _namespace(self, name: str) -> tuple[str, ...]:
        """Return the files that declare a namespace of C#."""
        found = []
        for path in self._code.defining(name):
            if self._code.files[path].language == "csharp":
                definitions = self._code.head(path).definitions
                if any(each.name == name and each.kind is SymbolKind.MODULE for each in definitions):
                    found.append(path)
        return tuple(found)

    def _by_parts(self, path: str, family: str, taken: Import) -> tuple[str, ...]:
        """Return the file that `a.b.C` means: the longest end of it that is a path here."""
        plain = taken.module.replace("::", ".").replace("\\", ".").replace("/", ".").strip(".")
        parts = [each for each in plain.split(".") if each and each not in _ABOVE]
        if not parts or (family == "rust" and parts[0] in _RUST_STANDARD):
            return ()
        least = 1 if family == "rust" else 2
        whole = [*parts, taken.name] if taken.name and taken.name != "*" else parts
        for each in (whole, parts):
            for cut in range(max(len(each) - least, 0) + 1):
                if found := self._by_name(path, family, "/".join(each[cut:])):
                    return found
        return ()

    def _by_name(self, path: str, family: str, stem: str) -> tuple[str, ...]:
        if not stem:
            return ()
        for ending in _ENDINGS.get(family, ("",)):
            if found := self._near(path, stem + ending):
                return found
        return ()

    def _near(self, path: str, ending: str) -> tuple[str, ...]:
        """Return the file whose path ends so: the one that shares most folders with `path`, all where several do."""
        plain = ending.removeprefix("./")
        while plain.startswith("../"):
            plain = plain[3:]
        found = [each for each in self._modules.ending(plain) if each != path]
        if len(found) < 2:
            return tuple(found)
        best = max(_shared(path, each) for each in found)
        return tuple([each for each in found if _shared(path, each) == best])

    def _go(self, module: str) -> tuple[str, ...]:
        for prefix, root in self._home_modules():
            if module == prefix:
                return (f"{root}/",)
            if module.startswith(f"{prefix}/"):
                folder = module[len(prefix) + 1 :]
                folder = f"{root}/{folder}" if root else folder
                if self._has_go(folder):
                    return (f"{folder}/",)
        return ()

    def _home_modules(self) -> list[tuple[str, str]]:
        """Return the Go modules of the repository as what their imports begin with, and their folder.

        Without any `go.mod` that beginning of a folder counts which lets most imports name folders that are in it.
        """
        if self._go_modules is None:
            self._go_modules = self._declared_modules()
        if not self._go_modules:
            votes: Counter[tuple[str, str]] = Counter()
            files = [each for each, said in self._code.files.items() if said.language == "go"]
            step = max(1, len(files) // _GO_VOTERS)
            voters = files[::step]
            self._code.heads(voters)
            named = {taken.module for each in voters for taken in self._code.head(each).imports}
            folders = {dirname(each) for each in files}
            for module in named:
                votes.update(_beginnings(module, folders))
            best: dict[str, tuple[str, str]] = {}
            for each in sorted(votes, key=lambda each: (-votes[each], len(each[0]), each)):
                best.setdefault(each[1], each)
            self._go_modules = sorted(best.values(), key=lambda each: (-votes[each], each))
        return self._go_modules

    def _declared_modules(self) -> list[tuple[str, str]]:
        """Return what the `go.mod` files declare, the longest name first, and what they replace by folders."""
        found = {}
        for path, rows in self._code.manifests().items():
            for each in rows:
                if each.alias == GO_MODULE:
                    found[each.name] = dirname(path)
                elif each.alias == GO_REPLACE:
                    whole = normpath(f"{dirname(path)}/{each.name}" if dirname(path) else each.name)
                    found.setdefault(each.module, "" if whole == "." else whole)
        return sorted(found.items(), key=lambda each: (-len(each[0]), each))

    def _has_go(self, folder: str) -> bool:
        return any(each.endswith(".go") for each in self._modules.folder(folder))


def _beginnings(module: str, folders: set[str]) -> list[tuple[str, str]]:
    """Return how an import may begin, and the root that it means, if its rest is the longest of the folders' ends."""
    parts = module.split("/")
    if parts[0] in _GO_STANDARD:
        return []
    for cut in range(1 if "." not in parts[0] else 2, len(parts)):
        rest = "/".join(parts[cut:])
        roots = [each[: -len(rest)].rstrip("/") for each in folders if each == rest or each.endswith(f"/{rest}")]
        if roots:
            return [("/".join(parts[:cut]), min(roots, key=lambda each: (len(each), each)))]
    return []


def _shared(path: str, other: str) -> int:
    count = 0
    for one, two in zip(path.split("/")[:-1], other.split("/")[:-1], strict=False):
        if one != two:
            break
        count += 1
    return count
