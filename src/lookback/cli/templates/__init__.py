"""A chapter of one small idea, which `lookback new` copies under another name.

The table of `lookback.cli.new` says where each file goes.
"""
