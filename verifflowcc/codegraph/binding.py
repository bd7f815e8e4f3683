"""Which definition a reference means: by scope, import and type where these say so, else by its name.

In order: the scopes around it; what the file imports; for `a.b`, the members of what `a` stands for and of what that
inherits; then any definition of the name that the file could mean, the less sure the more there are.
"""

from collections.abc import Sequence

from verifflowcc.codegraph.bind_common import BUILTINS, COMMON_METHODS
from verifflowcc.codegraph.bind_names import ONLY_ONE, Names
from verifflowcc.codegraph.bind_things import Thing, ThingKind
from verifflowcc.codegraph.bind_types import Types
from verifflowcc.domain.graph import CALLABLE, FILE, TYPES, Code, Reference, ReferenceKind
from verifflowcc.domain.graph_answers import Bound, Candidate
from verifflowcc.records import replace

ONLY_METHOD = 72
"""How sure a method is whose name nothing else here has, where the object is not known."""

_ONE_OF = 60
_AT_A_GUESS = 30
_LEAST = 5
_HERE_TOO, _AS_VALUE = 65, 50
_MOST_HANDED, _LOOKED_AT = 5, 40
_OBJECTS = frozenset({"script", "python"})
"""Families in which objects without a declared type hold functions."""
_DEFINED = frozenset({ThingKind.DEFINITION, ThingKind.MODULE})


class Binder:
    """Binds references of a repository in one state. Equal questions have equal answers, whatever was asked before."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.names = Names(code)
        self.types = Types(self.names)
        self._known: dict[tuple[str, int, str, str, int, bool], Bound] = {}
        self._values: dict[tuple[str, int], bool] = {}
        self._called: dict[tuple[str, str], Sequence[tuple[str, int]]] = {}

    def bound(self, path: str, reference: Reference) -> Bound:
        """Return whom a reference in a file may mean."""
        inherits = reference.kind is ReferenceKind.INHERIT
        key = (path, reference.inside, reference.receiver, reference.name, reference.line, inherits)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._bound(path, reference)
        return known

    def _bound(self, path: str, reference: Reference) -> Bound:
        inside = reference.inside
        if reference.kind is ReferenceKind.INHERIT and inside != FILE:
            inside = self.names.sheet(path).definition(inside).parent
        if reference.receiver:
            return self._of_receiver(path, inside, reference)
        things = self.names.lookup(path, inside, reference.name, reference.line)
        if things is not None:
            return self._not_found(path, reference) if _are_unknown(things) else _as_bound(things)
        family = self.names.manner(path).family
        if reference.name in BUILTINS.get(family, ()):
            return Bound(external=True)
        return self._of_inherited(path, inside, reference) or self._by_name(path, reference)

    def _of_receiver(self, path: str, inside: int, reference: Reference) -> Bound:
        things = self.types.expression(path, inside, reference.receiver, reference.line)
        if things and all(each.kind is ThingKind.EXTERNAL for each in things):
            return Bound(external=True)
        if _are_unknown(things):
            return self._not_found(path, reference)
        members = self.types.members(things, reference.name)
        if members:
            manner = self.names.manner(path)
            if reference.receiver in manner.selves | manner.classes:
                members = tuple([_of_self(each) for each in members])
            return _as_bound(members)
        return self._by_member_name(path, reference, known=bool(things))

    def _of_inherited(self, path: str, inside: int, reference: Reference) -> Bound | None:
        """Bind a name alone to a member of the type around it, in languages where members need no `this`."""
        if not self.names.manner(path).members_are_bare:
            return None
        around = self.types.type_of_method(path, inside)
        found = [each for each in self.types.members(around, reference.name) if each.kind is ThingKind.DEFINITION]
        return _as_bound(found) if found else None

    def _by_name(self, path: str, reference: Reference) -> Bound:
        """Bind a name alone that no scope has to what is called so elsewhere."""
        manner = self.names.manner(path)
        places = [each for each in self._defining(path, reference) if manner.members_are_bare or not self._member(each)]
        if reference.kind in (ReferenceKind.INHERIT, ReferenceKind.TYPE):
            places = [each for each in places if self._is_type(each)]
        sure = ONLY_ONE if manner.names_are_global else _AT_A_GUESS
        return _by_number(places, sure, _ONE_OF if manner.names_are_global else _AT_A_GUESS)

    def _by_member_name(self, path: str, reference: Reference, *, known: bool) -> Bound:
        """Bind a member of an object of no known type, or of one that is not known to have it, by the name alone."""
        places = [each for each in self._defining(path, reference) if self._member(each)]
        sure = ONLY_METHOD if not known and reference.name not in COMMON_METHODS else _AT_A_GUESS
        bound = _by_number(places, sure, _ONE_OF if sure == ONLY_METHOD else _AT_A_GUESS)
        return bound if known else Bound((*bound.candidates, *self._handed_over(path, reference)))

    def _handed_over(self, path: str, reference: Reference) -> Sequence[Candidate]:
        """Return the functions that may be called as a member of an object which holds them, as `deps.search()`.

        Likeliest are those that the file imports or defines itself, then those that some file uses as a value.
        """
        if self.names.manner(path).family not in _OBJECTS or reference.name in COMMON_METHODS:
            return ()
        places = [
            each for each in self._defining(path, reference) if not self._member(each) and not self._is_type(each)
        ]
        places = [each for each in places if self.names.sheet(each[0]).definition(each[1]).kind in CALLABLE]
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
            found.append(Candidate(*each, max(sure, _LEAST), why))
        return sorted(found, key=lambda each: (-each.confidence, each.path, each.place))

    def _is_value(self, key: tuple[str, int], name: str) -> bool:
        """Whether one of the first files that speak of a function uses its name other than by calling it."""
        known = self._values.get(key)
        if known is None:
            family = self.names.manner(key[0]).family
            known = self._values[key] = any(
                each.kind is ReferenceKind.USE and not each.receiver
                for path in self.code.referring(name)[:_LOOKED_AT]
                if self.names.manner(path).family == family
                for each in self.code.references(path, name)
            )
        return known

    def _not_found(self, path: str, reference: Reference) -> Bound:
        """Bind what comes from a module that is neither here nor a declared dependency to all of that name."""
        bound = _by_number(self._defining(path, reference), _AT_A_GUESS, _AT_A_GUESS)
        why = "its module is not found"
        return Bound(tuple([replace(each, why=f"{why}; {each.why}") for each in bound.candidates]))

    def _defining(self, path: str, reference: Reference) -> Sequence[tuple[str, int]]:
        names, name = self.names, reference.name
        family = names.manner(path).family
        known = self._called.get((family, name))
        if known is None:
            paths = [each for each in self.code.defining(name) if names.manner(each).family == family]
            self.code.heads(paths)
            known = self._called[family, name] = [
                (each, place)
                for each in paths
                for place, definition in enumerate(names.sheet(each).head.definitions)
                if definition.name == name
            ]
        return known

    def _member(self, key: tuple[str, int]) -> bool:
        path, place = key
        sheet = self.names.sheet(path)
        definition = sheet.definition(place)
        return bool(definition.owner) or (definition.parent != FILE and sheet.is_type(definition.parent))

    def _is_type(self, key: tuple[str, int]) -> bool:
        return self.names.sheet(key[0]).definition(key[1]).kind in TYPES


def _are_unknown(things: Sequence[Thing]) -> bool:
    return bool(things) and all(each.kind is ThingKind.UNKNOWN for each in things)


def _of_self(thing: Thing) -> Thing:
    return thing.weaker(100, "inherited" if thing.why == "inherited" else "a member of self")


def _as_bound(things: Sequence[Thing]) -> Bound:
    candidates = [Candidate(each.path, each.place, each.sure, each.why) for each in things if each.kind in _DEFINED]
    candidates.sort(key=lambda each: (-each.confidence, each.path, each.place))
    outside = bool(things) and all(each.kind is ThingKind.EXTERNAL for each in things)
    return Bound(tuple(candidates), outside)


def _by_number(places: Sequence[tuple[str, int]], alone: int, shared: int) -> Bound:
    count = len(places)
    if count == 1:
        return Bound((Candidate(*places[0], alone, "the only one of its name"),))
    sure = max(shared // count, _LEAST) if count else 0
    return Bound(tuple([Candidate(*each, sure, f"one of {count} of its name") for each in sorted(places)]))
