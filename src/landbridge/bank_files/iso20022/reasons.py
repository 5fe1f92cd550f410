"""What the codes of returns and rejections mean, in our own words.

Source: ISO 20022 external code sets (payment return and status reasons), as banks use them.

A bank may write a reason of its own in the place of a code, and it may name somebody: what is not
in the list is taken for `NARR`, "a reason in words", and its words are left behind.
"""

IN_WORDS = "NARR"
NO_REASON = "MS03"
# The bank has seen it before, and refuses the second copy alone: the first stands.
DUPLICATES = frozenset({"AM05", "DU01", "DU02", "DU03", "DU04", "DU05", "DUPL"})

REASONS = {
    "AB05": "the payee's bank did not answer in time",
    "AB06": "an instant payment took too long",
    "AB07": "the payee's bank is not on line",
    "AB08": "the payee's bank is not on line",
    "AB09": "the payee's bank had a fault",
    "AB10": "a bank on the way had a fault",
    "AC01": "the account number is not right",
    "AC02": "the number of the paying account is not right",
    "AC03": "the payee's account number is not right",
    "AC04": "the account is closed",
    "AC06": "the account is blocked",
    "AC07": "the payee's account is closed",
    "AC13": "the account is of the wrong kind",
    "AC14": "the account is of the wrong kind",
    "AC15": "the account has another number now",
    "AG01": "payments like this are not allowed on the account",
    "AG02": "the kind of payment is not right",
    "AG03": "the payee's bank does not take this kind of payment",
    "AM01": "the amount is zero",
    "AM02": "the amount is above what is allowed",
    "AM03": "the currency is not one of this rail's",
    "AM04": "the paying account has too little money",
    "AM05": "the payment is there twice",
    "AM06": "the amount is below what is allowed",
    "AM07": "the amount is blocked",
    "AM09": "the amount is not right",
    "AM10": "the control sum is not right",
    "AM11": "the currency is not right",
    "AM12": "the amount is not right",
    "AM13": "the amount is above the limit of the clearing",
    "AM14": "the amount is above the limit that was agreed",
    "AM18": "the number of payments is not right",
    "AM23": "the amount is above the limit of the clearing",
    "BE01": "the payee's name does not fit the account",
    "BE04": "the payee's address is missing or not right",
    "BE05": "the bank does not know who sent the file",
    "BE06": "the payee is not known at the bank",
    "BE07": "the payer's address is missing or not right",
    "BE08": "the payer's name is missing",
    "BE16": "the payer's number is not right",
    "BE17": "the payee's number is not right",
    "BE22": "the payee's name is missing",
    "CNOR": "the payee's bank is not registered with this clearing",
    "CURR": "the currency is not right",
    "CUST": "the payer asked for it back",
    "CUTA": "a cancellation was asked for, and the details are missing",
    "DNOR": "the paying bank is not registered with this clearing",
    "DT01": "the date is not right",
    "DT06": "the bank has moved the date",
    "DU01": "the file's number is there twice",
    "DU02": "the group's number is there twice",
    "DU03": "the payment's number is there twice",
    "DU04": "our reference is there twice",
    "DU05": "the instruction's number is there twice",
    "DUPL": "the payment is there twice",
    "ED05": "the settlement failed",
    "ED06": "there is no settlement with that bank",
    "ERIN": "the bank takes no such file",
    "FF01": "the file's format is not right",
    "FF03": "the kind of payment is not right",
    "FF05": "the kind of instant payment is not right",
    "FF10": "the bank's system had a fault",
    "FOCR": "the payment came back after a cancellation",
    "FR01": "the bank takes it for fraud",
    "FRAD": "the bank takes it for fraud",
    "MD06": "the payer asked for it back",
    "MD07": "the account's holder has died",
    "MS02": "the payee refused it, without a reason",
    NO_REASON: "the bank gave no reason",
    IN_WORDS: "a reason in words, which is with the bank",
    "NOAS": "the payee did not answer",
    "NOOR": "the payment was not found",
    "PY01": "the bank can't be reached this way",
    "RC01": "the bank's number is not right",
    "RC03": "the number of the paying bank is not right",
    "RC04": "the number of the payee's bank is not right",
    "RC07": "the BIC of the payee's bank is not right",
    "RC10": "the clearing number of the payee's bank is not right",
    "RR01": "the law asks for the payer's account or number, and it is missing",
    "RR02": "the law asks for the payer's name or address, and it is missing",
    "RR03": "the law asks for the payee's name or address, and it is missing",
    "RR04": "the law does not allow it",
    "RR05": "the law asks for a report that is missing",
    "RR06": "the law asks for tax details that are missing",
    "RR07": "the remittance text is not right",
    "RR08": "the remittance text is too long",
    "RR09": "the structured reference is not right",
    "RR10": "there are letters in it that the rail can't carry",
    "RR11": "the bank's own reference is not right",
    "RR12": "the number of the payee is missing or not right",
    "RUTA": "a return was asked for, and the details are missing",
    "SL01": "the payer's bank does not offer it",
    "SL02": "the payee's bank does not offer it",
    "SL11": "the payee does not take payments from here",
    "SL12": "the payee has stopped payments like this",
    "TD03": "a part of the file is missing",
    "TECH": "the bank had a fault",
    "TM01": "the file came after the bank's last hour of the day",
    "UPAY": "the payment was not owed",
}


def reason_code(told: str | None) -> str | None:
    """The code that a bank told, if it is a known one; else the code of a reason in words."""
    if not told:
        return None
    return told if told in REASONS else IN_WORDS


def in_words(code: str) -> str:
    """A known code with what it means, as in `AC04, the account is closed`."""
    return f"{code}, {REASONS[code]}"
