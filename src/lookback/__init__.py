"""Lookback: the history of attention as a program."""
