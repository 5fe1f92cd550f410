"""What an organisation lets its users pay: limits, lists of destinations, cool-downs."""
