"""Files of other tools: found, opened, and handed to the pure parsers as text or as plain values."""
