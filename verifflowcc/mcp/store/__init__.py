"""The MCP server: what is read and written."""
