"""`python -m landbridge`."""

from landbridge.app.cli import main

main()
