"""The prompts that were compiled here last, by fingerprint: hooks know them again when one is sent to an agent.

Local and deletable: without it a prompt is known by its form alone. It is read inside of hooks.
"""

from verifflowcc.adapters.files.partitions import add_fault
from verifflowcc.text.quick_json import read, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verifflowcc.text.quick_json import Json

FILE = "sent-prompts.jsonl"
_LONGEST_LOG_BYTES = 65_536


def sent_prompts(local: str) -> "list[dict[str, Json]]":
    """Return the fingerprints of the prompts that were compiled last, the newest first."""
    found = []
    for name in (f"{local}/{FILE}.old", f"{local}/{FILE}"):
        try:
            with open(name, encoding="utf-8") as file:  # noqa: PTH123 - pathlib takes as long to import as all of this
                lines = file.read().split("\n")
        except (OSError, ValueError):
            continue
        for line in lines:
            try:
                value = read(line)
            except ValueError:
                continue
            if isinstance(value, dict):
                found.append(value)
    return found[::-1]


def add_sent_prompt(local: str, prompt: "dict[str, Json]") -> None:
    """Add a fingerprint, unless it is there. Raises OSError."""
    if all(each.get("digest") != prompt["digest"] for each in sent_prompts(local)):
        add_fault(f"{local}/{FILE}", write(prompt).encode() + b"\n", _LONGEST_LOG_BYTES)
