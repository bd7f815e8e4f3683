"""File formats that several capabilities share; pure."""
