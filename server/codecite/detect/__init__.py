"""Detect what truly changed: text becomes leaves and definitions, leaves are compared with what is stored.

`languages` names the language of a file, `parse` takes a file apart, `compare` finds what differs. All of it
is pure: the only thing read besides the arguments are the packaged query files.
"""
