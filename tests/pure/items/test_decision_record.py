"""Plain decision records: title, number, date and status in the customs that teams have."""

import pytest

from verifflowcc.base.model.item_values import DecisionStatus
from verifflowcc.base.text.dates import date_in_name, number_in_name, read_date, read_moment
from verifflowcc.items.rules.item_record import decision_facts, status_facts

pytestmark = pytest.mark.vfcc("REQ-DECISION-RECORDS")


@pytest.mark.parametrize(
    ("heading", "name", "title", "number"),
    [
        ("# 12. Keep logs in one place", "0012-logs.md", "Keep logs in one place", 12),
        ("# 23 Logging", "023-Logging.md", "Logging", 23),
        ("# 29 Keys", "030-keys.md", "Keys", 30),
        ("# ADR-0005: Use queues", "queues.md", "Use queues", 5),
        ("# ADR 5 - Use queues", "queues.md", "Use queues", 5),
        ("# 3 ways to deploy", "deploy.md", "3 ways to deploy", None),
        ("# Use queues", "ADR-0007-queues.md", "Use queues", 7),
        ("Use queues\n==========", "2021-05-11-queues.md", "Use queues", None),
        ("```sh\n# a comment\n```\n# Real", "", "Real", None),
        ("no heading at all", "", None, None),
    ],
)
def test_the_title_has_no_number_and_the_file_name_knows_the_number(
    heading: str, name: str, title: str | None, number: int | None
) -> None:
    facts = decision_facts(f"{heading}\n\ntext\n", name)

    assert (facts.title, facts.number) == (title, number)


@pytest.mark.parametrize(
    ("line", "date"),
    [
        ("Date: 2021-05-11", "2021-05-11"),
        ("Date: 05/02/2018", "2018-02-05"),
        ("Date 09/04/2018", "2018-04-09"),
        ("Date: 10/04/18", "2018-04-10"),
        ("* Date: 2020-01-02", "2020-01-02"),
        ("**Date:** 2025-08-07", "2025-08-07"),
        ("- **Decision date**: 3 May 2020", "2020-05-03"),
        ("| Date | 2019-03-04 |", "2019-03-04"),
        ("## Date\n\nMarch 4th, 2019", "2019-03-04"),
        ("Date: 30/02/2020", None),
        ("Update: 2020-01-01", None),
        ("Dates matter: 2020-01-01", None),
    ],
)
def test_a_date_is_read_day_first(line: str, date: str | None) -> None:
    assert decision_facts(f"# T\n\n{line}\n\n## Status\n\nAccepted\n").date == date


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("## Status\n\n✅ Accepted\n", "accepted"),
        ("## Status\n\n✅\n", "accepted"),
        ("### Status:\n\nRejected\n", "rejected"),
        ("Status: Proposed\n", "proposed"),
        ("* Status: deprecated\n", "deprecated"),
        ("**Status:** Accepted (was proposed)\n", "accepted"),
        ("Status: ~~proposed~~ accepted\n", "accepted"),
        ("| Status | Rejected |\n", "rejected"),
        ("## Status\n\n🤔 Incomplete\n", "proposed"),
        ("## Status\n\nDraft\n", "proposed"),
        ("## Status\n\nNot accepted\n", "rejected"),
        ("## Status\n\nSuperceded by [2](2.md)\n", "superseded"),
        ("## Status\n\nAccepted\n\nSuperseded by [2](2.md)\n", "superseded"),
        ("## Status\n\nAccepted. Partly superseded by [2](2.md)\n", "accepted"),
        ("## Status\n\n```\nRejected\n```\nAccepted\n", "accepted"),
        ("Status: [proposed | rejected | accepted | superseded by [ADR-5](5.md)]\n", None),
        ("## Context\n\nThe earlier plan was rejected.\n", None),
        ("## Context\n\nStatus: it was rejected then.\n", None),
        ("Nothing said.\n", None),
    ],
)
def test_a_status_is_read_from_its_section_or_its_line(text: str, status: str | None) -> None:
    assert decision_facts(f"# T\n\n{text}").status == status


@pytest.mark.parametrize(
    ("line", "targets"),
    [
        ("⌛️ Superseded by [036. Many clusters](036-many-clusters.md)", ("036-many-clusters.md",)),
        ("superseded by ADR-0005", ("0005",)),
        ("Superseded by #12 and #13", ("12", "13")),
        ("Superseded by [9](9.md#part) on 2022-09-16", ("9.md",)),
        ("Superseded by [[0009-queues|Queues]]", ("0009-queues",)),
        ("Superseded by 0009-queues.md", ("0009-queues.md",)),
        ("Replaced by [9](<9.md>)", ("9.md",)),
        ("Superseded", ()),
        ("Superseded by a talk on 2022-09-16", ()),
    ],
)
def test_what_supersedes_a_record_is_named_as_written(line: str, targets: tuple[str, ...]) -> None:
    facts = status_facts([line])

    assert facts.status is DecisionStatus.SUPERSEDED
    assert facts.superseded_by == targets


def test_what_a_record_supersedes_and_amends_is_named() -> None:
    text = "# 4. T\n\n## Status\n\nAccepted\n\nSupersedes [3. A](0003-a.md)\n\nAmended by [9. B](0009-b.md)\n"

    facts = decision_facts(text)

    assert facts.status is DecisionStatus.ACCEPTED
    assert (facts.supersedes, facts.superseded_by, facts.amended_by) == (("0003-a.md",), (), ("0009-b.md",))


def test_header_lines_name_relations_too() -> None:
    assert decision_facts("# T\n\n* Status: accepted\n* Supersedes: ADR-3\n").supersedes == ("3",)
    assert decision_facts("# T\n\nSuperseded by: [9](9.md)\n").superseded_by == ("9.md",)


def test_a_rejected_record_tells_what_holds_instead() -> None:
    facts = status_facts(["❌ Rejected in favour of a shared one (see [019](019-shared.md))"])

    assert (facts.status, facts.instead, facts.superseded_by) == (DecisionStatus.REJECTED, ("019-shared.md",), ())


def test_prose_that_speaks_of_other_records_is_no_status() -> None:
    facts = decision_facts(
        "# T\n\n## Status\n\nAccepted\n\n## Context\n\nThis supersedes [3](3.md). Superseded by [4](4.md).\n"
    )

    assert (facts.status, facts.superseded_by, facts.supersedes) == (DecisionStatus.ACCEPTED, (), ())


def test_dates_that_cannot_be_are_no_dates() -> None:
    assert [read_date(text) for text in ("2021-13-01", "00/00/2020", "1/2/3", "May 2020", "")] == [None] * 5
    assert read_date("04/13/2018") == "2018-04-13"
    assert read_moment("2026-11-21 10:00:00+01:00") == "2026-11-21 10:00:00+01:00"
    assert read_moment("2026-11-21 25:00") == "2026-11-21"


def test_a_date_in_a_name_is_no_number() -> None:
    assert (date_in_name("20210511-x"), number_in_name("20210511-x")) == ("2021-05-11", None)
    assert (date_in_name("036-x"), number_in_name("036-x")) == (None, 36)
    assert number_in_name("2fa-login") is None
