"""Write what `vfcc mcp` answers before the first call, from the functions that it calls.

    python -m tests.mcp_lists

The server must not import these to answer, so it reads this file. A test compares it with the functions.
"""

from pathlib import Path

import verifflowcc.mcp
from verifflowcc.mcp.use.mcp_resources import lists_text

FILE = Path(verifflowcc.mcp.__file__).parent / "use" / "lists.json"

if __name__ == "__main__":
    FILE.write_text(lists_text(), encoding="utf-8")
