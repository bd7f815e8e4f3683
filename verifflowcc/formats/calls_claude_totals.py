"""What Claude Code counts for a session beyond the messages of its transcript, such as the request of a compaction."""

from collections.abc import Iterator, Mapping, Sequence

from verifflowcc.formats.call_lines import Json, Spent, Tokens, mapping_at, number_at


class Totals:
    """The messages of a session so far, beside what the client counts now and then; `others` are its subagents'."""

    def __init__(self, others: Sequence[Spent] = ()) -> None:
        self._others = others
        self._own: dict[str, Tokens] = {}
        self._told: dict[str, Tokens] = {}
        self._begun = False

    def add(self, model: str, tokens: Tokens) -> None:
        """Count a message, or what more there is of it."""
        self._own[model] = self._own.get(model, Tokens()) + tokens

    def beyond(self, at: int, row: Mapping[str, Json], before: int | None, *, copied: bool) -> Iterator[Spent]:
        """Yield what a `cost-state` line counts that no message told, as far as that was not told before.

        The others' messages count that came `before` the session went on. A session with `copied` lines was forked from
        another one, which its first count holds too: what that counts beyond is no one's here.
        """
        counted = {model: _tokens(each) for model, each in mapping_at(row, "modelUsage").items()}
        spent = dict(self._own)
        for each in self._others:
            if before is None or each.at < before:
                spent[each.model] = spent.get(each.model, Tokens()) + each.tokens
        if not spent.keys() <= counted.keys():  # the client names models otherwise where it counts
            counted, spent = {"": _sum(counted)}, {"": _sum(spent)}
        for model, total in sorted(counted.items()):
            told = self._told.get(model, Tokens())
            more = total.beyond(spent.get(model, Tokens()) + told)
            self._told[model] = told + more
            if more != Tokens() and (self._begun or not copied):
                key = f"{model} {total.input} {total.output} {total.cache_read} {total.cache_creation}"
                yield Spent(at, key, more, model)
        self._begun = True


def _tokens(counted: Json) -> Tokens:
    names = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
    return Tokens(*(number_at(counted, name) for name in names))


def _sum(tokens: Mapping[str, Tokens]) -> Tokens:
    return sum(tokens.values(), Tokens())
