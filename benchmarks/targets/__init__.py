"""From an input to a target: our regressor beside its own parts, its version 0.2.0 and peers."""
