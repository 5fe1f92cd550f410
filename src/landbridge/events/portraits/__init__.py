"""What events show: each object as its matching retrieve answered right after the change."""
