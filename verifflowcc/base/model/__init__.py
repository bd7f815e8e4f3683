"""Values that several capabilities share; pure."""
