"""Programs built on the library; no module of the library imports them."""
