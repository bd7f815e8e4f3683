"""Which language a source file is in: the ones that a grammar reads, and the others that are known by name."""

from verifflowcc.code.rules import comment_syntax

_BY_ENDING = {
    ending: language
    for language, endings in {
        "python": ".py .pyi .pyw",
        "javascript": ".js .jsx .mjs .cjs .es6",
        "typescript": ".ts .mts .cts",
        "tsx": ".tsx",
        "go": ".go",
        "rust": ".rs",
        "java": ".java .jav",
        "c": ".c .h",
        "cpp": ".cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .inl .ipp .ino .cu .cuh .ixx",
        "csharp": ".cs .csx",
        "ruby": ".rb .rake .gemspec .ru",
        "php": ".php .phtml .inc",
        "bash": ".sh .bash .bats .ksh .ash",
    }.items()
    for ending in endings.split()
}
_BY_NAME = {
    "rakefile": "ruby", "gemfile": "ruby", "vagrantfile": "ruby", "podfile": "ruby", "fastfile": "ruby",
    "sconstruct": "python", "sconscript": "python",
}  # fmt: skip
_SCRIPTS = {"python": "python", "shell": "bash", "javascript": "javascript", "ruby": "ruby", "php": "php"}
_NO_CODE = frozenset({"yaml", "toml", "ini", "docker", "markup", "css", "scss", "tex"})
_CPP_WORDS = (b"class ", b"namespace ", b"template<", b"template <", b"public:", b"private:", b"std::", b"virtual ")


def language_of(path: str, start: bytes = b"") -> str:
    """Return the language of a file that a grammar reads, by its name or the `#!` in its first bytes; "" for others.

    >>> language_of("a/b.TSX"), language_of("tool", b"#!/usr/bin/env python3\\n"), language_of("a.kt")
    ('tsx', 'python', '')
    """
    name = path.rpartition("/")[2]
    ending = name[name.rfind(".") :].lower() if "." in name else ""
    found = _BY_NAME.get(name.lower()) or _BY_ENDING.get(ending, "")
    if found == "c" and ending == ".h" and any(word in start for word in _CPP_WORDS):
        return "cpp"
    if found or comment_syntax.language_of(path):
        return found
    if start.startswith(b"#!"):
        script = comment_syntax.script_language(start[:200].decode("utf-8", "replace"))
        return _SCRIPTS.get(script or "", "")
    return ""


def known_without_grammar(path: str) -> str:
    """Return the name of a language of code that no grammar here reads; "" where one does, or the file is no code.

    >>> known_without_grammar("a.lua"), known_without_grammar("a.py"), known_without_grammar("a.yaml")
    ('lua', '', '')
    """
    known = comment_syntax.language_of(path)
    return "" if known is None or known in _NO_CODE or language_of(path) else _by_ending(path, known)


def _by_ending(path: str, known: str) -> str:
    """Return a language's usual name where a row of comment syntax is for several."""
    ending = path[path.rfind(".") :].lower()
    return _NAMED.get(ending, known)


_NAMED = {
    ".kt": "kotlin", ".kts": "kotlin", ".scala": "scala", ".sc": "scala", ".swift": "swift", ".m": "objective-c",
    ".mm": "objective-c++", ".clj": "clojure", ".cljs": "clojure", ".el": "emacs lisp", ".scm": "scheme",
    ".rkt": "racket", ".elm": "elm", ".proto": "protocol buffers", ".sol": "solidity", ".sv": "systemverilog",
    ".v": "verilog", ".pyx": "cython", ".bzl": "starlark", ".coffee": "coffeescript", ".cr": "crystal",
    ".vue": "vue", ".svelte": "svelte", ".vhd": "vhdl", ".vhdl": "vhdl", ".purs": "purescript", ".zsh": "zsh",
    ".fish": "fish", ".hcl": "terraform", ".tcl": "tcl", ".awk": "awk", ".glsl": "glsl", ".thrift": "thrift",
}  # fmt: skip
