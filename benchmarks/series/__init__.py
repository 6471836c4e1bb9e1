"""Ordinary series, forecast by this library and by the methods that people use for them."""
