"""Whether SQLite's and DuckDB's answers to the same questions are the same, on the same files of a history.

The record's query for files edited together counts every pair of edits, and one before the other however long before;
our rule counts each edit once, within five minutes either way. So our rule is written down in SQL here, and its answer
is compared; how many pairs the record's own query finds is told beside it. DuckDB's tables know no task that the client
did not name, so pairs are compared of what names one.
"""

import time
from collections.abc import Sequence

from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.rules.agent_history import FileEdit, co_edits
from verifflowcc.history.store.history_columns import Analytics
from verifflowcc.history.store.history_tables import tool_counts, touches
from verifflowcc.history.use.history_reading import history_files, open_history
from verifflowcc.history.use.questions import DAY_MS

TOUCHES = 200
OUR_RULE = """
WITH e AS (
    SELECT ROW_NUMBER() OVER () AS n, task_id, file_path, epoch_ms(timestamp) AS at FROM file_interactions
    WHERE operation IN ('edit', 'write') AND success AND task_id IS NOT NULL
), few AS (SELECT task_id FROM e GROUP BY task_id HAVING COUNT(DISTINCT file_path) <= 200),
near AS (
    SELECT DISTINCT a.task_id, a.n, a.file_path AS one, b.file_path AS other FROM e AS a JOIN e AS b
    ON a.task_id = b.task_id AND a.file_path <> b.file_path AND abs(a.at - b.at) <= 300000
    WHERE a.task_id IN (SELECT task_id FROM few)
), counts AS (SELECT task_id, one, other, COUNT(*) AS times FROM near GROUP BY ALL)
SELECT c.one, c.other, CAST(SUM(least(c.times, d.times)) AS BIGINT) AS times FROM counts AS c JOIN counts AS d
ON c.task_id = d.task_id AND c.one = d.other AND c.other = d.one WHERE c.one < c.other
GROUP BY ALL HAVING SUM(least(c.times, d.times)) >= 3
"""
RECORD = """
SELECT COUNT(*) AS pairs FROM (
    SELECT 1 FROM file_interactions f1 JOIN file_interactions f2 ON f1.task_id = f2.task_id
    AND f1.file_path < f2.file_path AND f2.timestamp - f1.timestamp < INTERVAL '5 minutes'
    WHERE f1.operation = 'edit' AND f2.operation = 'edit' GROUP BY f1.file_path, f2.file_path HAVING COUNT(*) >= 3
)
"""


def disagreements(workspace: Workspace, path: str) -> tuple[list[str], dict[str, int]]:
    """Return what differs, as sentences, and how much of each kind was compared."""
    since = int(time.time() * 1000) - 7 * DAY_MS
    with open_history(workspace) as history:
        edits = history.rows(
            "SELECT task_id, file_path, at_ms, timestamp FROM file_interactions WHERE operation IN ('edit', 'write') "
            "AND success IS NOT 0 AND task_id IS NOT NULL ORDER BY task_id, at_ms, event, file_path"
        )
        ours = {(*pair.files, pair.count) for pair in co_edits(FileEdit(*row) for row in edits)}
        tools = {tuple(row[:3]) for row in tool_counts(history, since)}
        touched = [(each.time, str(each.operation)) for each in touches(history, "f.file_path = ?", (path,), TOUCHES)]
    with Analytics(history_files(workspace)) as analytics:

        def asked(query: str) -> list[tuple[object, ...]]:
            return [tuple(row.values()) for row in analytics.ask(query).rows]

        theirs = set(asked(OUR_RULE))
        ((pairs,),) = asked(RECORD)
        counts = "SELECT tool_name, COUNT(*) AS n, CAST(COUNT(*) FILTER (success) AS BIGINT) AS good FROM"
        by_tool = set(asked(f"{counts} tool_executions WHERE epoch_ms(timestamp) >= {since} GROUP BY tool_name"))
        latest = asked(
            "SELECT strftime(timestamp, '%Y-%m-%dT%H:%M:%S.%gZ') AS time, operation FROM file_interactions "
            f"WHERE file_path = '{path.replace(chr(39), chr(39) * 2)}' ORDER BY timestamp DESC LIMIT {TOUCHES}"
        )
    differ = [
        *_told("files edited together", sorted(ours), sorted(theirs, key=str)),
        *_told("tools over 7 days", sorted(tools), sorted(by_tool, key=str)),
        *_told("touches of a file", sorted(touched), sorted(latest, key=str)),
    ]
    agreed = {
        "pairs of files": len(ours),
        "pairs by the record's own query": int(str(pairs)),
        "tools": len(tools),
        "touches of a file": len(touched),
    }
    return differ, agreed


def _told(what: str, ours: Sequence[object], theirs: Sequence[object]) -> list[str]:
    if ours == theirs:
        return []
    first = next((pair for pair in zip(ours, theirs, strict=False) if pair[0] != pair[1]), None)
    return [f"{what}: {len(ours)} in SQLite, {len(theirs)} in DuckDB; first unlike: {first}"]
