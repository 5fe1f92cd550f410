"""Which addresses outside the platform an organisation pays."""
