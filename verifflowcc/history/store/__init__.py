"""What agents did: what is read and written."""
