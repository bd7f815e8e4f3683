"""What becomes of items in time: which have ended, which make room, and how their uses add up."""
