"""The paper: its figures, and the claims that they test."""
