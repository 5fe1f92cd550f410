"""Four eyes: ask for a payment's approval, vote on it, let it lapse."""
