"""Look up what a name refers to at its place in a file.

The scopes around it come first, then imports, then what other files hand on.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from verifflowcc.code.rules.bound_things import EXTERNAL, UNKNOWN, Circles, Thing, ThingKind
from verifflowcc.code.rules.graph import (
    CALLABLE,
    FILE,
    TYPES,
    Code,
    Definition,
    Head,
    Import,
    KeptAnswers,
    Reference,
    SymbolKind,
    column_of,
)
from verifflowcc.code.rules.import_rules import ImportResolver, Modules, ResolutionRules, manner_of

if TYPE_CHECKING:
    from typing import Any


# The head of one file, laid out so that names are looked up in it.

_NO_NAMES: frozenset[str] = frozenset()
_T = TypeVar("_T")


class ByScope(Generic[_T]):
    """What a file says under a name in a scope. A name is looked for when it is asked for: few of a file's are."""

    __slots__ = ("_known", "_names", "_scopes", "_values")

    def __init__(self, names: Sequence[str | None], scopes: Sequence[int], values: Sequence[_T]) -> None:
        self._names, self._scopes, self._values = names, scopes, values
        self._known: dict[str, dict[int, list[_T]]] = {}

    def of(self, name: str) -> dict[int, list[_T]]:
        """Return scope → what is under a name."""
        found = self._known.get(name)
        if found is None:
            found = self._known[name] = {}
            place = -1
            for _ in range(self._names.count(name)):
                place = self._names.index(name, place + 1)
                found.setdefault(self._scopes[place], []).append(self._values[place])
        return found

    def get(self, scope: int, name: str) -> Sequence[_T]:
        """Return what is under a name in a scope."""
        return self.of(name).get(scope, ())


class Sheet:
    """What a file says, by scope and name: places of definitions, imports, types. A scope is a place, or `FILE`.

    `owned` has the methods that are written outside of their type, by the type's name and theirs.
    """

    __slots__ = (
        "_named",
        "_owned",
        "_owners",
        "_parameters",
        "_signatures",
        "_stars",
        "bit",
        "defined",
        "has_owners",
        "head",
        "imported",
        "kinds",
        "names",
        "parents",
        "path",
        "typed",
    )

    def __init__(self, path: str, head: Head, bit: int = 0) -> None:
        self.path = path
        self.bit = bit
        self.head = head
        definitions, imports, typed = head.definitions, head.imports, head.typed
        self.names: Sequence[str] = column_of(definitions, "name")
        self.kinds: Sequence[SymbolKind] = column_of(definitions, "kind")
        self.parents: Sequence[int] = column_of(definitions, "parent")
        self._owners: Sequence[str] = column_of(definitions, "owner")
        own: Sequence[str | None] = self.names
        self.has_owners = any(self._owners)
        if self.has_owners:
            own = [None if owner else name for name, owner in zip(own, self._owners, strict=True)]
        self.defined = ByScope(own, self.parents, range(len(own)))
        aliases: Sequence[str | None] = column_of(imports, "alias")
        if "" in aliases or "*" in aliases:
            aliases = [None if each in ("", "*") else each for each in aliases]
        self.imported = ByScope(aliases, column_of(imports, "inside"), imports)
        self.typed = ByScope(column_of(typed, "name"), column_of(typed, "inside"), typed)
        self._parameters: dict[int, frozenset[str]] = {}
        self._named: dict[int, str] = {}
        self._signatures: Sequence[str] | None = None
        self._stars: list[Import] | None = None
        self._owned: dict[tuple[str, str], list[int]] | None = None

    @property
    def stars(self) -> Sequence[Import]:
        """The imports of all that is in a module."""
        if self._stars is None:
            taken = column_of(self.head.imports, "name")
            self._stars = [self.head.imports[place] for place, name in enumerate(taken) if name == "*"]
        return self._stars

    def owner(self, place: int) -> str:
        """Return the name of the type that the definition at a place is written outside of."""
        return self._owners[place]

    def owned(self, type_name: str, name: str) -> Sequence[int]:
        """Return the methods of a type and name that are written outside of the type."""
        if self._owned is None:
            self._owned = {}
            for place, owner in enumerate(self._owners):
                if owner:
                    self._owned.setdefault((owner, self.names[place]), []).append(place)
        return self._owned.get((type_name, name), ())

    def called(self, name: str) -> Iterator[int]:
        """Yield the places of the definitions of a name, wherever they are."""
        return (place for place, each in enumerate(self.names) if each == name)

    def field(self, name: str, place: int) -> "Any":
        """Return one field of the definition at a place; no other is read."""
        return column_of(self.head.definitions, name)[place]

    def definition(self, place: int) -> Definition:
        """Return the definition at a place."""
        return self.head.definitions[place]

    def qualified(self, place: int) -> str:
        """Return a definition's name with those of the definitions around it."""
        found = self._named.get(place)
        if found is None:
            found = self._named[place] = self._qualified(place)
        return found

    def _qualified(self, place: int) -> str:
        if place == FILE:
            return ""
        owner, name, parent = self._owners[place], self.names[place], self.parents[place]
        around = owner or self.qualified(parent)
        return f"{around}.{name}" if around or parent != FILE else name

    def around(self, place: int) -> Iterator[int]:
        """Yield a scope and those around it, innermost first, `FILE` last."""
        parents = self.parents
        while place != FILE:
            yield place
            place = parents[place]
        yield FILE

    def type_around(self, place: int) -> int:
        """Return the innermost type that a scope is in, or is; `FILE` where there is none."""
        while place != FILE and self.kinds[place] not in TYPES:
            place = self.parents[place]
        return place

    def is_type(self, place: int) -> bool:
        """Say whether the definition at a place is a type."""
        return self.kinds[place] in TYPES

    def takes(self, place: int, name: str) -> bool:
        """Say whether the definition at a place is a function with a parameter of that name."""
        if self.kinds[place] not in CALLABLE:
            return False
        known = self._parameters.get(place)
        if known is None:
            if self._signatures is None:
                self._signatures = column_of(self.head.definitions, "signature")
            signature = self._signatures[place]
            if name not in signature:
                return False
            known = self._parameters[place] = frozenset(parameters(signature))
        return name in known

    def meaning_scope(self, inside: int, name: str, *, in_types: bool) -> tuple[int, tuple[int, ...]]:
        """Return the innermost scope around that says what a name is, and the lines from which it is something else.

        A type around a function does not say it for what is in the function, except with `in_types`.
        """
        defined, imported, typed = self.defined.of(name), self.imported.of(name), self.typed.of(name)
        scope, parents = inside, self.parents
        while scope != FILE:
            if in_types or scope == inside or self.kinds[scope] not in TYPES:
                if scope in defined or scope in imported:
                    return scope, ()
                if scope in typed:
                    return scope, tuple([each.line for each in typed[scope]])
                if self.takes(scope, name):
                    return scope, ()
            scope = parents[scope]
        return FILE, ()


def parameters(signature: str) -> tuple[str, ...]:
    """Return the names of the parameters in a signature, as far as it goes.

    >>> parameters("def f(self, a: dict[str, int] = {}, *rest, b=(1, 2)) -> str")
    ('self', 'a', 'rest', 'b')
    """
    begin = signature.find("(")
    if begin < 0:
        return ()
    depth, word, parts = 0, "", []
    for character in signature[begin + 1 :]:
        if character == ")" and not depth:
            break
        depth += (character in "([{") - (character in ")]}")
        if character == "," and not depth:
            parts.append(word)
            word = ""
        else:
            word += character
    names = (each.partition("=")[0].partition(":")[0].strip(" *&.?/") for each in [*parts, word])
    return tuple([each for each in names if each.isidentifier()])


_OWN = {"self": "self", "cls": "cls", "super": "super()"}
"""How an expression of Python begins that is about the type around it."""
SAME_SCOPE, SAME_FILE, FROM_IMPORT, FROM_STAR, SAME_FOLDER, ONLY_ONE = 98, 96, 95, 90, 90, 75


FILE_BITS = 4096
"""So many bits stand for files: where there are more files, several in a row share one."""
ALL_FILES = (1 << FILE_BITS) - 1


def bit_of(place: int, count: int) -> int:
    """Return the bit of a file by its place among so many."""
    return 1 << (place if count <= FILE_BITS else place * FILE_BITS // count)


class NameLookup:
    """Looks names up in the files of a repository in one state. Nothing is read that was not asked for."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.modules = Modules(code.files, code.manifests)
        self.foreign = ImportResolver(code, self.modules)
        self.kept: KeptAnswers | None = None
        self._bits: dict[str, int] = {}
        self._named: dict[str, int] = {}
        self._sheets: dict[str, Sheet] = {}
        self._spoken: dict[tuple[str, str], Sequence[Reference]] = {}
        self._meaning: dict[tuple[str, int, str], tuple[int, tuple[int, ...]]] = {}
        self._manners: dict[str, ResolutionRules] = {}
        self.circles = Circles()

    def sheet(self, path: str) -> Sheet:
        """Return the head of a file, laid out."""
        sheet = self._sheets.get(path)
        if sheet is None:
            sheet = self._sheets[path] = Sheet(path, self.code.head(path), self._bits.get(path, 0))
        self.circles.read |= sheet.bit
        return sheet

    def keep_in(self, kept: KeptAnswers) -> None:
        """Recall and keep answers from now on, and note what is read for each: see `Circles.read`."""
        count = len(self.code.files)
        self._bits = {path: bit_of(place, count) for place, path in enumerate(self.code.files)}
        self._sheets.clear()
        self.kept = kept

    def recalled(
        self, key: str, make: Callable[[], _T], write: "Callable[[_T], Any]", read: "Callable[[Any], _T]"
    ) -> _T:
        """Return what is kept under a key, or is made now; `write` makes JSON of it, which `read` reads."""
        if self.kept is None:
            return make()
        known = self.kept.recall(key)
        if known is not None:
            answer, bits, asked = known
            self.circles.read |= bits
            for each in asked:
                self.asked(each)
            return read(answer)
        made: dict[str, tuple[_T, int]] = {}
        found = self.circles.once(made, key, make)
        bits = made[key][1]
        self.kept.note(key, write(found), bits & ALL_FILES, self._names_in(bits))
        return found

    def asked(self, name: str) -> None:
        """Note that it was asked which files define a name, speak of it or import it."""
        if self._bits:
            bit = self._named.get(name)
            if bit is None:
                bit = self._named[name] = 1 << (FILE_BITS + len(self._named))
            self.circles.read |= bit

    def _names_in(self, read: int) -> list[str]:
        named = read >> FILE_BITS
        return [name for place, name in enumerate(self._named) if named >> place & 1] if named else []

    def defining(self, name: str) -> Sequence[str]:
        """Return the files that define a name."""
        self.asked(name)
        return self.code.defining(name)

    def importing(self, part: str) -> Sequence[str]:
        """Return the files that import a module or name."""
        self.asked(part)
        return self.code.importing(part)

    def spoken(self, path: str, name: str) -> Sequence[Reference]:
        """Return the references to a name in a file: several definitions of it are asked about in a row."""
        found = self._spoken.get((path, name))
        if found is None:
            found = self._spoken[path, name] = self.code.references(path, name)
        return found

    def load_references(self, paths: Sequence[str], name: str) -> None:
        """Read the references to a name in many files at once, those that are not known."""
        self.code.load_references([path for path in paths if (path, name) not in self._spoken])

    def manner(self, path: str) -> ResolutionRules:
        """Return the rules of the language of a file."""
        known = self._manners.get(path)
        if known is None:
            each = self.code.files.get(path)
            known = self._manners[path] = manner_of(each.language if each else "")
        return known

    def settled(self, path: str, inside: int, text: str, line: int) -> tuple[int, int]:
        """Return the outermost scope and the first line at which an expression of Python means the same."""
        manner = self.manner(path)
        if inside == FILE or manner.family != "python":
            return inside, line
        name = text.partition(".")[0].partition("(")[0].partition("[")[0]
        if name not in _OWN:
            return self.settled_name(path, inside, name, line)
        sheet = self.sheet(path)
        around = sheet.type_around(inside)
        if around == FILE or sheet.has_owners or sheet.typed.of(name) or not text.startswith(_OWN[name]):
            return inside, line
        return around, 0

    def settled_name(self, path: str, inside: int, name: str, line: int) -> tuple[int, int]:
        """Return the outermost scope and the first line at which a bare name of Python means the same."""
        if inside == FILE:
            return inside, line
        key = (path, inside, name)
        known = self._meaning.get(key)
        if known is None:
            manner = self.manner(path)
            if manner.family != "python":
                return inside, line
            known = self._meaning[key] = self.sheet(path).meaning_scope(inside, name, in_types=manner.members_are_bare)
        scope, lines = known
        if not lines:
            return scope, 0
        before = [each for each in lines if each < line]
        if before:
            return scope, max(before) + 1
        return scope, line if line in lines else 0

    def lookup(self, path: str, inside: int, name: str, line: int) -> tuple[Thing, ...] | None:
        """Return what a bare name refers to at a line; None where no scope has it.

        An empty tuple says that it is taken from a file that is here, but does not say what it is.
        """
        sheet, manner = self.sheet(path), self.manner(path)
        for scope in sheet.around(inside):
            if scope == FILE:
                break
            if sheet.is_type(scope) and scope != inside and not manner.members_are_bare:
                continue
            found = self._in_scope(sheet, scope, name, line)
            if found is not None:
                return found
        return self.in_file(path, name, line)

    def in_file(self, path: str, name: str, line: int = 0) -> tuple[Thing, ...] | None:
        """Return what a name refers to at the outermost level of a file.

        What the file takes from others counts too.
        """
        found = self._in_scope(self.sheet(path), FILE, name, line)
        if found is not None:
            return found
        return self.circles.ask(("beyond", path, name), lambda: self._beyond(path, name)) or None

    def imported(self, path: str, taken: Import) -> tuple[Thing, ...]:
        """Return what an import refers to; empty where the file does not have it.

        That is the thing that it takes, or the outside.
        """
        question = ("import", path, taken.module, taken.name, taken.alias, taken.line, taken.inside)
        return self.circles.ask(question, lambda: self._imported(path, taken))

    def _imported(self, path: str, taken: Import) -> tuple[Thing, ...]:
        found = self.sources(path, taken)
        if not found:
            return EXTERNAL if self._is_outside(path, taken) else UNKNOWN
        if not taken.name or taken.name == "*":
            return tuple([_module(each) for each in found])
        things = [
            thing.weaker(FROM_IMPORT, "imported") for each in found for thing in self.member_of_module(each, taken.name)
        ]
        return tuple(things) or self._default_export(found, taken) or self._inside_type(path, found, taken.name)

    def _is_outside(self, path: str, taken: Import) -> bool:
        """Whether an import that no file answers is surely from outside; scripts declare what they depend on."""
        if self.manner(path).family != "script":
            return True
        return not taken.module.startswith(".") and self.modules.scripts.is_outside(taken.module)

    def sources(self, path: str, taken: Import) -> tuple[str, ...]:
        """Return the files that an import names, before what they hand on is followed; folders end with `/`."""
        family = self.manner(path).family
        if family == "python":
            return self.modules.python(path, taken.alias if self._binds_top(path, taken) else taken.module)
        if family == "script":
            return self.modules.script(path, taken.module)
        self.circles.read |= ALL_FILES if self._bits else 0
        return self.foreign.sources(path, family, taken)

    def loaded(self, path: str, taken: Import) -> tuple[str, ...]:
        """Return the files of the modules that an import loads.

        Folders, for which there is no file, end with `/`.

        `import a.b.c` binds `a` and loads `a.b.c`, or as much of it as is here; `from a import b` loads `b` where that
        is a module of `a`.
        """
        if taken.name in ("", "*"):
            return self._written(path, taken.module) if self._binds_top(path, taken) else self.sources(path, taken)
        inner = [self.modules.submodule(each, taken.name) or (each,) for each in self.sources(path, taken)]
        return tuple([each for found in inner for each in found])

    def _binds_top(self, path: str, taken: Import) -> bool:
        """Whether an import binds the first part alone of the module that it loads: Python's `import a.b`."""
        top, dot, _ = taken.module.partition(".")
        return self.manner(path).family == "python" and not taken.name and bool(dot) and taken.alias == top

    def _written(self, path: str, module: str) -> tuple[str, ...]:
        while module:
            if found := self.modules.python(path, module):
                return found
            module = module.rpartition(".")[0]
        return ()

    def member_of_module(self, module: str, name: str) -> tuple[Thing, ...]:
        """Return what a name is in a file, or in a folder (given with `/` at its end) as a package."""
        if module.endswith("/"):
            inner = self.modules.submodule(module, name)
            return tuple([_module(each) for each in inner]) or self._in_folder(module[:-1], name, "")
        found = self.in_file(module, name)
        if found:
            return found
        return tuple([_module(each) for each in self.modules.submodule(module, name)])

    def _in_scope(self, sheet: Sheet, scope: int, name: str, line: int) -> tuple[Thing, ...] | None:
        found: list[Thing] = []
        if places := sheet.defined.get(scope, name):
            sure, why = (SAME_FILE, "in the same file") if scope == FILE else (SAME_SCOPE, "in the same scope")
            found += [Thing(ThingKind.DEFINITION, sheet.path, each, sure, why) for each in places]
        for taken in (imports := sheet.imported.get(scope, name)):
            found += self.imported(sheet.path, taken)
        if imports and not found:
            return ()
        if not found and scope != FILE:
            return self._local(sheet, scope, name, line)
        if not found and (other := self._other_name(sheet, name)):
            return other
        return _without_repeats(found) if found else None

    def _other_name(self, sheet: Sheet, name: str) -> tuple[Thing, ...]:
        """Return what a file has under another name: `export {a as b}`, `const {b} = modules.a`."""
        for typed in sheet.typed.get(FILE, name):
            if typed.type.startswith("=") and (found := self._by_path(sheet.path, typed.type[1:].split("."))):
                return found
        return ()

    def _by_path(self, path: str, parts: Sequence[str]) -> tuple[Thing, ...]:
        """Return what a name of a file is, with those behind it taken from modules."""
        things = self.circles.ask(("other name", path, parts[0]), lambda: self.in_file(path, parts[0]) or ())
        for part in parts[1:]:
            modules = [each for each in things if each.kind in (ThingKind.MODULE, ThingKind.FOLDER)]
            things = tuple([one for each in modules for one in self.member_of_module(each.path, part)])
        return things

    def _local(self, sheet: Sheet, scope: int, name: str, line: int) -> tuple[Thing, ...] | None:
        types = sheet.typed.get(scope, name)
        if types:
            before = [each for each in types if each.line < line] or [each for each in types if each.line != line]
            text, begin = (before[-1].type, before[-1].line) if before else ("", 0)
            return (Thing(ThingKind.LOCAL, sheet.path, scope, text=text, line=begin),)
        if sheet.takes(scope, name):
            return (Thing(ThingKind.LOCAL, sheet.path, scope),)
        return None

    def _beyond(self, path: str, name: str) -> tuple[Thing, ...]:
        """Return what a name is that a file does not have itself: by star imports, in its folder, or anywhere."""
        for taken in self.sheet(path).stars:
            if taken.inside != FILE:
                continue
            for each in self.sources(path, taken):
                found = [thing.weaker(FROM_STAR, "imported") for thing in self.member_of_module(each, name)]
                if found:
                    return tuple(found)
        manner = self.manner(path)
        if manner.folder_is_scope and (found_here := self._in_folder(path.rpartition("/")[0], name, path)):
            return found_here
        return ()

    def _in_folder(self, folder: str, name: str, without: str) -> tuple[Thing, ...]:
        """Return what a name is at the outermost level of the files right in a folder."""
        inside = set(self.modules.folder(folder))
        found = []
        for path in self.defining(name):
            if path != without and path in inside:
                for place in self.sheet(path).defined.get(FILE, name):
                    found.append(Thing(ThingKind.DEFINITION, path, place, SAME_FOLDER, "in the same folder"))
        return tuple(found)

    def _inside_type(self, path: str, files: Sequence[str], name: str) -> tuple[Thing, ...]:
        """Return what an import takes out of a type of a file, as Java's `import static` does."""
        if not self.manner(path).names_are_global:
            return ()
        return tuple(
            [
                Thing(ThingKind.DEFINITION, each, place, FROM_IMPORT, "imported")
                for each in files
                if not each.endswith("/")
                for place in self.sheet(each).called(name)
            ]
        )

    def _default_export(self, files: Sequence[str], taken: Import) -> tuple[Thing, ...]:
        """Return what `import name from` a script takes: what is called so in it, or as the file, or alone in it."""
        if taken.name != "default":
            return ()
        for path in files:
            sheet = self.sheet(path)
            exports = [
                place
                for place, each in enumerate(sheet.head.definitions)
                if each.parent == FILE and each.signature.startswith("export default ")
            ]
            if exports:
                return (Thing(ThingKind.DEFINITION, path, exports[0], FROM_IMPORT, "imported"),)
            stem = path.rpartition("/")[2].partition(".")[0]
            for name in (taken.alias, stem):
                if places := sheet.defined.get(FILE, name):
                    return tuple([Thing(ThingKind.DEFINITION, path, each, 85, "imported") for each in places])
            outer = [
                place
                for place, each in enumerate(sheet.head.definitions)
                if each.parent == FILE and each.kind is not SymbolKind.VARIABLE
            ]
            if len(outer) == 1:
                return (Thing(ThingKind.DEFINITION, path, outer[0], 85, "imported"),)
        return ()


def _module(path: str) -> Thing:
    return Thing(ThingKind.FOLDER if path.endswith("/") else ThingKind.MODULE, path, sure=FROM_IMPORT, why="imported")


def _without_repeats(things: Sequence[Thing]) -> tuple[Thing, ...]:
    kept: dict[tuple[ThingKind, str, int], Thing] = {}
    for each in things:
        kept.setdefault((each.kind, each.path, each.place), each)
    return tuple(kept.values())
