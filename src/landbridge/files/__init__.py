"""Files that were sent in: checked by content, kept sealed."""
