"""Pages that create payments and act on them."""
