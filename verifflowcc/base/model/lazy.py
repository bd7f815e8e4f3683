"""What is loaded when it is first used: functions named in registries, and regular expressions."""

TYPE_CHECKING = False

if TYPE_CHECKING:
    import re
    from typing import Any, AnyStr


def load(place: str) -> "Any":
    """Return what a place `MODULE:NAME` names; its module is imported now."""
    module, _, name = place.partition(":")
    return getattr(__import__(module, fromlist=(name,)), name)


def lazy_pattern(pattern: "AnyStr", flags: int = 0) -> "re.Pattern[AnyStr]":
    """Return what `re.compile` returns, compiled when it is first used.

    Most commands use a tenth of the expressions in the modules that they import, and one takes about as long to compile
    as a module to load. The functions of `re` do not take such a pattern; its methods do all that they do.

    >>> lazy_pattern("a+").sub("b", "caat")
    'cbt'
    """
    return _LazyPattern(pattern, flags)  # type: ignore[return-value]


_METHODS = ("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer", "scanner")
_FACTS = ("flags", "groups", "groupindex")


class _LazyPattern:
    """A regular expression that gets the methods of the compiled one when the first of them is asked for."""

    def __init__(self, pattern: "str | bytes", flags: int) -> None:
        self.pattern = pattern
        self._given = flags

    def __getattr__(self, name: str) -> "Any":
        if name not in _METHODS and name not in _FACTS:
            raise AttributeError(name)
        import re

        compiled = re.compile(self.pattern, self._given)
        for each in (*_METHODS, *_FACTS):  # found without this function from now on
            setattr(self, each, getattr(compiled, each))
        return getattr(compiled, name)
