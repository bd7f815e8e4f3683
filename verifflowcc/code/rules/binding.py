"""Which definition a reference means: by scope, import and type where these say so, else by its name.

In order: the scopes around it; what the file imports; for `a.b`, the members of what `a` stands for and of what that
inherits; then any definition of the name that the file could mean, the less sure the more there are.
"""

from collections.abc import Iterator, Sequence

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import replace
from verifflowcc.code.rules.bind_names import FROM_IMPORT, ONLY_ONE, SAME_FOLDER, NameLookup
from verifflowcc.code.rules.bound_things import (
    BEYOND,
    BUILTINS,
    COMMON_METHODS,
    DEFINED,
    EXTERNAL,
    LEAST,
    UNKNOWN,
    Thing,
    ThingKind,
    TypeLines,
    as_bound,
    as_instances,
    by_number,
    plain_type,
    segments,
)
from verifflowcc.code.rules.graph import (
    CALLABLE,
    FILE,
    BindingCandidate,
    BindingResult,
    Code,
    Import,
    LinkStart,
    Reference,
    ReferenceKind,
    SymbolKind,
    TypeHint,
)

# An expression is followed only as far as its types are declared: objects, their members and what they inherit.

MEMBER, INHERITED, OF_RESULT = 94, 92, 85
_SAME_TYPE = frozenset({"Self", "self", "this", "static", "typing.Self"})
_OWN_TYPE = lazy_pattern(r"\(\s*(?:self|cls)\s*:\s*(?:(?:\w+\.)*[tT]ype\[)?['\"]?([\w.]+)")
_TAKEN_OUT = lazy_pattern(r"\.(?:get|pop|setdefault|popleft|popitem)\(\)\Z")
_VALUES = frozenset({SymbolKind.VARIABLE, SymbolKind.FIELD})


class Types:
    """Follows expressions through the types that files say of names."""

    def __init__(self, names: NameLookup) -> None:
        self.names = names
        self._ask = names.circles.ask
        self._inherits: dict[str, dict[int, list[str]]] = {}
        self._lines = TypeLines(self.bases, names.circles)

    def expression(self, path: str, inside: int, text: str, line: int) -> tuple[Thing, ...]:
        """Return what an expression refers to at a line; empty where it is not known.

        The expression is written as in `Reference.receiver`.
        """
        inside, line = self.names.settled(path, inside, text, line)
        question = ("expression", path, inside, text, line)
        return self._ask(question, lambda: self._expression(path, inside, text, line))

    def meant(self, things: tuple[Thing, ...]) -> tuple[Thing, ...]:
        """Return things with local names that are only other names for something as that."""
        if not any(each.text.startswith("=") for each in things):
            return things
        values = self._values([each for each in things if each.kind is ThingKind.LOCAL])
        return (*things, *[each for each in values if each.kind is not ThingKind.INSTANCE])

    def held(self, path: str, inside: int, receiver: str, name: str, line: int) -> tuple[Thing, ...]:
        """Return what an object holds under a name: `deps.search` where `deps = { search }` says so."""
        question = ("held", path, inside, receiver, name, line)
        return self._ask(question, lambda: self._held_by(path, inside, receiver, name, line))

    def _held_by(self, path: str, inside: int, receiver: str, name: str, line: int) -> tuple[Thing, ...]:
        sheet = self.names.sheet(path)
        for scope in sheet.around(inside):
            for hint in sheet.typed.get(scope, f"{receiver}.{name}"):
                found = self.meant(self.expression(path, scope, hint.type.removeprefix("="), line))
                return tuple([each.weaker(OF_RESULT, "its object holds it") for each in found])
            for hint in sheet.typed.get(scope, receiver):
                if hint.type.startswith("=") and "." not in hint.type and hint.type[1:] != receiver:
                    return self.held(path, scope, hint.type[1:], name, line)
        for each in self.names.in_file(path, receiver) or ():
            if each.kind is ThingKind.DEFINITION and each.path != path:
                return self.held(each.path, FILE, self.names.sheet(each.path).names[each.place], name, 0)
        return ()

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

        A type comes after all that inherit from it, as far as that is possible; those outside are left out.
        """
        return self._lines.of(path, place).types

    def bases(self, path: str, place: int) -> tuple[Thing, ...]:
        """Return the types that a type inherits from, in order, with those outside."""
        return self._ask(("bases", path, place), lambda: self._find_bases(path, place))

    def type_of_method(self, path: str, place: int) -> tuple[Thing, ...]:
        """Return the type that a method is of; empty where it is of none."""
        sheet = self.names.sheet(path)
        for each in sheet.around(place) if sheet.has_owners else ():
            if each != FILE and (owner := sheet.owner(each)):
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
        family = self.names.manner(path).family
        every = [
            Thing(ThingKind.DEFINITION, other, place, SAME_FOLDER, "the only one of its name")
            for other in self.names.defining(name)
            if self.names.manner(other).family == family
            for place in self.names.sheet(other).called(name)
            if self.names.sheet(other).is_type(place)
        ]
        return tuple(every) if len(every) == 1 else ()

    def _find_bases(self, path: str, place: int) -> tuple[Thing, ...]:
        sheet = self.names.sheet(path)
        found: list[Thing] = []
        for text in self._inherited(path).get(place, ()):
            things = self.expression(path, sheet.parents[place], text, sheet.field("line", place))
            found += [each for each in things if each.kind in BEYOND or self._is_type(each)]
            if not things:
                found += EXTERNAL
        return tuple(found)

    def _expression(self, path: str, inside: int, text: str, line: int) -> tuple[Thing, ...]:
        if text.endswith("]"):
            return self._held(path, inside, text, line)
        taken = _TAKEN_OUT.search(text)
        if taken and (held := self._held(path, inside, f"{text[: taken.start()]}[]", line)):
            return held
        return self._values(self._raw(path, inside, text, line))

    def _held(self, path: str, inside: int, text: str, line: int) -> tuple[Thing, ...]:
        """Return the parts of what holds others: `f()[]`, in a loop `f()[for]`, in a `with` statement `f()[with]`."""
        owner, _, how = text[:-1].rpartition("[")
        found: list[Thing] = []
        for where, place, kind, at in self._declared(path, inside, owner, line):
            head, bracket, held = kind.partition("[")
            is_mapping = head.rpartition(".")[2].lower().endswith(("dict", "mapping"))
            if bracket and head not in ("type", "Type") and not (how == "for" and is_mapping):
                found += self._of_type_text(where, place, held.removesuffix("]"), at)
        if not found and how == "with":
            return self.expression(path, inside, owner, line)
        return tuple([each.weaker(OF_RESULT) for each in found])

    def _declared(self, path: str, inside: int, text: str, line: int) -> Iterator[tuple[str, int, str, int]]:
        """Yield the types that are written of an expression, each with where: path, scope, text, line."""
        called = text.endswith("()")
        for each in self._raw(path, inside, text.removesuffix("()") if called else text, line):
            if each.kind is ThingKind.LOCAL and not called:
                if each.text.startswith("="):
                    yield from self._declared(each.path, each.place, each.text[1:], each.line)
                else:
                    yield each.path, each.place, each.text, each.line
            elif each.kind is ThingKind.DEFINITION:
                definition = self.names.sheet(each.path).definition(each.place)
                if definition.kind in CALLABLE:
                    yield each.path, each.place, definition.result, definition.end + 1
                elif definition.kind in _VALUES:
                    for scope, typed in self._hints(each):
                        yield each.path, scope, typed.type, typed.line

    def _raw(self, path: str, inside: int, text: str, line: int) -> tuple[Thing, ...]:
        """Return what an expression refers to, before other names are resolved."""
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
        return tuple(things)

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
            if around and not self._has_other_type(path, inside, name):
                made = name in manner.selves or calls
                return as_instances(around) if made else around
        found = self.names.lookup(path, inside, name, line)
        if found is None:
            if name in BUILTINS.get(manner.family, ()):
                return EXTERNAL
            found = self.named_type(path, name) if manner.names_are_global else ()
        return self._called(found, calls, ())

    def _has_other_type(self, path: str, inside: int, name: str) -> bool:
        sheet = self.names.sheet(path)
        types = [each for scope in sheet.around(inside) if scope != FILE for each in sheet.typed.get(scope, name)]
        return any(each.type != "?" for each in types)

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
        return as_instances((thing,)) if self._is_type(thing) else self._result(thing, of)

    def _result(self, thing: Thing, of: Sequence[Thing]) -> tuple[Thing, ...]:
        """Return what a function returns, by its annotation."""
        sheet = self.names.sheet(thing.path)
        text = plain_type(sheet.field("result", thing.place))
        if not text:
            return ()
        definition = sheet.definition(thing.place)
        if text == "type" and definition.result.startswith("type["):
            return self._of_type_text(thing.path, thing.place, definition.result, definition.end + 1)
        if text in _SAME_TYPE or text.rpartition(".")[2] == "Self" or _is_own_type(definition.signature, text):
            around = of or self.type_of_method(thing.path, thing.place)
            return as_instances([each for each in around if each.kind is ThingKind.INSTANCE or self._is_type(each)])
        return self._of_type_text(thing.path, thing.place, text, definition.end + 1)

    def _values(self, things: Sequence[Thing], *, called: bool = False) -> tuple[Thing, ...]:
        """Return what variables, local names and properties that are not called stand for; the rest as it is."""
        found: list[Thing] = []
        for each in things:
            if each.kind is ThingKind.LOCAL:
                found += self._of_type_text(each.path, each.place, each.text, each.line)
            elif each.kind is not ThingKind.DEFINITION:
                found.append(each)
            else:
                kind = self.names.sheet(each.path).kinds[each.place]
                if kind in _VALUES:
                    found += self._of_variable(each)
                elif kind is SymbolKind.METHOD and not called:
                    found += self._result(each, ()) or (each,)
                else:
                    found.append(each)
        return tuple(found)

    def _of_variable(self, thing: Thing) -> Iterator[Thing]:
        for scope, typed in self._hints(thing):
            if not typed.type.endswith("TypeVar()"):
                yield from self._of_type_text(thing.path, scope, typed.type, typed.line)

    def _hints(self, thing: Thing) -> Iterator[tuple[int, TypeHint]]:
        sheet = self.names.sheet(thing.path)
        own = sheet.names[thing.place]
        around = sheet.type_around(thing.place)
        names = [(sheet.parents[thing.place], own)]
        if around != FILE:
            names += [(around, f"self.{own}"), (around, f"this.{own}")]
        for scope, name in names:
            for typed in sheet.typed.get(scope, name):
                yield scope, typed

    def _of_type_text(self, path: str, scope: int, text: str, line: int) -> tuple[Thing, ...]:
        """Return what the text of a type or a call refers to.

        A type gives objects of it; a call gives what it returns; `=a` and `type[a]` give `a` itself.
        """
        text = text.strip()
        if text.startswith("="):
            return self.expression(path, scope, text[1:], line)
        if text.endswith(("[]", "[for]", "[with]")):
            return self.expression(path, scope, text, line)
        if text.startswith("type["):
            things = self.expression(path, scope, plain_type(text[5:-1]), line)
            return tuple([each for each in things if each.kind in BEYOND or self._is_type(each)])
        text = plain_type(text)
        if not text:
            return ()
        if text.endswith(")"):
            return tuple([each.weaker(OF_RESULT) for each in self.expression(path, scope, text, line)])
        things = self.expression(path, scope, text, line)
        return as_instances([each for each in things if each.kind in BEYOND or self._is_type(each)])

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
        line = self._lines.of(thing.path, thing.place)
        for number, (path, place) in enumerate(line.types):
            if not number and thing.kind is ThingKind.INHERITED:
                continue
            if found := self._own_member(path, place, name):
                sure, why = (INHERITED, "inherited") if number else (MEMBER, "a member of its type")
                return tuple([Thing(ThingKind.DEFINITION, *each, sure, why) for each in found])
        return EXTERNAL if line.outside else ()

    def _own_member(self, path: str, place: int, name: str) -> list[tuple[str, int]]:
        sheet = self.names.sheet(path)
        found = [(path, each) for each in sheet.defined.get(place, name)]
        family = self.names.manner(path).family
        if family in ("python", "script") or (found and family != "c"):
            return found
        type_name = sheet.names[place]
        for other in self.names.defining(name):
            for each in self.names.sheet(other).owned(type_name, name):
                if any((own.path, own.place) == (path, place) for own in self.named_type(other, type_name)):
                    found.append((other, each))
        return found

    def _inherited(self, path: str) -> dict[int, list[str]]:
        """Return the bases of each type of a file, as they are written."""
        if path not in self._inherits:
            types: dict[int, list[str]] = {}
            for each in self.names.code.references(path, kind=ReferenceKind.INHERIT):
                if each.inside != FILE:
                    whole = f"{each.receiver}.{each.name}" if each.receiver else each.name
                    types.setdefault(each.inside, []).append(whole)
            self._inherits[path] = types
        return self._inherits[path]

    def _is_type(self, thing: Thing) -> bool:
        if thing.kind is not ThingKind.DEFINITION:
            return False
        return self.names.sheet(thing.path).is_type(thing.place)


def _is_own_type(signature: str, text: str) -> bool:
    """Whether a method returns the type of its own object, by a type variable: `def f(self: T) -> T`."""
    match = _OWN_TYPE.search(signature)
    return match is not None and match[1].rpartition(".")[2] == text


ONLY_METHOD = 72
"""How sure a method is whose name nothing else here has, where the object is not known."""

_ONE_OF = 60
_AT_A_GUESS = 30
_HERE_TOO, _AS_VALUE = 65, 50
_FEW = 8
_OF_TYPES = frozenset({ReferenceKind.INHERIT, ReferenceKind.TYPE})
_MOST_HANDED, _LOOKED_AT = 5, 40
_OBJECTS = frozenset({"script", "python"})
"""Families in which objects without a declared type hold functions."""

BoundReference = tuple[LinkStart, BindingResult]
"""A reference as the first fields of a link have it, with whom it may mean."""


class Binder:
    """Binds references of a repository in one state. Equal questions have equal answers, whatever was asked before."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.names = NameLookup(code)
        self.types = Types(self.names)
        self.once = self.names.circles.once
        self._known: dict[tuple[str, int, str, str, int, bool], tuple[BindingResult, int]] = {}
        self._values: dict[tuple[str, int], tuple[bool, int]] = {}
        self._called: dict[tuple[str, str], tuple[Sequence[tuple[str, int]], int]] = {}
        self._numbered: dict[tuple[str, str, int], tuple[BindingResult, int]] = {}
        self._held: dict[tuple[str, str, int], tuple[BindingResult, int]] = {}
        self.spoken: dict[tuple[str, str, frozenset[ReferenceKind]], tuple[Sequence[BoundReference], int]] = {}
        self.speaking: dict[tuple[str, str], Sequence[str]] = {}
        self.called: dict[tuple[str, str], Sequence[BoundReference]] = {}
        self._found: dict[int, tuple[BindingResult, dict[tuple[str, int], BindingCandidate]]] = {}

    def bound(self, path: str, reference: Reference) -> BindingResult:
        """Return whom a reference in a file may mean."""
        inside, line, kind, names = reference.inside, reference.line, reference.kind, self.names
        if kind is ReferenceKind.INHERIT and inside != FILE:
            inside = names.sheet(path).parents[inside]
        if reference.receiver:
            inside, line = names.settled(path, inside, reference.receiver, line)
        else:
            inside, line = names.settled_name(path, inside, reference.name, line)
        key = (path, inside, reference.receiver, reference.name, line, kind in _OF_TYPES)
        known = self._known.get(key)
        if known is not None:
            names.circles.read |= known[1]
            return known[0]
        return self.once(self._known, key, lambda: self._bound(path, reference, inside, line))

    def candidate(self, bound: BindingResult, meant: tuple[str, int]) -> BindingCandidate | None:
        """Return a definition (file and place) as one that may be meant; None where it may not."""
        if len(bound.candidates) < _FEW:
            return next((each for each in bound.candidates if (each.path, each.place) == meant), None)
        kept = self._found.get(id(bound))
        if kept is None:
            by_place = {(each.path, each.place): each for each in reversed(bound.candidates)}
            kept = self._found[id(bound)] = (bound, by_place)
        return kept[1].get(meant)

    def _bound(self, path: str, reference: Reference, inside: int, line: int) -> BindingResult:
        if reference.receiver:
            return self._of_receiver(path, inside, line, reference)
        things = self.names.lookup(path, inside, reference.name, line)
        if things is not None:
            things = self.types.meant(things)
            return self._not_found(path, reference) if _are_unknown(things) else as_bound(things)
        family = self.names.manner(path).family
        if reference.name in BUILTINS.get(family, ()):
            return BindingResult(external=True)
        return self._of_inherited(path, inside, reference) or self._by_name(path, reference)

    def _of_receiver(self, path: str, inside: int, line: int, reference: Reference) -> BindingResult:
        things = self.types.expression(path, inside, reference.receiver, line)
        if things and all(each.kind is ThingKind.EXTERNAL for each in things):
            return BindingResult(external=True)
        if _are_unknown(things):
            return self._not_found(path, reference)
        members = self.types.members(things, reference.name)
        if members:
            manner = self.names.manner(path)
            if reference.receiver in manner.selves | manner.classes:
                members = tuple([_of_self(each) for each in members])
            return as_bound(members)
        if not things and self.names.manner(path).family == "script" and reference.receiver.isidentifier():
            held = self.types.held(path, inside, reference.receiver, reference.name, line)
            if any(each.kind in DEFINED for each in held):
                return as_bound(held)
        return self._by_member_name(path, reference, known=bool(things))

    def _of_inherited(self, path: str, inside: int, reference: Reference) -> BindingResult | None:
        """Bind a name alone to a member of the type around it, in languages where members need no `this`."""
        if not self.names.manner(path).members_are_bare:
            return None
        around = self.types.type_of_method(path, inside)
        found = [each for each in self.types.members(around, reference.name) if each.kind is ThingKind.DEFINITION]
        return as_bound(found) if found else None

    def _by_name(self, path: str, reference: Reference) -> BindingResult:
        """Bind a name alone that no scope has to what is called so elsewhere."""
        manner = self.names.manner(path)
        places = [each for each in self._defining(path, reference) if manner.members_are_bare or not self._member(each)]
        if reference.kind in _OF_TYPES:
            places = [each for each in places if self._is_type(each)]
        sure = ONLY_ONE if manner.names_are_global else _AT_A_GUESS
        return by_number(places, sure, _ONE_OF if manner.names_are_global else _AT_A_GUESS)

    def _by_member_name(self, path: str, reference: Reference, *, known: bool) -> BindingResult:
        """Bind a member of an object of no known type, or of one that is not known to have it, by the name alone."""
        sure = ONLY_METHOD if not known and reference.name not in COMMON_METHODS else _AT_A_GUESS
        key = (self.names.manner(path).family, reference.name, sure)
        bound = self.once(self._numbered, key, lambda: self._all_members(path, reference, sure))
        if known:
            return bound

        def with_held() -> BindingResult:
            more = self._handed_over(path, reference)
            return BindingResult((*bound.candidates, *more)) if more else bound

        return self.once(self._held, (path, reference.name, sure), with_held)

    def _all_members(self, path: str, reference: Reference, sure: int) -> BindingResult:
        places = [each for each in self._defining(path, reference) if self._member(each)]
        return by_number(places, sure, _ONE_OF if sure == ONLY_METHOD else _AT_A_GUESS)

    def _handed_over(self, path: str, reference: Reference) -> Sequence[BindingCandidate]:
        """Return the functions that may be called as a member of an object which holds them, as `deps.search()`.

        Likeliest are those that the file imports or defines itself, then those that some file uses as a value.
        """
        if self.names.manner(path).family not in _OBJECTS or reference.name in COMMON_METHODS:
            return ()
        places = [
            each for each in self._defining(path, reference) if not self._member(each) and not self._is_type(each)
        ]
        places = [each for each in places if self.names.sheet(each[0]).kinds[each[1]] in CALLABLE]
        if not places or len(places) > _MOST_HANDED:
            return ()
        here = self.names.in_file(path, reference.name) or ()
        own = {(each.path, each.place) for each in here}
        found = []
        for each in sorted(places):
            if each in own:
                sure, why = _HERE_TOO, "an object may hold it: it is imported here"
            elif self._is_value(each, reference.name):
                sure, why = _AS_VALUE // len(places), "an object may hold it: it is passed as a value"
            else:
                sure, why = _AT_A_GUESS // len(places), "an object may hold it"
            found.append(BindingCandidate(*each, max(sure, LEAST), why))
        return sorted(found, key=lambda each: (-each.confidence, each.path, each.place))

    def _is_value(self, key: tuple[str, int], name: str) -> bool:
        """Whether one of the first files that speak of a function uses its name other than by calling it."""
        names, family = self.names, self.names.manner(key[0]).family

        def used() -> bool:
            names.asked(name)
            first = [path for path in self.code.referring(name)[:_LOOKED_AT] if names.manner(path).family == family]
            return any(
                each.kind is ReferenceKind.USE and not each.receiver
                for path in first
                for each in self.code.references(path, name)
            )

        return self.once(self._values, key, used)

    def _not_found(self, path: str, reference: Reference) -> BindingResult:
        """Bind what comes from a module that is neither here nor a declared dependency to all of that name."""
        bound = by_number(self._defining(path, reference), _AT_A_GUESS, _AT_A_GUESS)
        why = "its module is not found"
        return BindingResult(tuple([replace(each, why=f"{why}; {each.why}") for each in bound.candidates]))

    def _defining(self, path: str, reference: Reference) -> Sequence[tuple[str, int]]:
        names, name = self.names, reference.name
        family = names.manner(path).family

        def called() -> Sequence[tuple[str, int]]:
            paths = [each for each in names.defining(name) if names.manner(each).family == family]
            self.code.heads(paths)
            return [(each, place) for each in paths for place in names.sheet(each).called(name)]

        return self.once(self._called, (family, name), called)

    def _member(self, key: tuple[str, int]) -> bool:
        path, place = key
        sheet = self.names.sheet(path)
        definition = sheet.definition(place)
        return bool(definition.owner) or (definition.parent != FILE and sheet.is_type(definition.parent))

    def _is_type(self, key: tuple[str, int]) -> bool:
        return self.names.sheet(key[0]).is_type(key[1])


def _are_unknown(things: Sequence[Thing]) -> bool:
    return bool(things) and all(each.kind is ThingKind.UNKNOWN for each in things)


def _of_self(thing: Thing) -> Thing:
    return thing.weaker(100, "inherited" if thing.why == "inherited" else "a member of self")
