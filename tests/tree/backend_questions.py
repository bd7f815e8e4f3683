"""Items and questions that hypothesis draws for the tests of backends: few values, so that they often meet."""

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from tests.tree.backend_items import make
from verifflowcc.base.model.item_query import SCALARS
from verifflowcc.base.model.memory_protocol import Filters, Plain, StoredItem

Asked = Plain | Sequence[Plain] | Mapping[str, Plain]
_TEXTS = ["a", "A", "ab", "b", "é", "e\u0301", "名", "x y", "it's", "%", "_", "a,b", "10", "9"]
_MOMENTS = [
    "2026-01-01",
    "2026-01-01T00:00:00Z",
    "2026-01-01T01:00:00+02:00",
    "2025-12-31T23:30",
    "2026-01-02",
    "0001-01-01",
]
_DECIMALS = ["0", "0.5", "0.7", "0.700", "1", ".0005"]
_WORDS = {
    "status": ["active", "pending", "archived"],
    "trust": ["human", "tool", "agent", "external"],
    "source": ["explicit", "inferred", "imported"],
}
_IN_FILE = {
    **dict.fromkeys(("title", "key", "verification"), _TEXTS),
    **dict.fromkeys(("created", "updated", "expires", "deadline"), _MOMENTS),
    **dict.fromkeys(("importance", "confidence"), _DECIMALS),
    "tokens": ["0", "1", "20"],
    "status": _WORDS["status"],
    "trust": _WORDS["trust"],
    "tags": ["[a]", "[a, b]", "[A, 'it''s', \"x\\ny\"]", "['a,b', ab]", "['']"],
    "uses": ["{count: 1}", "{count: 20, last: 2026-01-01}"],
    "source": ["{kind: inferred, actor: 'agent:a', project: a}", "{kind: imported, session: b}"],
    "details": ["{stage: a}", "{stage: b, tool: a}", "{\"it's\": a, 'a:b': b}", "{}"],
}
_QUOTED = {"title", "key", "verification"}


def _value(field: str) -> st.SearchStrategy[str]:
    written = st.sampled_from(_IN_FILE[field])
    return written.map(lambda text: "'" + text.replace("'", "''") + "'") if field in _QUOTED else written


def _item(name: str) -> st.SearchStrategy[StoredItem]:
    fields = st.fixed_dictionaries({}, optional={field: _value(field) for field in _IN_FILE})
    types = st.sampled_from(["fact", "guideline", "decision"])
    return st.builds(lambda fields, kind: make(name, type=kind, **fields), fields, types)


ITEMS: st.SearchStrategy[list[StoredItem]] = st.lists(
    st.sampled_from(["a", "b", "B", "c", "d-1", "d-10"]), unique=True, min_size=1
).flatmap(lambda names: st.tuples(*map(_item, names)).map(list))

_FIELDS = [*SCALARS, "tags", "details.stage", "details.it's", "details.a:b", "details.tool"]


def _asked(field: str) -> st.SearchStrategy[Plain]:
    if field in _WORDS:
        return st.sampled_from(_WORDS[field])
    if field in ("importance", "confidence"):
        return st.sampled_from([0, 0.5, 0.7, "0.7", 1, 0.001])
    if field in ("uses", "tokens"):
        return st.sampled_from([0, 1, 20, "20"])
    if field in ("created", "updated", "expires", "deadline", "last_used"):
        return st.sampled_from(_MOMENTS)
    return st.sampled_from([*_TEXTS, "project", "fact", "decision", "x y", "", "agent:a", "human"])


def _filter(field: str) -> st.SearchStrategy[Asked]:
    value = _asked(field)
    ordering = [] if field == "tags" else [*("$gt", "$gte", "$lt", "$lte")]
    operators = st.dictionaries(st.sampled_from(["$eq", "$ne", *ordering]), value, max_size=3)
    missing = st.dictionaries(st.sampled_from(["$eq", "$ne"]), st.one_of(value, st.none()), max_size=2)
    return st.one_of(value, st.none(), st.lists(st.one_of(value, st.none()), max_size=4), operators, missing)


FILTERS: st.SearchStrategy[Filters] = st.lists(st.sampled_from(_FIELDS), unique=True, max_size=3).flatmap(
    lambda fields: st.fixed_dictionaries({field: _filter(field) for field in fields})
)
ORDERS = st.sampled_from([sign + field for field in _FIELDS if field != "tags" for sign in ("", "-")])
