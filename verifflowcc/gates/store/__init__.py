"""Gates and their evidence: what is read and written."""
