"""How languages differ in whom a name can mean: what they call the object at hand, and what a name alone may reach."""

from verifflowcc.records import dataclass


@dataclass(frozen=True, slots=True)
class Manner:
    """The rules of a family of languages, whose files may mean each other's names.

    `selves` call the object at hand, `classes` its type, `supers` what it inherits. `members_are_bare` says that a
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
_PYTHON = Manner("python", frozenset({"self"}), frozenset({"cls"}), frozenset({"super()"}))
_SCRIPT = Manner("script", _THIS, frozenset(), frozenset({"super", "super()"}))
_GO = Manner("go", folder_is_scope=True)
_RUST = Manner("rust", frozenset({"self"}), frozenset({"Self"}), names_are_global=True)
_JAVA = Manner("java", _THIS, frozenset(), frozenset({"super"}), True, True, True)
_CSHARP = Manner("csharp", _THIS, frozenset(), frozenset({"base"}), True, True, True)
_C = Manner("c", _THIS, frozenset(), frozenset(), True, False, True)
_RUBY = Manner("ruby", frozenset({"self"}), frozenset(), frozenset({"super"}), True, False, True)
_PHP = Manner(
    "php", frozenset({"this", "$this"}), frozenset({"self", "static"}), frozenset({"parent"}), False, True, True
)
_BASH = Manner("bash", names_are_global=True)

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


def manner_of(language: str) -> Manner:
    """Return the rules of a language; one that is not known is a family of its own, with global names."""
    return _MANNERS.get(language) or Manner(language, names_are_global=True)
