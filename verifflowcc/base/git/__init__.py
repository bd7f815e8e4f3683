"""git: started in one place, and read without it where that is faster."""
