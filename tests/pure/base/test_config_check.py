"""What `config.yaml` may say: every problem is one sentence with its line, and all are told at once."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.yaml_junk import yaml_junk
from verifflowcc.base.config.config_defaults import LAYERS, default_config
from verifflowcc.base.config.config_validate import check
from verifflowcc.base.errors import ConfigError
from verifflowcc.base.model.config_values import (
    DEFAULT_ALLOCATION,
    MIXES,
    Allocation,
    CodeMix,
    Config,
    GitSettings,
    LayerStrategy,
    TokenSettings,
    decimal_text,
    millionths,
)
from verifflowcc.base.model.layers import Layer
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.text.glob import pattern_problem, role_problem

WORKFLOWS = ("agile", "light", "standard")


def config(text: str) -> Config:
    return check(text.encode(), WORKFLOWS).config


def problems(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        config(text)
    return list(caught.value.problems)


def test_an_empty_file_is_all_defaults() -> None:
    assert config("") == default_config()
    assert fields(config("# nothing yet\n")) == {**fields(default_config()), "digest": digest_text("# nothing yet\n")}


def fields(given: Config) -> dict[str, object]:
    return {name: getattr(given, name) for name in given.__slots__}


def test_a_key_that_is_left_out_has_the_default_of_its_layer() -> None:
    given = config("loading_strategy: {stage: {max_tokens: 7}}").strategies
    default = default_config().strategies

    assert given[Layer.STAGE] == LayerStrategy(
        default[Layer.STAGE].always_load, default[Layer.STAGE].conditional_load, 7, 0
    )
    assert given[Layer.AGENT] == default[Layer.AGENT]


def test_an_empty_list_is_not_a_default() -> None:
    assert config("loading_strategy: {stage: {always_load: []}}").strategies[Layer.STAGE].always_load == ()


@pytest.mark.vfcc("REQ-NEWER-FORMAT")
def test_a_newer_format_is_the_only_problem_told() -> None:
    assert problems("format: 99\nmagic: true\n") == ["config.yaml:1: format 99 is newer than this vfcc understands (2)"]
    assert problems("magic: 1\n\nformat: 3") == ["config.yaml:3: format 3 is newer than this vfcc understands (2)"]


TOP = "format, workflow, loading_strategy, token_allocation, code_mix, gates, trace, memory, hooks, git, run, tokens"
WHOLE = "a whole number from 1 to 1,000,000,000"
SHARE = "a number from 0 to 1 with at most six decimals"
QUOTES = "put it in quotes if you mean the text"
LAYER_KEYS = "always_load, conditional_load, max_tokens, head_tail_preserve"
ROLE_RULE = "use lower-case letters and digits, with single - or _ between them, such as coder"
PATTERN_RULE = "a pattern: a text such as decisions/*.md"
AGENT = "loading_strategy.agent"

ONE_PROBLEM = [
    ("format: 0", "1: format must be a whole number from 1 to 2, not 0"),
    ("format: '1'", '1: format must be a whole number from 1 to 2, not "1"'),
    ("format: true", "1: format must be a whole number from 1 to 2, not true"),
    (
        "format: 010",
        (
            "1: format must be a whole number from 1 to 2, and YAML reads 010 as the number 8, in octal; "
            "write numbers without leading zeros"
        ),
    ),
    ("[]", f"1: the file must be a mapping with keys out of {TOP}, not a list"),
    ("\nhello", f'2: the file must be a mapping with keys out of {TOP}, not "hello"'),
    ("null", f"1: the file has no value; give it a mapping with keys out of {TOP}, or remove the line"),
    (
        "llm: []",
        (
            "1: llm belongs to your own settings ($XDG_CONFIG_HOME/vfcc/config.yaml); a project cannot name a model: "
            "a clone of it could make this machine run a program, or send your text to another server"
        ),
    ),
    ("workflo: light", f"1: unknown key workflo; allowed: {TOP}; did you mean workflow?"),
    ("workflow: lite", '1: workflow must be one of agile, light, standard, not "lite"; did you mean light?'),
    ("workflow: no", f"1: workflow must be one of agile, light, standard, and YAML reads no as false; {QUOTES}"),
    ("workflow: true", "1: workflow must be one of agile, light, standard, not true"),
    ("git: {commit: on}", f"1: git.commit must be one of never, always, and YAML reads on as true; {QUOTES}"),
    ("git:\n  commit: alway", '2: git.commit must be one of never, always, not "alway"; did you mean always?'),
    ("git: []", "1: git must be a mapping with keys out of commit, not a list"),
    ("git:\nformat: 1", "1: git has no value; give it a mapping with keys out of commit, or remove the line"),
    (
        "loading_strategy:\n  agnt: {}",
        "2: unknown key agnt in loading_strategy; allowed: project, sprint, stage, agent, user; did you mean agent?",
    ),
    (
        "loading_strategy:\n  agent:\n    alway_load: []",
        f"3: unknown key alway_load in loading_strategy.agent; allowed: {LAYER_KEYS}; did you mean always_load?",
    ),
    ("loading_strategy: {agent: {max_tokens: 0}}", f"1: {AGENT}.max_tokens must be {WHOLE}, not 0"),
    ("loading_strategy: {agent: {max_tokens: 5000.0}}", f"1: {AGENT}.max_tokens must be {WHOLE}, not 5000.0"),
    (
        "loading_strategy: {agent: {max_tokens: no}}",
        f"1: {AGENT}.max_tokens must be {WHOLE}, and YAML reads no as false",
    ),
    (
        "loading_strategy: {agent: {max_tokens: 1:30}}",
        f"1: {AGENT}.max_tokens must be {WHOLE}, and YAML reads 1:30 as a number in base 60",
    ),
    (
        "loading_strategy: {agent: {max_tokens: 2026-01-02}}",
        f"1: {AGENT}.max_tokens must be {WHOLE}, and YAML reads 2026-01-02 as a date",
    ),
    (
        "loading_strategy: {agent: {head_tail_preserve: -1}}",
        "1: loading_strategy.agent.head_tail_preserve must be a whole number from 0 to 1,000,000,000, not -1",
    ),
    (
        "loading_strategy: {agent: {always_load: prompt.md}}",
        '1: loading_strategy.agent.always_load must be a list of patterns, not "prompt.md"',
    ),
    (
        "loading_strategy:\n  agent:\n    always_load:\n      - a.md\n      - ~",
        f"5: an item of {AGENT}.always_load has no value; give it {PATTERN_RULE}, or remove the line",
    ),
    (
        "loading_strategy:\n  agent:\n    always_load:\n      - a.md\n      - 7",
        f"5: an item of {AGENT}.always_load must be {PATTERN_RULE}, not 7",
    ),
    (
        "loading_strategy:\n  agent:\n    always_load:\n      - a.md\n      - '@recall'",
        (
            f'5: {AGENT}.always_load: "@recall" is a source of the project layer; name it under '
            "loading_strategy.project; the agent layer has @task"
        ),
    ),
    (
        "loading_strategy: {agent: {conditional_load: ['@taks']}}",
        f'1: {AGENT}.conditional_load: "@taks" names no source that there is; did you mean @task?',
    ),
    (
        "loading_strategy: {sprint: {conditional_load: ['@user']}}",
        (
            '1: loading_strategy.sprint.conditional_load: "@user" is a source of the user layer; name it under '
            "loading_strategy.user; the sprint layer has @trace"
        ),
    ),
    (
        "loading_strategy: {user: {conditional_load: ['*.md']}}",
        (
            '1: loading_strategy.user.conditional_load: "*.md" is a pattern, and the user layer has no files to name; '
            "name @user"
        ),
    ),
    (
        "loading_strategy:\n  agent:\n    always_load: [../x]",
        '3: loading_strategy.agent.always_load: "../x" leaves the tree with `..`; patterns stay in the layer\'s folder',
    ),
    ("token_allocation: []", "1: token_allocation must be a mapping from roles to their shares, not a list"),
    (
        "token_allocation: {coder: {agent: 0.5, stage: .4}}",
        "1: token_allocation.coder adds up to 0.9, not to 1 (project 0, sprint 0, stage 0.4, agent 0.5)",
    ),
    (
        "token_allocation: {coder: {agent: 0.5, stage: 0.500001}}",
        "1: token_allocation.coder adds up to 1.000001, not to 1 (project 0, sprint 0, stage 0.500001, agent 0.5)",
    ),
    ("token_allocation: {coder: {agent: 1.1}}", f"1: token_allocation.coder.agent must be {SHARE}, not 1.1"),
    ("token_allocation: {coder: {agent: -0.1}}", f"1: token_allocation.coder.agent must be {SHARE}, not -0.1"),
    (
        "token_allocation: {coder: {agent: 0.3333333}}",
        f"1: token_allocation.coder.agent must be {SHARE}, not 0.3333333",
    ),
    ("token_allocation: {coder: {agent: 30%}}", f'1: token_allocation.coder.agent must be {SHARE}, not "30%"'),
    (
        "token_allocation: {coder: {agent: yes}}",
        f"1: token_allocation.coder.agent must be {SHARE}, and YAML reads yes as true",
    ),
    ("token_allocation: {coder: {agent: true}}", f"1: token_allocation.coder.agent must be {SHARE}, not true"),
    (
        "token_allocation: {coder: {agent: 0.5, user: 0.6}}",
        "1: token_allocation.coder adds up to 1.1, not to 1 (project 0, sprint 0, stage 0, agent 0.5, user 0.6)",
    ),
    (
        "token_allocation: {coder: {agent: 1, usr: 0}}",
        (
            "1: unknown key usr in token_allocation.coder; allowed: project, sprint, stage, agent, user, budget; "
            "did you mean user?"
        ),
    ),
    (
        "token_allocation:\n  coder: lifetime",
        '2: token_allocation.coder names no preset: "lifetime"; did you mean lifetimes?',
    ),
    (
        "token_allocation: {coder: quickly}",
        '1: token_allocation.coder names no preset: "quickly"; the presets are lifetimes',
    ),
    ("token_allocation: {coder: {agent: 1, budget: 0}}", f"1: token_allocation.coder.budget must be {WHOLE}, not 0"),
    (
        "token_allocation: {coder: {}}",
        "1: token_allocation.coder gives neither shares nor a budget; give them, or remove the role",
    ),
    ("code_mix: []", "1: code_mix must be a mapping from roles to their mixes, not a list"),
    ("code_mix: {auditor: reviewr}", '1: code_mix.auditor names no mix: "reviewr"; did you mean reviewer?'),
    (
        "code_mix: {auditor: quickly}",
        (
            '1: code_mix.auditor names no mix: "quickly"; the mixes are default, tester, reviewer, planner, analyst, '
            "stakeholder, architect, designer"
        ),
    ),
    (
        "code_mix: {coder: {bodies: 0.5, tests: 0.4}}",
        "1: code_mix.coder adds up to 0.9, not to 1 (bodies 0.5, tests 0.4)",
    ),
    ("code_mix: {coder: {}}", "1: code_mix.coder adds up to 0, not to 1 (it names none)"),
    ("code_mix: {coder: {bodies: 2}}", f"1: code_mix.coder.bodies must be {SHARE}, not 2"),
    (
        "code_mix: {coder: {body: 1}}",
        (
            "1: unknown key body in code_mix.coder; allowed: bodies, tests, interfaces, callers, map, diff; "
            "did you mean bodies?"
        ),
    ),
    ("token_allocation: {My Coder: {agent: 1}}", f'1: token_allocation: "My Coder" is no name for a role: {ROLE_RULE}'),
    ("token_allocation: {no: {agent: 1}}", "1: a key is text, and YAML reads no as something else; put it in quotes"),
    (
        "tokens: {encoding: o200k}",
        '1: tokens.encoding must be one of o200k_base, cl100k_base, not "o200k"; did you mean o200k_base?',
    ),
    (
        "tokens:\n  encoding: o200k_base\n  model: foo",
        "3: tokens.model names foo, which has no factor (factors given: none); add it under tokens.factors",
    ),
    (
        "tokens:\n  model: foo\n  factors: {bar: 1.2}",
        "2: tokens.model names foo, which has no factor (factors given: bar); add it under tokens.factors",
    ),
    (
        "tokens: {factors: {foo: 0}}",
        "1: tokens.factors.foo must be a number above 0 and at most 10, with at most six decimals, not 0",
    ),
    ("tokens: {factors: {'': 1}}", '1: tokens.factors has a name that is empty or too long: ""'),
    ("tokens: {factors: []}", "1: tokens.factors must be a mapping from models to numbers, not a list"),
    ("git: {commit: never}\ngit: {commit: always}", "2: the key git is given twice (first on line 1); keep one"),
]


@pytest.mark.vfcc("REQ-CONFIG")
@pytest.mark.parametrize(("text", "sentence"), ONE_PROBLEM, ids=[text[-40:] for text, _ in ONE_PROBLEM])
def test_one_mistake_is_one_sentence(text: str, sentence: str) -> None:
    assert problems(text) == [f"config.yaml:{sentence}"]


@pytest.mark.vfcc("REQ-CONFIG")
def test_all_problems_are_told_at_once_in_the_order_of_the_lines() -> None:
    told = problems(
        "workflow: lite\nformat: no\nformat: 1\nloading_strategy:\n  agent:\n    always_load:\n      - ../a\n"
        "      - /b\ntoken_allocation:\n  coder: {agent: 0.5}\n  1: {agent: 1}\nllm: {}\n"
    )

    assert [int(problem.split(":")[1]) for problem in told] == sorted(int(problem.split(":")[1]) for problem in told)
    assert [problem.split(":")[1] for problem in told] == ["1", "2", "3", "7", "8", "10", "11", "11", "12"]


def test_shares_are_exact() -> None:
    given = config("token_allocation: {coder: {project: 0.1, sprint: 0.2, stage: 0.3, agent: 0.4}}").allocations[
        "coder"
    ]

    assert given == Allocation(dict(zip(LAYERS, (100_000, 200_000, 300_000, 400_000, 0), strict=True)))


@pytest.mark.vfcc("REQ-ALLOCATION")
def test_a_role_that_is_not_named_takes_the_default_shares() -> None:
    assert config("token_allocation: {}").allocation_for("coder") == DEFAULT_ALLOCATION
    assert config("token_allocation: {default: {agent: 1}}").allocation_for("coder").shares[Layer.AGENT] == 1_000_000


def test_what_a_role_leaves_out_comes_from_the_role_default() -> None:
    given = config("token_allocation: {default: {agent: 1, budget: 9}, coder: {stage: 1}, planner: {budget: 5}}")

    assert given.allocation_for("coder") == Allocation({**dict.fromkeys(LAYERS, 0), Layer.STAGE: 1_000_000}, 9)
    assert given.allocation_for("planner") == Allocation({**dict.fromkeys(LAYERS, 0), Layer.AGENT: 1_000_000}, 5)


@pytest.mark.parametrize(
    "pattern",
    [
        "a.md",
        "decisions/*.md",
        "**/*.md",
        "a?/[ab]*.md",
        "[!a].md",
        "[]x].md",
        "a b.md",
        "ü/日本.md",
        ".hidden",
        "a~",
        "...",
    ],
)
def test_a_pattern_within_its_folder_is_allowed(pattern: str) -> None:
    assert pattern_problem(pattern) is None


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("", "is empty"),
        ("@metrics", "names no source that there is"),
        ("@", "names no source that there is"),
        ("@user/x.md", "names no source that there is"),
        ("a\x00b", "control character"),
        ("a\nb", "control character"),
        ("a\\b", "has a backslash"),
        ("..\\b", "has a backslash"),
        ("/etc/passwd", "is an absolute path"),
        ("C:/x", "is an absolute path"),
        ("c:x", "is an absolute path"),
        ("~/x", "begins with ~"),
        ("~root", "begins with ~"),
        ("..", "leaves the tree"),
        ("../x", "leaves the tree"),
        ("a/../../x", "leaves the tree"),
        ("a/..", "leaves the tree"),
        ("decisions/", "write decisions/* for the files in it"),
        ("a//b", "has an empty part"),
        ("./a", "has an empty part or a `.`"),
        ("a**.md", "write ** alone between slashes"),
        ("***", "write ** alone between slashes"),
        ("**/**/**/x", "more than 2 times"),
        ("[ab.md", "has a [ with no ]"),
        ("[a/b].md", "has a [ with no ]"),
        ("x" * 301, "is longer than 300 characters"),
    ],
)
def test_a_pattern_that_could_leave_or_mean_nothing_is_refused(pattern: str, reason: str) -> None:
    assert reason in (pattern_problem(pattern) or "")


@settings(deadline=None)
@given(st.text(alphabet="./\\~*?[]!:aC@", max_size=12))
def test_no_allowed_pattern_has_a_part_that_climbs(pattern: str) -> None:
    if pattern_problem(pattern) is None:
        assert not {"..", ".", ""} & set(pattern.split("/"))
        assert "\\" not in pattern


@pytest.mark.parametrize("role", ["", "Coder", "a b", "-a", "a-", "a--b", "../a", "a/b", "a.b", "é", "a\n", "x" * 65])
def test_a_role_is_a_name_that_is_also_a_folder(role: str) -> None:
    assert role_problem(role) is not None
    assert role_problem("lead-coder_2") is None


@given(st.integers(0, 20_000_000))
def test_millionths_survive_being_written(value: int) -> None:
    assert millionths(Decimal(decimal_text(value))) == value


NAMES = st.text(alphabet="abcxyz", min_size=1, max_size=5)
PRINTABLE = st.characters(exclude_categories=["C", "Zl", "Zp"])
PATTERN = st.text(PRINTABLE, min_size=1, max_size=12).filter(lambda text: text[0] != "@" and not pattern_problem(text))
PATTERNS = st.lists(PATTERN, max_size=4)
AMOUNTS = st.integers(1, 1_000_000_000)


@st.composite
def shares(draw: st.DrawFn) -> dict[Layer, int]:
    cuts = sorted(draw(st.lists(st.integers(0, 1_000_000), min_size=4, max_size=4)))
    parts = [high - low for low, high in zip([0, *cuts], [*cuts, 1_000_000], strict=True)]
    return dict(zip(LAYERS, parts, strict=True))


@st.composite
def configs(draw: st.DrawFn) -> Config:
    strategies = {}
    for layer in LAYERS:
        patterns = st.sampled_from([[], ["@user"]]) if layer is Layer.USER else PATTERNS
        strategies[layer] = LayerStrategy(
            tuple(draw(patterns)), tuple(draw(patterns)), draw(AMOUNTS), draw(st.integers(0, 99))
        )
    allocations = {
        role: Allocation(draw(shares()), draw(AMOUNTS)) for role in draw(st.lists(NAMES, max_size=3, unique=True))
    }
    factors = draw(st.dictionaries(NAMES, st.integers(1, 10_000_000), max_size=3))
    model = draw(st.sampled_from([None, *factors]))
    tokens = TokenSettings(draw(st.sampled_from(["o200k_base", "cl100k_base"])), model, factors)
    git = GitSettings(draw(st.sampled_from(["never", "always"])))
    return Config(strategies, allocations, draw(st.sampled_from(WORKFLOWS)), git, tokens, "")


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def printed(given: Config) -> str:
    lines = ["format: 1", f"workflow: {given.workflow}", "loading_strategy:"]
    for layer, strategy in given.strategies.items():
        lines += [
            f"  {layer}:",
            f"    always_load: [{', '.join(map(quoted, strategy.always_load))}]",
            f"    conditional_load: [{', '.join(map(quoted, strategy.conditional_load))}]",
            f"    max_tokens: {strategy.max_tokens}",
            f"    head_tail_preserve: {strategy.head_tail_preserve}",
        ]
    lines += ["token_allocation:" if given.allocations else "token_allocation: {}"]
    for role, allocation in given.allocations.items():
        listed = ", ".join(f"{layer}: {decimal_text(share)}" for layer, share in allocation.shares.items())
        lines += [f"  {quoted(role)}: {{{listed}, budget: {allocation.budget_tokens}}}"]
    factors = ", ".join(f"{quoted(model)}: {decimal_text(factor)}" for model, factor in given.tokens.factors.items())
    model = "null" if given.tokens.model is None else quoted(given.tokens.model)
    lines += [f"tokens: {{encoding: {given.tokens.encoding}, model: {model}, factors: {{{factors}}}}}"]
    return "\n".join([*lines, f"git: {{commit: {given.git.commit}}}", ""])


@settings(deadline=None, max_examples=60)
@given(configs())
def test_a_valid_configuration_printed_and_read_again_is_equal(given_config: Config) -> None:
    text = printed(given_config)

    assert fields(config(text)) == {**fields(given_config), "digest": digest_text(text)}


WORDS = st.sampled_from(
    [
        *("format", "loading_strategy", "project", "always_load", "token_allocation", "coder", "agent", "tokens"),
        *("model", "factors", "git", "commit", "no", "010", "1:30", "~", "0.5", "1", "99", "true", "../x", "a.md"),
        *(".inf", "<<", "lifetimes", "user", "@user", "memory", "assembly", "working", "user_items", "user_types"),
        *("backends", "enabled", "max_items", "identity", "thinking_roles", "postgres_url"),
        *("rerank", "trigger_min_margin", "lifecycle", "type_ttl_days", "consolidation", "interval", "7d", "llm"),
    ]
)
JUNK = yaml_junk(WORDS)


@settings(deadline=None, max_examples=200)
@given(st.one_of(JUNK, st.text()))
def test_a_configuration_of_junk_is_read_or_refused_and_nothing_else(text: str) -> None:
    told: tuple[str, ...] = ()
    try:
        check(text.encode("utf-8", "surrogatepass"), WORKFLOWS)
    except ConfigError as error:
        told = error.problems or ("",)

    assert all(problem.startswith("config.yaml:") for problem in told)
    assert not any("must be something else" in problem for problem in told)


def test_a_role_takes_its_own_mix_then_the_shipped_one_then_the_configured_default() -> None:
    given = config("code_mix: {default: {map: 1}, coder: {bodies: 0.75, diff: 0.25}, auditor: reviewer}")

    assert given.code_mix_for("coder") == CodeMix(bodies=750_000, diff=250_000)
    assert given.code_mix_for("auditor") == given.code_mix_for("reviewer") == MIXES["reviewer"]
    assert given.code_mix_for("helper") == CodeMix(map=1_000_000)
    assert config("").code_mix_for("helper") == MIXES["default"]
    assert all(sum(each.shares().values()) == 1_000_000 for each in MIXES.values())
