"""What a statement names: files and symbols of the project, and the languages, tools and areas that it is of."""

import re

from verifflowcc.domain.items import Ref

_ENDINGS = {
    "py": "python", "pyi": "python", "js": "javascript", "jsx": "javascript", "ts": "typescript", "tsx": "typescript",
    "go": "go", "rs": "rust", "java": "java", "rb": "ruby", "kt": "kotlin", "swift": "swift", "c": "c", "h": "c",
    "cpp": "c++", "cs": "c#", "php": "php", "sql": "sql", "sh": "shell", "css": "css", "html": "html", "md": "",
    "yaml": "", "yml": "", "toml": "", "json": "", "txt": "", "cfg": "", "ini": "", "xml": "", "proto": "", "tf": "",
}  # fmt: skip
_PATH = re.compile(
    r"(?<![\w./:@~-])(?:\./)?(?P<path>(?:[\w.-]+/)*[\w-][\w.-]*\.(?P<ending>[A-Za-z]{1,5}))"
    r"(?:::?(?P<symbol>[A-Za-z_][\w.]*))?(?![\w/-])"
)
_SYMBOL = re.compile(r"`(?P<symbol>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?:\(\))?`")
_TAGS = {
    "python": r"Python|pytest|PEP ?8|docstrings?",
    "javascript": r"JavaScript|Node(?:\.js)?",
    "typescript": r"TypeScript",
    "rust": r"(?-i:Rust)|cargo",
    "go": r"(?-i:Go)(?= (?:code|modules?|tests?|services?)\b)|golang",
    "java": r"(?-i:Java)",
    "sql": r"SQL|Postgres(?:QL)?|MySQL|SQLite",
    "react": r"(?-i:React)",
    "docker": r"Docker",
    "git": r"git|commits?|commit messages?|branch(?:es)?|pull requests?",
    "testing": r"(?:unit |integration )?tests?",
    "database": r"databases?|migrations?|Postgres(?:QL)?|MySQL|SQLite",
    "deployment": r"deploy\w*|Kubernetes|Terraform",
    "accessibility": r"accessib\w+|screen readers?",
    "security": r"passwords?|VPNs?|encrypt\w*",
    "ci": r"CI(?:/CD)?",
    "logging": r"logging|logs?",
    "documentation": r"docs|documentation|readme",
}
_TAG = {tag: re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE) for tag, words in _TAGS.items()}
_NO_FILES = frozenset({"Node.js", "Vue.js", "Next.js", "React.js", "Express.js", "D3.js", "Three.js"})
_MOST = 4


def refs_of(text: str) -> tuple[Ref, ...]:
    """Return the files that a text names, with the symbol where it names one with it; none outside the project.

    >>> refs_of("Keep `load` in src/app.py free of I/O.")
    (Ref(path='src/app.py', symbol='load', digest=None),)
    """
    named = [
        each
        for each in _PATH.finditer(text)
        if each["ending"] in _ENDINGS and ".." not in each["path"] and each["path"] not in _NO_FILES
    ]
    symbols = [each["symbol"] for each in _SYMBOL.finditer(text)]
    alone = symbols[0] if len(symbols) == len(named) == 1 and symbols[0] not in named[0]["path"] else None
    return tuple(dict.fromkeys(Ref(each["path"], each["symbol"] or alone) for each in named))[:_MOST]


def details_of(text: str) -> tuple[tuple[str, str], ...]:
    """Return the symbol that a text names without its file: no ref can be made of it, and no other item has it.

    >>> details_of("Never call `orders.total` twice.")
    (('symbol', 'orders.total'),)
    """
    if refs_of(text):
        return ()
    found = _SYMBOL.search(text)
    return (("symbol", found["symbol"]),) if found and re.search(r"[._]", found["symbol"]) else ()


def tags_of(text: str) -> tuple[str, ...]:
    """Return the languages, tools and areas that a text surely is of, in order of their names.

    >>> tags_of("Write migrations in plain SQL."), tags_of("The client is Acme.")
    (('database', 'sql'), ())
    """
    endings = {_ENDINGS.get(each["ending"], "") for each in _PATH.finditer(text)} - {""}
    return tuple(sorted(endings | {tag for tag, words in _TAG.items() if words.search(text)}))[:_MOST]
