"""The section `gates` of `config.yaml`: what may be run, where its reports lie, how strict gates are."""

import pytest

from verifflowcc.base.config.config_validate import check
from verifflowcc.base.errors import ConfigError
from verifflowcc.base.model.config_values import Config, GateSettings
from verifflowcc.base.model.evidence_values import Command
from verifflowcc.base.model.gate_values import Mode
from verifflowcc.base.text.command_placeholders import fill, placeholder_problem, placeholders

WORKFLOWS = ("light",)
COMMAND_KEYS = "run, timeout, reports, inputs"
NAME_RULE = "use at most 40 lower-case letters, digits, - and _, beginning with a letter"
SECONDS = "a whole number of seconds from 1 to 86,400"
QUOTES = "put it in quotes if you mean the text"
NOT_WRITTEN = "must not be written by a command; below .memory/ there is .memory/local/ for it"
TEST = "gates.commands.test"


def config(text: str) -> Config:
    return check(text.encode(), WORKFLOWS).config


def gates(text: str) -> GateSettings:
    return config(text).gates


def problems(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        config(text)
    return list(caught.value.problems)


def test_no_section_and_an_empty_one_run_nothing() -> None:
    assert gates("") == gates("gates: {}") == gates("gates: {commands: {}, modes: {}}") == GateSettings({}, {})


def test_a_command_has_words_a_timeout_reports_and_inputs() -> None:
    given = gates(
        "gates:\n  commands:\n    test:\n      run: [python, -m, pytest, '--junitxml={junit}']\n      timeout: 60\n"
        "      reports: {coverage: build/c.xml, junit: .memory/local/j.xml}\n      inputs: ['src/**', '!src/gen/**']\n"
        "    build: {run: [make]}\n"
    )

    assert given.commands == {
        "build": Command("build", ("make",), 600, {}, ()),
        "test": Command(
            "test",
            ("python", "-m", "pytest", "--junitxml={junit}"),
            60,
            {"junit": ".memory/local/j.xml", "coverage": "build/c.xml"},
            ("src/**", "!src/gen/**"),
        ),
    }


def test_off_needs_no_quotes() -> None:
    assert gates("gates: {modes: {trace: off, tests: hard, coverage: 'soft'}}").modes == {
        "coverage": Mode.SOFT,
        "tests": Mode.HARD,
        "trace": Mode.OFF,
    }


ONE_PROBLEM = [
    ("gates: []", "1: gates must be a mapping with keys out of commands, modes, not a list"),
    ("gates: {mode: {}}", "1: unknown key mode in gates; allowed: commands, modes; did you mean modes?"),
    ("gates: {commands: []}", "1: gates.commands must be a mapping from names to commands, not a list"),
    (
        "gates: {commands: {test: make}}",
        f'1: {TEST} must be a mapping with keys out of {COMMAND_KEYS}, not "make"',
    ),
    (
        "gates:\n  commands:\n    test:\n      rnu: [make]\n      run: [make]",
        f"4: unknown key rnu in {TEST}; allowed: {COMMAND_KEYS}; did you mean run?",
    ),
    (
        "gates:\n  commands:\n    test: {timeout: 5}",
        f"3: {TEST} must have run: a list of 1 to 200 words, such as [python, -m, pytest]",
    ),
    (
        "gates: {commands: {test: {run: make test}}}",
        f'1: {TEST}.run must be a list of 1 to 200 words, such as [python, -m, pytest], not "make test"',
    ),
    (
        "gates: {commands: {test: {run: []}}}",
        f"1: {TEST}.run must be a list of 1 to 200 words, such as [python, -m, pytest], not a list",
    ),
    (
        "gates: {commands: {test: {run: [' ', make]}}}",
        f"1: {TEST}.run begins with an empty word; it must name a program",
    ),
    (
        "gates: {commands: {test: {run: [make, 7]}}}",
        f"1: an item of {TEST}.run must be a text of at most 4,000 characters, not 7",
    ),
    (
        'gates: {commands: {test: {run: ["a\\0b"]}}}',
        f'1: {TEST}.run: "a\0b" holds the character NUL, which no command can take',
    ),
    (
        "gates: {commands: {test: {run: ['--out={junitt}']}}}",
        f'1: {TEST}.run: "--out={{junitt}}" has the unknown placeholder {{junitt}}; did you mean {{junit}}?',
    ),
    (
        "gates: {commands: {test: {run: ['{x']}}}",
        f'1: {TEST}.run: "{{x" has a single {{; write {{{{ for the brace itself',
    ),
    ("gates: {commands: {test: {run: [make], timeout: 0}}}", f"1: {TEST}.timeout must be {SECONDS}, not 0"),
    ("gates: {commands: {test: {run: [make], timeout: 86401}}}", f"1: {TEST}.timeout must be {SECONDS}, not 86401"),
    ("gates: {commands: {test: {run: [make], timeout: 1.5}}}", f"1: {TEST}.timeout must be {SECONDS}, not 1.5"),
    (
        "gates: {commands: {test: {run: [make], reports: {junti: a.xml}}}}",
        f"1: unknown key junti in {TEST}.reports; allowed: junit, coverage, sarif, lint, metric; did you mean junit?",
    ),
    (
        "gates: {commands: {test: {run: [make], reports: {junit: /tmp/a.xml}}}}",
        f'1: {TEST}.reports.junit "/tmp/a.xml" is an absolute path; it is relative to the project',
    ),
    (
        "gates: {commands: {test: {run: [make], reports: {junit: ../a.xml}}}}",
        f'1: {TEST}.reports.junit "../a.xml" leaves the project with `..`',
    ),
    (
        "gates: {commands: {test: {run: [make], reports: {junit: .memory/sprint/s/events/a.json}}}}",
        f'1: {TEST}.reports.junit ".memory/sprint/s/events/a.json" {NOT_WRITTEN}',
    ),
    (
        "gates: {commands: {test: {run: [make], reports: {junit: build/}}}}",
        f'1: {TEST}.reports.junit "build/" names a folder; name the file that the command writes',
    ),
    (
        "gates: {commands: {test: {run: [make], reports: {junit: a.xml, coverage: a.xml}}}}",
        f"1: {TEST}.reports names a.xml twice; each report is a file of its own",
    ),
    (
        "gates:\n  commands:\n    a: {run: [x], reports: {junit: a.xml}}\n    b: {run: [x], reports: {junit: a.xml}}",
        "2: gates.commands write a.xml both as a and as b; give each its own",
    ),
    (
        "gates: {commands: {test: {run: [make], inputs: ['!../x']}}}",
        f'1: {TEST}.inputs: "!../x" leaves the project with `..`',
    ),
    (
        "gates: {commands: {test: {run: [make], inputs: [.memory/config.yaml]}}}",
        f'1: {TEST}.inputs: ".memory/config.yaml" lies below .memory/, which is never an input of evidence',
    ),
    ("gates: {commands: {My Test: {run: [make]}}}", f'1: gates.commands: "My Test" is no name: {NAME_RULE}'),
    ("gates: {modes: {trace: of}}", '1: gates.modes.trace must be one of hard, soft, off, not "of"; did you mean off?'),
    ("gates: {modes: {trace: false}}", "1: gates.modes.trace must be one of hard, soft, off, not false"),
    (
        "gates: {modes: {trace: no}}",
        f"1: gates.modes.trace must be one of hard, soft, off, and YAML reads no as false; {QUOTES}",
    ),
]


@pytest.mark.vfcc("REQ-CONFIG")
@pytest.mark.parametrize(("text", "sentence"), ONE_PROBLEM, ids=[text[-45:] for text, _ in ONE_PROBLEM])
def test_one_mistake_is_one_sentence(text: str, sentence: str) -> None:
    assert problems(text) == [f"config.yaml:{sentence}"]


def test_all_problems_are_told_at_once() -> None:
    told = problems(
        "gates:\n  commands:\n    test:\n      run: ['{x}']\n      timeout: 0\n    '../a': {run: [make]}\n"
        "  modes:\n    trace: of\n"
    )

    assert [int(one.split(":")[1]) for one in told] == [4, 5, 6, 8]


def test_placeholders_are_filled_and_doubled_braces_are_braces() -> None:
    assert placeholders("{junit}-{{lint}}-{sarif}") == ("junit", "sarif")
    assert fill("--o={junit} {{junit}} {{{junit}}}", {"junit": "a"}) == "--o=a {junit} {a}"


@pytest.mark.parametrize("word", ["", "a", "{{", "}}", "{{x}}", "{junit}", "{{{junit}}}"])
def test_a_word_with_known_placeholders_is_sound(word: str) -> None:
    assert placeholder_problem(word, ("junit",)) is None


@pytest.mark.parametrize("word", ["{", "}", "{}", "{x}", "{{x}", "{junit }", "{a{junit}}"])
def test_a_word_that_could_mean_something_else_is_refused(word: str) -> None:
    assert placeholder_problem(word, ("junit",)) is not None
