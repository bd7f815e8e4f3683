"""The only code that does I/O."""
