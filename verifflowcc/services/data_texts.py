"""Which files of `.memory/` a prompt shows as sentences, and how their texts are read for that."""

from fnmatch import fnmatchcase

from verifflowcc.adapters.files.layout import MEMORY
from verifflowcc.context.data_sentences import VERSION, context_text, progress_text, tools_text
from verifflowcc.errors import ConfigError

_TOOLS = f"{MEMORY}/agent/*/tools.yaml"
_TEXTS = {f"{MEMORY}/sprint/*/progress.json": progress_text, f"{MEMORY}/agent/*/context.json": context_text}


def data_kind(path: str) -> str:
    """Return a name for how the text of a file is shown, which changes with the sentences; empty for other files."""
    known = any(fnmatchcase(path, pattern) for pattern in (_TOOLS, *_TEXTS))
    return f"{path.rpartition('/')[2]}-{VERSION}" if known else ""


def prompt_text(path: str, text: str) -> str:
    """Return the text of a file as prompts show it."""
    if fnmatchcase(path, _TOOLS):
        return _tools(path, text)
    found = next((each for pattern, each in _TEXTS.items() if fnmatchcase(path, pattern)), None)
    return found(text) if found else text


def _tools(path: str, text: str) -> str:
    from verifflowcc.adapters.config.yaml_values import load_yaml

    try:
        value, _ = load_yaml(text.encode(), path)
    except ConfigError:
        return text
    return tools_text(text, value)
