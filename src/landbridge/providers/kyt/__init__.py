"""KYT (know your transaction): screening of deposits from outside, by a provider."""
