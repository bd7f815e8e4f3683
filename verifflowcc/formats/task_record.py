"""A task as the JSON that is kept of it, and back."""

from collections.abc import Mapping
from datetime import datetime

from verifflowcc.domain.tasks import Task
from verifflowcc.errors import FormatError
from verifflowcc.records import field_names
from verifflowcc.text.canonical import canonical, parse_canonical
from verifflowcc.text.record_codec import record_from_json, record_to_json


def task_bytes(task: Task) -> bytes:
    """Return a task as one line of canonical JSON."""
    return canonical(record_to_json(task)) + b"\n"


def read_task(data: bytes) -> Task:
    """Return the task that `data` says. Raises FormatError where it says none."""
    value = parse_canonical(data.removesuffix(b"\n"))
    if not isinstance(value, Mapping) or set(value) != {*field_names(Task)}:
        raise FormatError(f"a task has the keys {', '.join(sorted(field_names(Task)))}, and no other")
    task = record_from_json(Task, value, "a task")
    try:
        datetime.fromisoformat(task.started)
    except ValueError as error:
        raise FormatError(f"status or started: {error}") from error
    return task
