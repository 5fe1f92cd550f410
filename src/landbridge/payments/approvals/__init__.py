"""Approvals (four eyes): requests, votes and expiry of approvals of payments."""
