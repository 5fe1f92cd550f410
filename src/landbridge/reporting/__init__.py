"""Reports: what can be measured, and the measures themselves."""
