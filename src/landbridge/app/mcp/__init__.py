"""MCP server: lets an assistant read the API, try payments out and, if allowed, propose them.

Guarantees:
- Without `--propose` every request is a GET, or a dry run that writes nothing.
- With `--propose` the only other request creates a payment with `requireApproval`: nothing is sent
  before a person has approved it. A key that could approve is refused at the start.
- Replies contain ids, amounts, times and Landbridge's own words only. Personal data and texts of
  customers, which could carry instructions, are redacted.
"""
