"""`python -m landbridge`."""

from landbridge.cli import main

main()
