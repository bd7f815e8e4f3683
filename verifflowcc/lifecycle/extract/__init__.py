"""What a turn says that is worth keeping, found by rules alone: no model, no clock, nothing kept between turns."""
