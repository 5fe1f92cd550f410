"""Payment limits of an organisation's users: amount rules, destination lists, cool-downs."""
