"""Travel rule: who sends and who receives coins, before they leave or are credited."""
