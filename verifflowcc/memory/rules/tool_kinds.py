"""Well-known tools by their kind, so that one of a kind takes the place of another: Emacs that of Vim, uv that of pip.

Nothing is found by this table that would not be found without it; without it, a tool replaces another only where the
sentence says what both are for.
"""

import re

from verifflowcc.base.model.item_values import Ref

# What a statement names: files and symbols of the project, and the languages, tools and areas that it is of.

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


KINDS = {
    "ide": "vim neovim emacs vscode vs-code visual-studio-code pycharm intellij intellij-idea sublime-text "
    "eclipse xcode"
    " webstorm helix zed cursor jupyter",
    "video-call": "zoom google-meet skype webex jitsi",
    "communication": "slack discord mattermost microsoft-teams ms-teams rocket.chat telegram",
    "version-control": "github gitlab bitbucket gitea forgejo codeberg azure-devops",
    "project-management": "jira trello asana clickup basecamp youtrack monday monday.com linear notion",
    "coding-assistant": "copilot github-copilot tabnine codewhisperer codestral codeium cody claude-code codex",
    "database": "postgres postgresql mysql mariadb sqlite oracle mongodb cockroachdb cassandra dynamodb",
    "package-manager": "npm pnpm yarn bun pip uv poetry conda pipenv",
    "test-framework": "pytest unittest jest vitest mocha junit rspec",
    "linter": "ruff flake8 pylint eslint clippy golangci-lint",
    "formatter": "black prettier gofmt rustfmt autopep8 yapf",
    "ci": "jenkins circleci github-actions gitlab-ci travis buildkite",
    "container": "docker podman",
    "shell": "bash zsh fish powershell",
    "indentation": "tabs spaces",
}
SEVERAL = frozenset({"database"})
"""Kinds of which a project may have several, each for something else."""
ROLES = {
    "integrated-development-environment": "ide", "editor": "ide", "code-editor": "ide", "text-editor": "ide",
    "development-environment": "ide", "vcs": "version-control", "video-conference": "video-call",
    "video-chat": "video-call",
    "virtual-meeting": "video-call", "machine": "computer", "workstation": "computer", "work-machine": "computer",
    "work-computer": "computer", "issue-tracker": "project-management", "ai-assistant": "coding-assistant",
}  # fmt: skip
SHORT_OF = {
    "vs-code": "vscode", "visual-studio-code": "vscode", "neovim": "vim", "copilot": "github-copilot",
    "ms-teams": "microsoft-teams", "postgresql": "postgres", "monday.com": "monday", "intellij-idea": "intellij",
    "tab-nine": "tabnine", "code-whisperer": "codewhisperer", "mac": "macbook",
}  # fmt: skip
_WORDS = {
    "ide": r"IDEs?|editors?|integrated development environments?",
    "video-call": r"video[- ]?(?:calls?|conferenc\w+|chats?)|virtual meetings?",
    "communication": r"(?:team |internal )?communication|chat",
    "version-control": r"version[- ]control(?: system| platform)?|VCS",
    "project-management": r"project[- ]management(?: tool| system| platform)?|issue tracker",
    "coding-assistant": r"(?:AI )?(?:coding|code|programming) assistants?",
    "database": r"databases?",
    "package-manager": r"package managers?",
    "test-framework": r"test(?:ing)? (?:framework|runner)s?",
    "linter": r"linters?",
    "formatter": r"formatters?",
    "ci": r"CI|continuous integration",
    "container": r"containers?",
    "shell": r"shell",
    "indentation": r"indentation",
}
WORD_OF = {kind: re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE) for kind, words in _WORDS.items()}
KIND_OF = {name: kind for kind, names in KINDS.items() for name in names.split()}


def kind_of(tool: str) -> str:
    """Return the kind of a tool by its name in normal form; "" where it is not known.

    >>> kind_of("emacs"), kind_of("a-tool-of-our-own")
    ('ide', '')
    """
    return KIND_OF.get(SHORT_OF.get(tool, tool), "")


def plain_tool(tool: str) -> str:
    """Return the name under which a tool is known that has several."""
    return SHORT_OF.get(tool, tool)


def plain_role(role: str) -> str:
    """Return the name of a kind that has several: `text-editor` is `ide`."""
    found = ROLES.get(role, role)
    for kind in KIND_OF.values():
        if found.endswith(f"-{kind}") or found.startswith((f"{kind}-tool", f"{kind}-system")):
            return kind
    return next((ROLES[each] for each in ROLES if found.endswith(f"-{each}")), found)


def word_for(kind: str, text: str) -> str:
    """Return the words by which a text names a kind of tools; "" where it does not.

    >>> word_for("ide", "Let us speak of editors."), word_for("ide", "Let us speak of cars.")
    ('editors', '')
    """
    found = WORD_OF[kind].search(text) if kind in WORD_OF else None
    return found[0] if found else ""
