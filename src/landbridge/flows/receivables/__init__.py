"""What users owe: fiat that their bank took back after it was delivered or returned."""
