"""The command `spheresn` and what it shares with the paper and the explorer, which are packages of
their own; no module of the library imports any of them.
"""
