from collections.abc import Mapping
def circles_of(imports: Mapping[str, frozenset[str]]) -> list[set[str]]:
    """Return the strongly connected sets of more than one file (Tarjan, without recursion)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found = []
    for start in imports:
        if start in order:
            continue
        order[start] = low[start] = len(order)
        stack.append(start)
        work = [(start, iter(sorted(imports[start])))]
        while work:
            node, left = work[-1]
            child = next(left, None)
            if child is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    at = stack.index(node)
                    if len(stack) - at > 1:
                        found.append(set(stack[at:]))
                    del stack[at:]
            elif child not in order:
                order[child] = low[child] = len(order)
                stack.append(child)
                work.append((child, iter(sorted(imports[child]))))
            elif child in stack:
                low[node] = min(low[node], order[child])
    return found


