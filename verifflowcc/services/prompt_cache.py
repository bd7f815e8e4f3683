"""The last prompts, by everything that went in: compiling is a pure function, so what it gave once it gives again.

A prompt is kept only where every file has settled: one that was touched a moment ago could change again with the same
size and times.
"""

import json
import time
from dataclasses import fields
from hashlib import sha256

from verifflowcc import __version__
from verifflowcc.adapters.files.tree import Found
from verifflowcc.adapters.index.files import SETTLED_AFTER_NS
from verifflowcc.domain.entries import LayerUse, Prompt
from verifflowcc.domain.layers import Layer
from verifflowcc.services.circumstances import Circumstances


def recall(here: Circumstances) -> Prompt | None:
    """Return the prompt that these very inputs gave before, if it is kept."""
    body = here.index.packages.get(_key(here)) if _settled(here) else None
    return None if body is None else _prompt(json.loads(body))


def keep(here: Circumstances, prompt: Prompt) -> None:
    """Keep a prompt for the next command."""
    if _settled(here):
        values = {field.name: getattr(prompt, field.name) for field in fields(Prompt)}
        values["layers"] = [[getattr(use, field.name) for field in fields(LayerUse)] for use in prompt.layers]
        here.index.packages.put(_key(here), json.dumps(values).encode())


def _prompt(values: dict[str, object]) -> Prompt:
    layers = values.pop("layers")
    notices = values.pop("notices")
    if not isinstance(layers, list) or not isinstance(notices, list):
        raise TypeError("a kept prompt has no layers")
    uses = tuple(LayerUse(Layer(layer), *numbers) for layer, *numbers in layers)
    return Prompt(layers=uses, notices=tuple(notices), **values)  # type: ignore[arg-type]


def _settled(here: Circumstances) -> bool:
    before = time.time_ns() - SETTLED_AFTER_NS
    return not here.question.committed and all(file.touched_ns < before for file in _files(here))


def _files(here: Circumstances) -> list[Found]:
    return [one.source for one in here.selection.selected if isinstance(one.source, Found)]


def _key(here: Circumstances) -> str:
    question = here.question
    place = here.place
    parts = [
        __version__,
        *(f"{field.name}={getattr(question, field.name)!r}" for field in fields(question)),
        repr(place),
        repr(sorted(here.inputs.items())),
        repr(here.notices),
        repr(here.selection.unmatched),
        *(f"{one.layer} {one.key} {one.path} {one.always}" for one in here.selection.selected),
        *(f"{file.signature} {file.problem}" for file in _files(here)),
    ]
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
