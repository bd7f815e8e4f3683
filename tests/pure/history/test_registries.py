"""Each entry of a table leads to what it names: functions that are imported on first use, clients, forms of keys."""

from collections.abc import Iterator

import pytest

from tests.evidence_samples import RAN, evidence
from verifflowcc.base.config.config_description import FORMS
from verifflowcc.base.model.agent_clients import CLIENTS, FILES
from verifflowcc.base.model.config_values import Config, MemorySettings, UserSettings
from verifflowcc.base.model.gate_values import COMPUTED, KINDS, NEWER, RECORDED, Criterion, CriterionKind, Verdict
from verifflowcc.base.model.lazy import load
from verifflowcc.base.model.settings import SettingRule, settings_in
from verifflowcc.base.records import field_defaults, is_record, replace
from verifflowcc.history.rules.client import client_of
from verifflowcc.sprint.rules.measured_verdict import judge_limits
from verifflowcc.trace.rules.importers import IMPORTERS


def places() -> Iterator[str]:
    for kind, rule in KINDS.items():
        yield from (rule.assess, rule.plant)
        if kind in RECORDED:
            yield rule.judge
        if rule.report:
            yield rule.report.measure
    yield from (importer.read for importer in IMPORTERS.values())


def described(record: object) -> Iterator[SettingRule]:
    yield from settings_in(record).values()
    for value in field_defaults(type(record)).values():
        if is_record(value):
            yield from described(value)


@pytest.mark.parametrize("place", sorted(set(places())))
def test_each_named_function_can_be_loaded(place: str) -> None:
    assert callable(load(place))


def test_each_kind_of_criterion_has_an_entry() -> None:
    assert set(KINDS) == set(CriterionKind)
    assert sorted(COMPUTED) == [CriterionKind.BASELINE, CriterionKind.TESTS_KEPT]
    assert sorted(NEWER) == [CriterionKind.RED_FIRST, CriterionKind.TESTS_KEPT]


def test_a_kind_without_a_judge_of_its_own_is_judged_by_its_limits() -> None:
    limited = Criterion("few", CriterionKind.LINT, "few findings", command="test", at_most={"findings": 2_000_000})

    assert judge_limits(limited, evidence({"findings": 2}, limited)).verdict is Verdict.PASS
    assert judge_limits(limited, evidence({"findings": 3}, limited)).verdict is Verdict.FAIL
    ended = evidence({"findings": 0}, limited, run=replace(RAN, exit_code=1))
    assert "exit code 1" in judge_limits(limited, ended).reason
    for criterion, measures in ((replace(limited, at_most={}), {"findings": 0}), (limited, {})):
        assert judge_limits(criterion, evidence(measures, criterion)).verdict is Verdict.NOT_EVALUABLE


def test_each_client_of_the_table_describes_itself() -> None:
    assert [client_of(name).name for name in CLIENTS] == list(CLIENTS)
    assert all(client_of(name).events and client_of(name).steps for name in FILES)
    assert client_of("unknown").events == {}


def test_each_key_has_a_title_and_a_known_form() -> None:
    found = [each for name in ("trace", "hooks") for each in described(field_defaults(Config)[name])]
    found += [*described(MemorySettings()), *described(UserSettings())]

    assert len(found) > 50
    assert all(each.title.endswith(".") for each in found)
    assert {each.form for each in found} - {""} <= set(FORMS)
