"""Which files an import means in languages other than Python and JavaScript: Go packages, and files by their names."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from posixpath import dirname, normpath

from verifflowcc.base.records import dataclass
from verifflowcc.code.rules.graph import Code, Import, SourceFile, SymbolKind
from verifflowcc.code.rules.project_manifests import GO_MODULE, GO_REPLACE, ScriptModules

# Languages differ in what a name can mean: how they call the current object, and what a bare name may reach.


@dataclass(frozen=True, slots=True)
class ResolutionRules:
    """The rules of a family of languages, whose files may mean each other's names.

    `selves` call the current object, `classes` its type, `supers` what it inherits. `members_are_bare` says that a
    method calls its fellows by name alone. `folder_is_scope`: files of a folder see each other's names.
    `names_are_global`: a name alone may mean what another file defines, without an import.
    """

    family: str
    selves: frozenset[str] = frozenset()
    classes: frozenset[str] = frozenset()
    supers: frozenset[str] = frozenset()
    members_are_bare: bool = False
    folder_is_scope: bool = False
    names_are_global: bool = False


_THIS = frozenset({"this"})
_PYTHON = ResolutionRules("python", frozenset({"self"}), frozenset({"cls"}), frozenset({"super()"}))
_SCRIPT = ResolutionRules("script", _THIS, frozenset(), frozenset({"super", "super()"}))
_GO = ResolutionRules("go", folder_is_scope=True)
_RUST = ResolutionRules("rust", frozenset({"self"}), frozenset({"Self"}), names_are_global=True)
_JAVA = ResolutionRules("java", _THIS, frozenset(), frozenset({"super"}), True, True, True)
_CSHARP = ResolutionRules("csharp", _THIS, frozenset(), frozenset({"base"}), True, True, True)
_C = ResolutionRules("c", _THIS, frozenset(), frozenset(), True, False, True)
_RUBY = ResolutionRules("ruby", frozenset({"self"}), frozenset(), frozenset({"super"}), True, False, True)
_PHP = ResolutionRules(
    "php", frozenset({"this", "$this"}), frozenset({"self", "static"}), frozenset({"parent"}), False, True, True
)
_BASH = ResolutionRules("bash", names_are_global=True)

_MANNERS = {
    "python": _PYTHON,
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "tsx": _SCRIPT,
    "go": _GO,
    "rust": _RUST,
    "java": _JAVA,
    "c": _C,
    "cpp": _C,
    "csharp": _CSHARP,
    "ruby": _RUBY,
    "php": _PHP,
    "bash": _BASH,
}


def manner_of(language: str) -> ResolutionRules:
    """Return the rules of a language; one that is not known is a family of its own, with global names."""
    return _MANNERS.get(language) or ResolutionRules(language, names_are_global=True)


# Which files an import means, by their paths alone: packages and their roots are deduced from the tree.

_PYTHON_ENDINGS = (".py", ".pyi")
"""Modules end so; a program without an ending is none."""
_ROOTS = ("", "src", "lib", "python")
_SCRIPT_ENDINGS = (".ts", ".tsx", ".d.ts", ".js", ".jsx")
"""What TypeScript adds to a module, in its order."""
_LAST_ENDINGS = (".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte")
"""What bundlers add beside."""
_WITH_TAGS, _MODULE, _COMMON = (
    (".tsx", ".ts", ".d.ts", ".jsx", ".js"),
    (".mts", ".d.mts", ".mjs"),
    (".cts", ".d.cts", ".cjs"),
)
_INSTEAD = {
    ".ts": _SCRIPT_ENDINGS,
    ".js": _SCRIPT_ENDINGS,
    ".tsx": _WITH_TAGS,
    ".jsx": _WITH_TAGS,
    ".mts": _MODULE,
    ".mjs": _MODULE,
    ".cts": _COMMON,
    ".cjs": _COMMON,
}
"""What TypeScript tries in place of an ending that is written: `./a.js` is `a.ts`, where that is there."""
_PLAIN = (".js", ".jsx", ".mjs", ".cjs")
_STANDARD = frozenset(
    "abc argparse array ast asyncio atexit base64 binascii bisect builtins bz2 calendar cmath cmd code codecs"
    " collections colorsys compileall concurrent configparser contextlib contextvars copy copyreg csv ctypes curses"
    " dataclasses datetime decimal difflib dis doctest email encodings enum errno faulthandler fcntl filecmp"
    " fileinput fnmatch fractions ftplib functools gc getopt getpass gettext glob graphlib grp gzip hashlib heapq"
    " hmac html http imaplib importlib inspect io ipaddress itertools json keyword linecache locale logging lzma"
    " mailbox marshal math mimetypes mmap multiprocessing netrc numbers operator optparse os pathlib pdb pickle"
    " pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile queue quopri random"
    " re readline reprlib resource runpy sched secrets select selectors shelve shlex shutil signal site smtplib"
    " socket socketserver sqlite3 ssl stat statistics string stringprep struct subprocess symtable sys sysconfig"
    " syslog tarfile tempfile termios textwrap threading time timeit tkinter token tokenize tomllib trace traceback"
    " tracemalloc tty turtle types typing unicodedata unittest urllib uuid venv warnings wave weakref webbrowser"
    " winreg wsgiref xml xmlrpc zipapp zipfile zipimport zlib zoneinfo __future__".split()
)


class Modules:
    """The files of a repository as modules. Returned are paths of files, or of folders with a `/` at the end."""

    def __init__(
        self, files: Mapping[str, SourceFile], manifests: Callable[[], Mapping[str, Sequence[Import]]] = dict
    ) -> None:
        self._files = files
        self._manifests = manifests
        self._configured: Mapping[str, Sequence[Import]] | None = None
        self._scripts: ScriptModules | None = None
        self._folders: dict[str, list[str]] | None = None
        self._roots: dict[str, list[str]] | None = None
        self._with_python: set[str] = set()
        self._named: dict[str, list[str]] | None = None

    def python(self, path: str, module: str) -> tuple[str, ...]:
        """Return what a module means in the file at `path`: a file, or the folder of a package without `__init__`."""
        bare = module.lstrip(".")
        level = len(module) - len(bare)
        parts = bare.split(".") if bare else []
        if level:
            base = dirname(path)
            for _ in range(level - 1):
                if not base:
                    return ()
                base = dirname(base)
            return self._python_in(base, parts)
        near = self._python_roots(path, parts[0]) if parts else []
        return next((found for root in near if (found := self._python_in(root, parts))), ())

    def submodule(self, module: str, name: str) -> tuple[str, ...]:
        """Return the Python module `name` in a package, which is given by its `__init__` file or its folder."""
        if module.endswith("/"):
            return self._python_in(module[:-1], [name])
        folder, _, last = module.rpartition("/")
        return self._python_in(folder, [name]) if last in ("__init__.py", "__init__.pyi") else ()

    def is_package(self, folder: str) -> bool:
        """Say whether a folder is a Python package with an `__init__.py`."""
        return (f"{folder}/__init__.py" if folder else "__init__.py") in self._files

    def script(self, path: str, module: str) -> tuple[str, ...]:
        """Return the JavaScript or TypeScript file that a relative module means, or one whose whole path it is.

        In JavaScript that is what Node runs: where TypeScript would find a declaration, what it declares.
        """
        found = self._script(path, module)
        if found and found[0].endswith(".d.ts") and path.endswith(_PLAIN):
            stem = found[0].removesuffix(".d.ts")
            return next(((stem + each,) for each in (".js", ".jsx") if stem + each in self._files), found)
        return found

    def _script(self, path: str, module: str) -> tuple[str, ...]:
        if module.startswith("."):
            base = normpath(f"{dirname(path)}/{module}" if dirname(path) else module)
            if base.startswith(".."):
                return ()
            base = "" if base == "." else base
            is_folder = module.endswith(("/", "/.", "/..")) or module in (".", "..")
            return self._script_in(base) if is_folder else self._script_at(base)
        if found := self.scripts.sources(path, module):
            return found
        alone = module.removeprefix("@/").removeprefix("~/")
        if "/" not in module or (module.startswith("@") and alone == module):
            return self._package(module)
        return next((found for root in ("", "src/") if (found := self._script_at(root + alone))), ())

    @property
    def manifests(self) -> Mapping[str, Sequence[Import]]:
        """What each file says that configures how modules are found."""
        if self._configured is None:
            self._configured = self._manifests()
        return self._configured

    @property
    def scripts(self) -> ScriptModules:
        """How scripts find modules by the project's configuration."""
        if self._scripts is None:
            self._scripts = ScriptModules(self.manifests, self._script_at, self._files)
        return self._scripts

    def folder(self, path: str) -> Sequence[str]:
        """Return the files right in a folder, which is given without a `/` at the end."""
        if self._folders is None:
            self._folders = defaultdict(list)
            for each in self._files:
                self._folders[dirname(each)].append(each)
        return self._folders.get(path, ())

    def ending(self, ending: str) -> Sequence[str]:
        """Return the files whose path is `ending`, or ends with it after a `/`."""
        if self._named is None:
            self._named = defaultdict(list)
            for each in self._files:
                self._named[each.rpartition("/")[2]].append(each)
        named = self._named.get(ending.rpartition("/")[2], ())
        return [each for each in named if each == ending or each.endswith(f"/{ending}")]

    def _python_in(self, root: str, parts: Sequence[str]) -> tuple[str, ...]:
        stem = "/".join([root, *parts]) if root else "/".join(parts)
        whole = (f"{stem}/__init__.py", f"{stem}.py") if stem else ("__init__.py",)
        for each in (*whole, f"{stem}.pyi", f"{stem}/__init__.pyi"):
            if each in self._files:
                return (each,)
        return (f"{stem}/",) if stem and self._holds_python(stem) else ()

    def _holds_python(self, folder: str) -> bool:
        self._gather_roots()
        return folder in self._with_python

    def _python_roots(self, path: str, top: str) -> list[str]:
        """Return the folders that may stand on the path of modules and have a module `top`, likeliest first."""
        self._gather_roots()
        assert self._roots is not None
        here = dirname(path)
        near = {here}
        while here:
            here = dirname(here)
            near.add(here)
        able = [each for each in self._roots.get(top, ()) if not self.is_package(each)]
        if top in _STANDARD:
            able = [each for each in able if each in _ROOTS or each == dirname(path)]
        return sorted(able, key=lambda each: (each not in near, -len(each) if each in near else len(each), each))

    def _gather_roots(self) -> None:
        if self._roots is not None:
            return
        roots: dict[str, set[str]] = defaultdict(set)
        for path in self._files:
            if path.endswith(_PYTHON_ENDINGS):
                folder, _, last = path.rpartition("/")
                if not last.startswith("__init__."):
                    roots[last.partition(".")[0]].add(folder)
                while folder and folder not in self._with_python:
                    self._with_python.add(folder)
                    above, _, name = folder.rpartition("/")
                    roots[name].add(above)
                    folder = above
        self._roots = {name: sorted(each) for name, each in roots.items()}

    def _script_at(self, base: str, typed: bool | None = None) -> tuple[str, ...]:
        """Return the file of a path as TypeScript finds it, or as bundlers do; with `typed`, in TypeScript or not."""
        if base.startswith(".."):
            return ()
        stem, dot, ending = base.rpartition(".")
        written = _INSTEAD.get(f".{ending}", ()) if dot else ()
        stem = stem.removesuffix(".d") if written else base
        tries = [stem + each for each in written] + [base + each for each in _SCRIPT_ENDINGS]
        if found := self._first(tries, typed):
            return found
        if typed is not None:
            return self._script_in(base, typed)
        if base in self._files:
            return (base,)
        return self._script_in(base) or self._bundled(base, stem)

    def _script_in(self, folder: str, typed: bool | None = None) -> tuple[str, ...]:
        """Return the file that a folder means: the main one of its package, or the index."""
        inside = f"{folder}/" if folder else ""
        if f"{inside}package.json" in self.manifests and (found := self.scripts.entry(folder, typed)):
            return found
        return self._first([f"{inside}index{each}" for each in _SCRIPT_ENDINGS], typed)

    def _first(self, paths: Sequence[str], typed: bool | None) -> tuple[str, ...]:
        return next(
            ((each,) for each in paths if each in self._files and typed in (None, not each.endswith(_PLAIN))), ()
        )

    def _bundled(self, base: str, stem: str) -> tuple[str, ...]:
        """Return the file of a path that TypeScript does not find."""
        index = f"{base}/index" if base else "index"
        tries = [base + each for each in _LAST_ENDINGS] + [index + each for each in _LAST_ENDINGS]
        if stem != base:
            tries += [stem + each for each in (*_SCRIPT_ENDINGS, *_LAST_ENDINGS)]
        return next(((each,) for each in tries if each in self._files), ())

    def _package(self, module: str) -> tuple[str, ...]:
        """Return the entry of a package of this repository that is named as its folder is: `packages/<name>`."""
        name = module.rpartition("/")[2]
        for root in ("packages", "libs", "apps"):
            for inner in ("src/index", "index", "src/main"):
                if found := self._script_at(f"{root}/{name}/{inner}"):
                    return found
        return ()


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


class ImportResolver:
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
            files = [each for each, head in self._code.files.items() if head.language == "go"]
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
