"""Uploaded files: checked by content, stored sealed."""
