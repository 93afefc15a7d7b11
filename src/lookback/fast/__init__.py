"""Fast twins of ideas, out of sight: each is held equal to the plain form by a test."""
