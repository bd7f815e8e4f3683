"""Any backend beside a plain dictionary, under whatever hypothesis does to both."""

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from tests.tiers import count
from tests.tree.backend_conformance import Opener
from tests.tree.backend_items import make
from verifflowcc.base.model.item_query import ordered
from verifflowcc.base.model.memory_protocol import MemoryBackend

NAMES = st.sampled_from(["a", "A", "b", "../c", "é", "e\u0301"])
TYPES = st.sampled_from(["fact", "decision", "odd type"])


def does_as_a_dictionary(open_backend: Opener) -> None:
    """Fail where a store and a dictionary that were treated alike differ."""

    class Beside(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.texts: dict[str, str] = {}
            self.store: MemoryBackend = open_backend("project")

        @initialize()
        def begin(self) -> None:
            self.store.clear()

        @rule(name=NAMES, kind=TYPES, importance=st.sampled_from(["0.1", "0.5"]), within=st.booleans())
        def add(self, name: str, kind: str, importance: str, within: bool) -> None:
            item = make(name, type=kind, importance=importance)
            if within:
                with self.store.writing():
                    self.store.add(item)
            else:
                self.store.add(item)
            self.texts[name] = item.text

        @rule(name=NAMES)
        def delete(self, name: str) -> None:
            assert self.store.delete(name) is (self.texts.pop(name, None) is not None)

        @rule(name=NAMES)
        def get(self, name: str) -> None:
            found = self.store.get(name)
            assert (found.text if found else None) == self.texts.get(name)

        @rule(order_by=st.sampled_from(["importance", "-importance", "type"]), limit=st.integers(0, 4))
        def query(self, order_by: str, limit: int) -> None:
            found = [each.item for each in self.store.query({"importance": {"$gt": 0.2}}, limit, order_by)]
            expected = [item for item in self.store.items() if item.importance > 200]
            assert found == ordered(expected, order_by)[:limit]

        @rule()
        def clear(self) -> None:
            self.store.clear()
            self.texts.clear()

        @rule()
        def open_again(self) -> None:
            self.store.close()
            self.store = open_backend("project")

        @invariant()
        def both_hold_the_same(self) -> None:
            assert {each.item.id: each.text for each in self.store.list_all()} == self.texts
            assert self.store.count() == len(self.texts)
            assert self.store.problems == ()

        def teardown(self) -> None:
            self.store.close()

    run_state_machine_as_test(
        Beside,
        settings=settings(
            deadline=None, max_examples=count(20), stateful_step_count=20, suppress_health_check=list(HealthCheck)
        ),
    )
