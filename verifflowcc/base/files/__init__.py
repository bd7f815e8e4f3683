"""Files and folders: read, written, walked, locked."""
