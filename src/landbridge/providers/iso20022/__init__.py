"""The ISO 20022 messages that we exchange with banks: pain.001 out, pain.002 and camt.053 in."""
