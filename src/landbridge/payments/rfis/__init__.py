"""Requests for information (RFIs): a payment in review waits until its RFI is closed."""
