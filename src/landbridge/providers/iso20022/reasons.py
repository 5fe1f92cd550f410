"""Meaning of return and rejection codes, in our own words.

Source: ISO 20022 external code sets (payment return and status reasons), as banks use them.

A bank may write free text in the place of a code, and it may contain names. An unknown code is
therefore replaced by `NARR`, "a reason in words", and the bank's text is discarded.
"""

UNSPECIFIED = "NARR"
NO_REASON = "MS03"
# Duplicates: the bank rejects only the second copy, and the first one remains valid.
DUPLICATES = frozenset({"AM05", "DU01", "DU02", "DU03", "DU04", "DU05", "DUPL"})

REASONS = {
    "AB05": "the payee's bank did not answer in time",
    "AB06": "the instant payment timed out",
    "AB07": "the payee's bank is offline",
    "AB08": "the payee's bank is offline",
    "AB09": "the payee's bank had a technical error",
    "AB10": "an intermediary bank had a technical error",
    "AC01": "the account number is incorrect",
    "AC02": "the payer's account number is incorrect",
    "AC03": "the payee's account number is incorrect",
    "AC04": "the account is closed",
    "AC06": "the account is blocked",
    "AC07": "the payee's account is closed",
    "AC13": "the account type is wrong",
    "AC14": "the account type is wrong",
    "AC15": "the account has a new number",
    "AG01": "the account does not allow such payments",
    "AG02": "the payment type is wrong",
    "AG03": "the payee's bank does not accept this payment type",
    "AM01": "the amount is zero",
    "AM02": "the amount is above the allowed maximum",
    "AM03": "this rail does not support the currency",
    "AM04": "insufficient funds in the paying account",
    "AM05": "the payment is a duplicate",
    "AM06": "the amount is below the allowed minimum",
    "AM07": "the amount is blocked",
    "AM09": "the amount is incorrect",
    "AM10": "the control sum is incorrect",
    "AM11": "the currency is incorrect",
    "AM12": "the amount is incorrect",
    "AM13": "the amount is above the clearing limit",
    "AM14": "the amount is above the agreed limit",
    "AM18": "the number of payments is incorrect",
    "AM23": "the amount is above the clearing limit",
    "BE01": "the payee's name does not match the account",
    "BE04": "the payee's address is missing or incorrect",
    "BE05": "the bank does not recognize the sender of the file",
    "BE06": "the bank does not know the payee",
    "BE07": "the payer's address is missing or incorrect",
    "BE08": "the payer's name is missing",
    "BE16": "the payer's identification number is incorrect",
    "BE17": "the payee's identification number is incorrect",
    "BE22": "the payee's name is missing",
    "CNOR": "the payee's bank is not registered with this clearing",
    "CURR": "the currency is incorrect",
    "CUST": "the payer requested its return",
    "CUTA": "a cancellation was requested, but details are missing",
    "DNOR": "the payer's bank is not registered with this clearing",
    "DT01": "the date is incorrect",
    "DT06": "the bank changed the date",
    "DU01": "the file's ID is a duplicate",
    "DU02": "the group's ID is a duplicate",
    "DU03": "the payment's ID is a duplicate",
    "DU04": "our reference is a duplicate",
    "DU05": "the instruction's ID is a duplicate",
    "DUPL": "the payment is a duplicate",
    "ED05": "the settlement failed",
    "ED06": "settlement with that bank is not possible",
    "ERIN": "the bank does not accept such files",
    "FF01": "the file format is wrong",
    "FF03": "the payment type is wrong",
    "FF05": "the instant payment type is wrong",
    "FF10": "the bank's system had a technical error",
    "FOCR": "the payment was returned after a cancellation",
    "FR01": "the bank suspects fraud",
    "FRAD": "the bank suspects fraud",
    "MD06": "the payer requested its return",
    "MD07": "the account holder has died",
    "MS02": "the payee refused it without a reason",
    NO_REASON: "the bank gave no reason",
    UNSPECIFIED: "a reason in words, which is with the bank",
    "NOAS": "the payee did not respond",
    "NOOR": "the payment was not found",
    "PY01": "the bank cannot be reached over this route",
    "RC01": "the bank identifier is incorrect",
    "RC03": "the identifier of the payer's bank is incorrect",
    "RC04": "the identifier of the payee's bank is incorrect",
    "RC07": "the BIC of the payee's bank is incorrect",
    "RC10": "the clearing code of the payee's bank is incorrect",
    "RR01": "the payer's account or ID is required by law and missing",
    "RR02": "the payer's name or address is required by law and missing",
    "RR03": "the payee's name or address is required by law and missing",
    "RR04": "the payment is not allowed by law",
    "RR05": "a report required by law is missing",
    "RR06": "tax details required by law are missing",
    "RR07": "the remittance information is invalid",
    "RR08": "the remittance information is too long",
    "RR09": "the structured reference is invalid",
    "RR10": "it has characters that the rail does not support",
    "RR11": "the bank's reference is invalid",
    "RR12": "the payee's identification is missing or incorrect",
    "RUTA": "a return was requested, but details are missing",
    "SL01": "the payer's bank does not offer this service",
    "SL02": "the payee's bank does not offer this service",
    "SL11": "the payee does not accept payments from this payer",
    "SL12": "the payee blocked such payments",
    "TD03": "the file is incomplete",
    "TECH": "the bank had a technical error",
    "TM01": "the file arrived after the bank's cut-off time",
    "UPAY": "the payment was not due",
}


def reason_code(code: str | None) -> str | None:
    """Return a known reason code as it is; for another text, the code of a reason in words."""
    if not code:
        return None
    return code if code in REASONS else UNSPECIFIED


def describe(code: str) -> str:
    """Return a known code with its meaning, for example `AC04, the account is closed`."""
    return f"{code}, {REASONS[code]}"
