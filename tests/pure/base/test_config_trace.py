"""The section `trace` of `config.yaml`: what it takes, what it refuses, and what it means."""

import pytest

from verifflowcc.base.config.config_validate import check
from verifflowcc.base.errors import ConfigError
from verifflowcc.base.model.config_values import TraceSettings

WHOLE = b"""trace:
  code: ["src/**/*.py", "!src/gen/**"]
  tests: ["tests/**"]
  exclude: ["docs/**"]
  reports: [build/junit.xml]
  results_from: make test
  target: origin/main
  id_pattern: (NEED|REQ)-[0-9]+
  baseline: known.json
"""
KEYS = ("code", "tests", "exclude", "reports", "results_from", "target", "id_pattern", "baseline")
ENDLESS = "it repeats a group, which can take for ever; repeat single characters"
REFUSED = [
    ("code: src/**", 'trace.code must be a list of patterns, not "src/**"'),
    ("code: [/etc/*]", 'trace.code: "/etc/*" is an absolute path; it is relative to the project'),
    ("tests: [../x]", 'trace.tests: "../x" leaves the project with `..`'),
    ("reports: [3]", "an item of trace.reports must be the path of a file: a text such as build/junit.xml, not 3"),
    ("reports: [build/]", 'trace.reports: "build/" names a folder; name the file'),
    ("reports: [.git/config]", 'trace.reports: ".git/config" lies in .git/, where git keeps its own'),
    ('results_from: " "', 'trace.results_from " " is empty; name a command, such as make test'),
    ("results_from: 3", "trace.results_from must be a command: a text such as make test, not 3"),
    ("target: --output=x", 'trace.target "--output=x" begins with -; name a branch, such as main or origin/main'),
    ("target: a b", 'trace.target "a b" is no name of a branch; name one, such as main or origin/main'),
    ("target: ''", 'trace.target "" is empty; name a branch, such as main or origin/main'),
    (
        "id_pattern: (a+)+b",
        f'trace.id_pattern "(a+)+b" cannot be used: {ENDLESS}',
    ),
    ("id_pattern: ''", 'trace.id_pattern "" is empty; no id would fit it'),
    (
        "baseline: ~/known.json",
        'trace.baseline "~/known.json" begins with ~, somebody\'s home; it is relative to the project',
    ),
    (
        "tagret: main",
        f"unknown key tagret in trace; allowed: {', '.join(KEYS)}; did you mean target?",
    ),
]


def test_the_whole_section_is_read() -> None:
    assert check(WHOLE, ["light"]).config.trace == TraceSettings(
        ("src/**/*.py", "!src/gen/**"),
        ("tests/**",),
        ("docs/**",),
        ("build/junit.xml",),
        "make test",
        "origin/main",
        "(NEED|REQ)-[0-9]+",
        "known.json",
    )


def test_a_file_without_the_section_leaves_all_to_the_defaults() -> None:
    assert check(b"format: 1\n", ["light"]).config.trace == TraceSettings()


@pytest.mark.parametrize(("line", "sentence"), REFUSED, ids=[line for line, _ in REFUSED])
def test_what_cannot_be_meant_is_one_sentence_with_its_line(line: str, sentence: str) -> None:
    with pytest.raises(ConfigError) as raised:
        check(f"trace:\n  {line}\n".encode(), ["light"])

    assert raised.value.problems == (f"config.yaml:2: {sentence}",)
