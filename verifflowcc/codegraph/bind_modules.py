"""Which files an import means, by their paths alone: packages and their roots are deduced from the tree."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from posixpath import dirname, normpath

from verifflowcc.codegraph.script_modules import ScriptModules
from verifflowcc.domain.graph import Import, SourceFile

_PYTHON_ENDINGS = (".py", ".pyi")
"""Modules end so; a program without an ending is none."""
_ROOTS = ("", "src", "lib", "python")
_SCRIPT_ENDINGS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts")
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
        """Return the JavaScript or TypeScript file that a relative module means, or one whose whole path it is."""
        if module.startswith("."):
            base = normpath(f"{dirname(path)}/{module}" if dirname(path) else module)
            if base.startswith(".."):
                return ()
            return self._script_at("" if base == "." else base)
        if found := self.scripts.sources(path, module):
            return found
        alone = module.removeprefix("@/").removeprefix("~/")
        if "/" not in module or (module.startswith("@") and alone == module):
            return self._package(module)
        return next((found for root in ("", "src/") if (found := self._script_at(root + alone))), ())

    @property
    def scripts(self) -> ScriptModules:
        """How scripts find modules by the project's configuration."""
        if self._scripts is None:
            self._scripts = ScriptModules(self._manifests(), self._script_at)
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

    def _script_at(self, base: str) -> tuple[str, ...]:
        if base in self._files:
            return (base,)
        if base.startswith(".."):
            return ()
        stem = base.rpartition(".")[0] if base.endswith((".js", ".jsx", ".mjs", ".cjs")) else base
        inner = f"{base}/index" if base else "index"
        tries = [one + ending for one in (base, stem, inner) for ending in _SCRIPT_ENDINGS]
        tries += [f"{base}{ending}" for ending in (".vue", ".svelte")]
        return next(((each,) for each in tries if each in self._files), ())

    def _package(self, module: str) -> tuple[str, ...]:
        """Return the entry of a package of this repository that is named as its folder is: `packages/<name>`."""
        name = module.rpartition("/")[2]
        for root in ("packages", "libs", "apps"):
            for inner in ("src/index", "index", "src/main"):
                if found := self._script_at(f"{root}/{name}/{inner}"):
                    return found
        return ()
