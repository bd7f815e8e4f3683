"""`vfcc memory`: what is remembered of the user, the project and what is in work, as typed items.

Each command stands in a file of its own kind and is registered here, by one line.
"""

import typer

from verifflowcc.cli import (
    memory_add,
    memory_copy,
    memory_edit,
    memory_eval,
    memory_inbox,
)
from verifflowcc.cli import (
    memory_copy as memory_exchange,
)
from verifflowcc.cli import (
    memory_copy as memory_maintain,
)
from verifflowcc.cli import (
    memory_copy as memory_restore,
)
from verifflowcc.cli import (
    memory_edit as memory_forget,
)
from verifflowcc.cli import (
    memory_edit as memory_moving,
)
from verifflowcc.cli import (
    memory_inbox as memory_ingest,
)
from verifflowcc.cli import (
    memory_inbox as memory_listing,
)
from verifflowcc.cli import (
    memory_inbox as memory_search,
)

app = typer.Typer(help="Add, find and change what is remembered.", no_args_is_help=True)
app.command("add")(memory_add.add)
app.command("list")(memory_listing.list_)
app.command("show")(memory_listing.show)
app.command("search")(memory_search.search)
app.command("eval")(memory_eval.evaluate)
app.command("edit")(memory_edit.edit)
app.command("link")(memory_moving.link)
app.command("forget")(memory_forget.forget)
app.command("move")(memory_moving.move)
app.command("inbox")(memory_inbox.inbox)
app.command("promote")(memory_inbox.promote)
app.command("reject")(memory_inbox.reject)
app.command("stats")(memory_listing.stats)
app.command("export")(memory_exchange.export)
app.command("import")(memory_exchange.import_)
app.command("copy")(memory_copy.copy)
app.command("schema")(memory_copy.schema)
app.command("maintain")(memory_maintain.maintain)
app.command("restore")(memory_restore.restore)
app.command("ingest")(memory_ingest.ingest)
