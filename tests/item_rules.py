"""How sentences on items, tasks and artifacts are held against their files."""

import re

from tests.claim_truth import Item, Truth, begins, in_force, items_in, plain


def item_line(truth: Truth, found: re.Match[str]) -> bool:
    """An item that holds, with its type, trust and title; below a file's heading it cites the file."""
    item = next((each for each in in_force(truth.files) if each.id == found["id"]), None)
    if item is None or item.type != found["type"] or not begins(item.title, found["title"]):
        return False
    path = truth.heading.removeprefix("Known of ") if truth.heading.startswith("Known of ") else ""
    cites = not path or path in [ref.get("path") for ref in item.front.get("refs") or ()]
    trusted = found["trust"] == (item.front.get("trust") or "human")
    return cites and trusted and (not found["stale"] or _is_stale(truth, item, found["stale"]))


def _is_stale(truth: Truth, item: Item, shown: str) -> bool:
    """Whether a file that the item cites, and that is named, changed while the session was recorded, or is gone."""
    paths = [ref["path"] for ref in item.front.get("refs") or () if ref.get("path", "\n") in shown]
    return any(each.files.get(path) != truth.files.get(path) for path in paths for each in truth.so_far)


def item_text(truth: Truth, found: re.Match[str]) -> bool:
    """The beginning of the text of the item above it."""
    name = re.match(r"[a-z_]+ (\S+),", truth.entry)
    return any(each.id == name[1] and begins(each.body, found[1]) for each in items_in(truth.files)) if name else False


def rules_heading(truth: Truth, found: re.Match[str]) -> bool:
    """Where rules are said to match the work, the first shares a word with the goals or an open task."""
    if not found[1]:
        return True
    name = re.match(r"[a-z_]+ (\S+),", (truth.under("Rules in force") or [""])[0])
    item = next((each for each in items_in(truth.files) if name and each.id == name[1]), None)
    sprint = truth.sprint or {}
    work = " ".join([*truth.under("Open tasks"), *sprint.get("goals", ()), sprint.get("title", "")])
    return item is not None and not _stems(work).isdisjoint(_stems(f"{item.title} {item.body} {item.key} {item.tags}"))


def _stems(text: str) -> set[str]:
    return {word[:4].lower() for word in re.findall(r"\w{4,}", text)}


def proposal(truth: Truth, found: re.Match[str]) -> bool:
    """An item that waits for a person, with the actor that proposed it."""
    item = next((each for each in items_in(truth.files) if each.id == found[2]), None)
    if item is None or item.type != found[1] or not begins(item.title, found[4]):
        return False
    return item.status == "pending" and str((item.front.get("source") or {}).get("actor", "unknown")) == found[3]


def task(truth: Truth, found: re.Match[str]) -> bool:
    """A task that somebody started by a command, and did not finish."""
    given = [str(each.payload.get("tool_input")) for each in truth.of("PostToolUse")]
    begun = any("task start" in each and plain(found[2]).rstrip("…") in plain(each) for each in given)
    return begun and not any(f"task finish {found[1]}" in each for each in given)


def artifact(truth: Truth, found: re.Match[str]) -> bool:
    """An artifact of an earlier stage of the sprint, with its size."""
    text = truth.files.get(found["path"])
    size = found["bytes"] or found["size"]
    here = f"/{truth.stage.get('id')}/artifacts/"
    if text is None or here in found["path"]:
        return False
    return not size or int(size.replace(",", "")) == len(text.encode())


def quoted(truth: Truth, found: re.Match[str]) -> bool:
    """A line of the artifact that is named above it, or parts of it with gaps between."""
    path = re.match(r"(\.memory/\S+?)(?: \(|:|$)", truth.entry)
    text = plain(truth.files.get(path[1], "")) if path else ""
    rest = re.sub(r"^#+ ", "", found[1])
    return all(part.strip() in text for part in re.split(r"…|: ", plain(rest)))


def no_longer_in_force(truth: Truth, found: re.Match[str]) -> bool:
    now = {each.id for each in in_force(truth.files)}
    past = {one.id for each in truth.so_far[:-1] for one in in_force(each.files)}
    return all(name in past and name not in now for name in found[1].split(", "))
