"""What can be measured, the measuring, and measures that an organisation has saved."""
