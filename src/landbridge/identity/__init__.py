"""The port to those who verify people: a sandbox, and a person who decides by hand."""
