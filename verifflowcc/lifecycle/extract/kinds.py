"""Well-known tools by their kind, so that one of a kind takes the place of another: Emacs that of Vim, uv that of pip.

Nothing is found by this table that would not be found without it; without it, a tool replaces another only where the
sentence says what both are for.
"""

import re

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
    "virtual-meeting": "video-call", "issue-tracker": "project-management", "ai-assistant": "coding-assistant",
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
