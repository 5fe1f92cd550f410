"""KYT (know your transaction): screening of deposits and payments by a provider."""
