"""Travel rule: data about originator and beneficiary before coins are sent or credited."""
