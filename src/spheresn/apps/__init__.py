"""Applications of the library: the command line, the explorer, the paper."""
