"""Local networks on a grid: patches, what they learn, and their closed loop."""
