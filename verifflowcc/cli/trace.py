"""`vfcc trace`: the items from need to test, their links, and what people say of them.

Each command stands in a file of its own kind and is registered here, by one line.
"""

import typer

from verifflowcc.cli import (
    trace_coverage,
    trace_exchange,
    trace_listing,
    trace_matrix,
    trace_people,
    trace_why,
)
from verifflowcc.cli import (
    trace_exchange as trace_baseline,
)
from verifflowcc.cli import (
    trace_exchange as trace_impact,
)
from verifflowcc.cli import (
    trace_people as trace_authoring,
)

app = typer.Typer(help="Add, link, review and follow the items from need to test.", no_args_is_help=True)
app.command("add")(trace_authoring.add)
app.command("list")(trace_listing.list_)
app.command("show")(trace_listing.show)
app.command("link")(trace_authoring.link)
app.command("unlink")(trace_authoring.unlink)
app.command("retire")(trace_authoring.retire)
app.command("review")(trace_people.review)
app.command("verify")(trace_people.verify)
app.add_typer(trace_baseline.app, name="baseline")
app.command("import")(trace_exchange.import_)
app.command("export")(trace_exchange.export)
app.command("matrix")(trace_matrix.matrix)
app.command("impact")(trace_impact.impact)
app.command("coverage")(trace_coverage.coverage)
app.command("why")(trace_why.why)
