"""The MCP server: one function per use case."""
