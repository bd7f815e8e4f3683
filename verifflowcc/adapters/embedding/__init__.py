"""Small models that run on this machine and make vectors of texts."""
