"""What is read of a source text, as short lines that a test can compare."""

from verifflowcc.code.rules.grammars import read_facts
from verifflowcc.code.rules.graph import FILE, FileFacts, ReferenceKind, qualified


def read(language: str, text: str) -> FileFacts:
    facts = read_facts(language, text.encode())
    assert facts.problem == ""
    return facts


def where(facts: FileFacts, place: int) -> str:
    return "" if place == FILE else qualified(facts.definitions, place)


def defined(facts: FileFacts) -> list[str]:
    """`kind name line`, with `-end` where a definition has several lines."""
    return [
        f"{each.kind.value} {qualified(facts.definitions, place)} {each.line}"
        + (f"-{each.end}" if each.end > each.line else "")
        for place, each in enumerate(facts.definitions)
    ]


def said(facts: FileFacts, kind: ReferenceKind) -> list[str]:
    """`receiver.name` with the definition that it stands in."""
    return [
        f"{each.receiver}{'.' if each.receiver else ''}{each.name} in {where(facts, each.inside)}".removesuffix(" in ")
        for each in facts.references
        if each.kind is kind
    ]


def calls(facts: FileFacts) -> list[str]:
    return said(facts, ReferenceKind.CALL)


def bases(facts: FileFacts) -> list[str]:
    return said(facts, ReferenceKind.INHERIT)


def uses(facts: FileFacts) -> list[str]:
    return said(facts, ReferenceKind.USE)


def types(facts: FileFacts) -> list[str]:
    return said(facts, ReferenceKind.TYPE)


def imported(facts: FileFacts) -> list[tuple[str, str, str]]:
    return [(each.module, each.name, each.alias) for each in facts.imports]


def typed(facts: FileFacts) -> list[str]:
    """`name: type` with the definition that it holds in."""
    return [f"{each.name}: {each.type} in {where(facts, each.inside)}".removesuffix(" in ") for each in facts.typed]
