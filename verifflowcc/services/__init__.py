"""One function per use case; returns values, prints nothing."""
