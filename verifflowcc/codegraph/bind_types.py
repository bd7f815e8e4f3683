"""What an expression stands for, as far as it is said: objects of types, their members and what they inherit."""

import re
from collections.abc import Iterator, Sequence

from verifflowcc.codegraph.bind_common import BUILTINS
from verifflowcc.codegraph.bind_names import FROM_IMPORT, SAME_FOLDER, Names
from verifflowcc.codegraph.bind_things import EXTERNAL, UNKNOWN, Thing, ThingKind, plain_type, segments
from verifflowcc.domain.graph import FILE, TYPES, Import, ReferenceKind, SymbolKind

MEMBER, INHERITED, OF_RESULT = 94, 92, 85
_SAME_TYPE = frozenset({"Self", "self", "this", "static", "typing.Self"})
_OWN_TYPE = re.compile(r"\(\s*(?:self|cls)\s*:\s*(?:(?:\w+\.)*[tT]ype\[)?['\"]?([\w.]+)")
_BEYOND = frozenset({ThingKind.EXTERNAL, ThingKind.UNKNOWN})
_VALUES = frozenset({SymbolKind.VARIABLE, SymbolKind.FIELD})


class Types:
    """Follows expressions through the types that files say of names."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self._ask = names.circles.ask
        self._inherits: dict[str, dict[int, list[str]]] = {}

    def expression(self, path: str, inside: int, text: str, line: int) -> tuple[Thing, ...]:
        """Return what an expression (as in `Reference.receiver`) stands for at a line; empty where it is not known."""
        question = ("expression", path, inside, text, line)
        return self._ask(question, lambda: self._expression(path, inside, text, line))

    def members(self, things: Sequence[Thing], name: str) -> tuple[Thing, ...]:
        """Return what `.name` is of any of some things."""
        found: dict[tuple[ThingKind, str, int], Thing] = {}
        for thing in things:
            for each in self._member(thing, name):
                each = each.weaker(thing.sure)  # noqa: PLW2901  # no surer than what it is a member of
                kept = found.get((each.kind, each.path, each.place))
                if kept is None or kept.sure < each.sure:
                    found[each.kind, each.path, each.place] = each
        return tuple(found.values())

    def line_of(self, path: str, place: int) -> tuple[tuple[str, int], ...]:
        """Return a type and those that it inherits from, in the order in which members are looked for.

        A type stands after all that inherit from it, as far as that is possible; those outside are left out.
        """
        order: list[tuple[str, int]] = []
        self._descend((path, place), order, set())
        last: dict[tuple[str, int], int] = {each: number for number, each in enumerate(order)}
        return tuple(sorted(last, key=lambda each: last[each]))

    def bases(self, path: str, place: int) -> tuple[Thing, ...]:
        """Return the types that a type inherits from, in order, with those outside."""
        return self._ask(("bases", path, place), lambda: self._find_bases(path, place))

    def type_of_method(self, path: str, place: int) -> tuple[Thing, ...]:
        """Return the type that a method is of; empty where it is of none."""
        sheet = self.names.sheet(path)
        for each in sheet.around(place):
            if each != FILE and (owner := sheet.definition(each).owner):
                return self.named_type(path, owner)
        around = sheet.type_around(place)
        return () if around == FILE else (Thing(ThingKind.DEFINITION, path, around, MEMBER),)

    def named_type(self, path: str, name: str) -> tuple[Thing, ...]:
        """Return the types that are called so: in the file, its folder, or any one if it is the only one."""
        name = plain_type(name).rpartition(".")[2].rpartition("::")[2]
        here = self.names.in_file(path, name) or ()
        found = tuple([each for each in here if self._is_type(each)])
        if found or not name:
            return found
        code, family = self.names.code, self.names.manner(path).family
        every = [
            Thing(ThingKind.DEFINITION, other, place, SAME_FOLDER, "the only one of its name")
            for other in code.defining(name)
            if self.names.manner(other).family == family
            for place, each in enumerate(self.names.sheet(other).head.definitions)
            if each.name == name and each.kind in TYPES
        ]
        return tuple(every) if len(every) == 1 else ()

    def _find_bases(self, path: str, place: int) -> tuple[Thing, ...]:
        definition = self.names.sheet(path).definition(place)
        found: list[Thing] = []
        for text in self._inherited(path).get(place, ()):
            things = self.expression(path, definition.parent, text, definition.line)
            found += [each for each in things if each.kind in _BEYOND or self._is_type(each)]
            if not things:
                found += EXTERNAL
        return tuple(found)

    def _expression(self, path: str, inside: int, text: str, line: int) -> tuple[Thing, ...]:
        parts = segments(text)
        if not parts:
            return ()
        first, calls = parts[0]
        if first in ("crate", "super") and self.names.manner(path).family == "rust":
            return self._module_of_crate(path, parts)
        things = self._first(path, inside, first, calls, line)
        for name, more in parts[1:]:
            if not things:
                return ()
            members = self.members(self._values(things), name)
            things = self._called(members, more, things)
        return self._values(things)

    def _module_of_crate(self, path: str, parts: Sequence[tuple[str, int]]) -> tuple[Thing, ...]:
        """Return what `crate::a::b` is: a module, or a type in one."""
        *modules, last = [name for name, _ in parts]
        for name in ("", last):
            module = "::".join([*modules, last] if not name else modules)
            taken = Import(module, name, "", 0)
            if self.names.sources(path, taken):
                return self.names.imported(path, taken)
        return ()

    def _first(self, path: str, inside: int, name: str, calls: int, line: int) -> tuple[Thing, ...]:
        manner = self.names.manner(path)
        if name + "()" * calls in manner.supers or name in manner.supers:
            around = self.type_of_method(path, inside)
            return tuple([Thing(ThingKind.INHERITED, each.path, each.place, INHERITED) for each in around])
        if name in manner.selves or name in manner.classes:
            around = self.type_of_method(path, inside)
            if around and not self._said_otherwise(path, inside, name):
                made = name in manner.selves or calls
                return _instances(around) if made else around
        found = self.names.lookup(path, inside, name, line)
        if found is None:
            if name in BUILTINS.get(manner.family, ()):
                return EXTERNAL
            found = self.named_type(path, name) if manner.names_are_global else ()
        return self._called(found, calls, ())

    def _said_otherwise(self, path: str, inside: int, name: str) -> bool:
        sheet = self.names.sheet(path)
        said = [each for scope in sheet.around(inside) if scope != FILE for each in sheet.typed.get((scope, name), ())]
        return any(each.type != "?" for each in said)

    def _called(self, things: Sequence[Thing], calls: int, of: Sequence[Thing]) -> tuple[Thing, ...]:
        """Return what things are after so many calls; `of` is what they are members of."""
        for _ in range(calls):
            found: list[Thing] = []
            for each in self._values(things, called=True):
                found += self._call(each, of)
            things = found
        return tuple(things)

    def _call(self, thing: Thing, of: Sequence[Thing]) -> tuple[Thing, ...]:
        if thing.kind is ThingKind.EXTERNAL:
            return EXTERNAL
        if thing.kind is ThingKind.UNKNOWN:
            return UNKNOWN
        if thing.kind is ThingKind.INSTANCE:
            called = [each for each in self._member(thing, "__call__") if each.kind is ThingKind.DEFINITION]
            return tuple([each for one in called for each in self._result(one, (thing,))])
        if thing.kind is not ThingKind.DEFINITION:
            return ()
        return _instances((thing,)) if self._is_type(thing) else self._result(thing, of)

    def _result(self, thing: Thing, of: Sequence[Thing]) -> tuple[Thing, ...]:
        """Return what a function is said to return."""
        definition = self.names.sheet(thing.path).definition(thing.place)
        text = plain_type(definition.result)
        if not text:
            return ()
        if text in _SAME_TYPE or text.rpartition(".")[2] == "Self" or _is_own_type(definition.signature, text):
            around = of or self.type_of_method(thing.path, thing.place)
            return _instances([each for each in around if each.kind is ThingKind.INSTANCE or self._is_type(each)])
        return self._said(thing.path, thing.place, text, definition.end + 1)

    def _values(self, things: Sequence[Thing], *, called: bool = False) -> tuple[Thing, ...]:
        """Return what variables, local names and properties that are not called stand for; the rest as it is."""
        found: list[Thing] = []
        for each in things:
            if each.kind is ThingKind.LOCAL:
                found += self._said(each.path, each.place, each.text, each.line)
            elif each.kind is not ThingKind.DEFINITION:
                found.append(each)
            else:
                kind = self.names.sheet(each.path).definition(each.place).kind
                if kind in _VALUES:
                    found += self._of_variable(each)
                elif kind is SymbolKind.METHOD and not called:
                    found += self._result(each, ()) or (each,)
                else:
                    found.append(each)
        return tuple(found)

    def _of_variable(self, thing: Thing) -> Iterator[Thing]:
        sheet = self.names.sheet(thing.path)
        definition = sheet.definition(thing.place)
        around = sheet.type_around(thing.place)
        names = [(definition.parent, definition.name)]
        if around != FILE:
            names += [(around, f"self.{definition.name}"), (around, f"this.{definition.name}")]
        for scope, name in names:
            for said in sheet.typed.get((scope, name), ()):
                yield from self._said(thing.path, scope, said.type, said.line)

    def _said(self, path: str, scope: int, text: str, line: int) -> tuple[Thing, ...]:
        """Return what a type's text, or a call's, stands for: objects of the type, or what the call returns."""
        text = plain_type(text)
        if not text:
            return ()
        if text.endswith(")"):
            return tuple([each.weaker(OF_RESULT) for each in self.expression(path, scope, text, line)])
        things = self.expression(path, scope, text, line)
        return _instances([each for each in things if each.kind in _BEYOND or self._is_type(each)])

    def _member(self, thing: Thing, name: str) -> tuple[Thing, ...]:
        match thing.kind:
            case ThingKind.MODULE | ThingKind.FOLDER:
                found = self.names.member_of_module(thing.path, name)
                return tuple([each.weaker(FROM_IMPORT, "in the imported module") for each in found])
            case ThingKind.EXTERNAL:
                return EXTERNAL
            case ThingKind.UNKNOWN:
                return UNKNOWN
            case ThingKind.LOCAL:
                return ()
        if thing.kind is ThingKind.DEFINITION and not self._is_type(thing):
            return ()
        inherited = thing.kind is ThingKind.INHERITED
        question = ("member", thing.path, thing.place, name, inherited)
        return self._ask(question, lambda: self._member_of_type(thing, name))

    def _member_of_type(self, thing: Thing, name: str) -> tuple[Thing, ...]:
        line = self.line_of(thing.path, thing.place)
        for number, (path, place) in enumerate(line):
            if not number and thing.kind is ThingKind.INHERITED:
                continue
            if found := self._own_member(path, place, name):
                sure, why = (INHERITED, "inherited") if number else (MEMBER, "a member of its type")
                return tuple([Thing(ThingKind.DEFINITION, *each, sure, why) for each in found])
        outside = any(each.kind in _BEYOND for one in line for each in self.bases(*one))
        return EXTERNAL if outside else ()

    def _own_member(self, path: str, place: int, name: str) -> list[tuple[str, int]]:
        sheet = self.names.sheet(path)
        found = [(path, each) for each in sheet.defined.get((place, name), ())]
        family = self.names.manner(path).family
        if family in ("python", "script") or (found and family != "c"):
            return found
        type_name, code = sheet.definition(place).name, self.names.code
        for other in code.defining(name):
            for each in self.names.sheet(other).owned.get((type_name, name), ()):
                if any((own.path, own.place) == (path, place) for own in self.named_type(other, type_name)):
                    found.append((other, each))
        return found

    def _descend(self, key: tuple[str, int], order: list[tuple[str, int]], above: set[tuple[str, int]]) -> None:
        if key in above or len(order) > 200:
            return
        order.append(key)
        above.add(key)
        for each in self.bases(*key):
            if each.kind is ThingKind.DEFINITION:
                self._descend((each.path, each.place), order, above)
        above.discard(key)

    def _inherited(self, path: str) -> dict[int, list[str]]:
        """Return the bases of each type of a file, as they are written."""
        if path not in self._inherits:
            said: dict[int, list[str]] = {}
            for each in self.names.code.references(path, kind=ReferenceKind.INHERIT):
                if each.inside != FILE:
                    whole = f"{each.receiver}.{each.name}" if each.receiver else each.name
                    said.setdefault(each.inside, []).append(whole)
            self._inherits[path] = said
        return self._inherits[path]

    def _is_type(self, thing: Thing) -> bool:
        if thing.kind is not ThingKind.DEFINITION:
            return False
        return self.names.sheet(thing.path).definition(thing.place).kind in TYPES


def _instances(things: Sequence[Thing]) -> tuple[Thing, ...]:
    return tuple(
        [
            Thing(ThingKind.INSTANCE, each.path, each.place, each.sure, each.why)
            if each.kind is ThingKind.DEFINITION
            else each
            for each in things
        ]
    )


def _is_own_type(signature: str, text: str) -> bool:
    """Whether a method returns the type of its own object, by a type variable: `def f(self: T) -> T`."""
    match = _OWN_TYPE.search(signature)
    return match is not None and match[1].rpartition(".")[2] == text
