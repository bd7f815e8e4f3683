"""The head of one file, laid out so that names are looked up in it."""

from collections import defaultdict
from collections.abc import Iterator

from verifflowcc.domain.graph import FILE, TYPES, Definition, Head, Import, Typed


class Sheet:
    """What a file says, by scope and name: places of definitions, imports, types. A scope is a place, or `FILE`.

    `owned` has the methods that are written outside of their type, by the type's name and theirs.
    """

    __slots__ = ("defined", "head", "imported", "owned", "path", "stars", "typed")

    def __init__(self, path: str, head: Head) -> None:
        self.path = path
        self.head = head
        self.defined: dict[tuple[int, str], list[int]] = defaultdict(list)
        self.owned: dict[tuple[str, str], list[int]] = defaultdict(list)
        self.imported: dict[tuple[int, str], list[Import]] = defaultdict(list)
        self.stars: list[Import] = []
        self.typed: dict[tuple[int, str], list[Typed]] = defaultdict(list)
        for place, each in enumerate(head.definitions):
            if each.owner:
                self.owned[each.owner, each.name].append(place)
            else:
                self.defined[each.parent, each.name].append(place)
        for taken in head.imports:
            if taken.name == "*":
                self.stars.append(taken)
            if taken.alias and taken.alias != "*":
                self.imported[taken.inside, taken.alias].append(taken)
        for said in head.typed:
            self.typed[said.inside, said.name].append(said)

    def definition(self, place: int) -> Definition:
        """Return the definition at a place."""
        return self.head.definitions[place]

    def around(self, place: int) -> Iterator[int]:
        """Yield a scope and those around it, innermost first, `FILE` last."""
        definitions = self.head.definitions
        while place != FILE:
            yield place
            place = definitions[place].parent
        yield FILE

    def type_around(self, place: int) -> int:
        """Return the innermost type that a scope is in, or is; `FILE` where there is none."""
        return next((each for each in self.around(place) if each != FILE and self.is_type(each)), FILE)

    def is_type(self, place: int) -> bool:
        """Say whether the definition at a place is a type."""
        return self.definition(place).kind in TYPES


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
