"""The MCP server: the tools, resources and prompts that an agent's client reaches over stdin and stdout.

`front` answers the handshake and all lists from `lists.json` and imports nothing slow; the rest of the package is
imported at the first call.
"""
