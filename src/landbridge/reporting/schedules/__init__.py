"""Reports that are made again and again, and told of by an event."""
