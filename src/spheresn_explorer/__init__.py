"""The explorer: a page on this machine that shows a network live while its sliders move. Needs
dash.
"""
