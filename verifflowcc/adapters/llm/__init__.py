"""Language models behind one port: a command that a person names, or an API through a client library."""
