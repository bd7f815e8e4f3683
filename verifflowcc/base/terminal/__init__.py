"""The terminal: output, tables, options that commands share."""
