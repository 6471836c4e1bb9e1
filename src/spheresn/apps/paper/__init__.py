"""The paper: its figures redrawn, its claims judged."""
