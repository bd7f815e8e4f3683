"""The command line: what is read and written."""
