"""Why banks give ACH payments back, and what they ask to be changed.

Our own sentences for the network's codes; none has anything personal in it. Source: NACHA
Operating Rules, appendix on returns. Codes between banks alone (R61 to R85) are named as such: a
company that gets one asks its bank.
"""

from collections.abc import Mapping
from types import MappingProxyType

from landbridge.bank_files.nacha.messages import Correction, Entry, Return

RETURNS: Mapping[str, str] = MappingProxyType(
    {
        "R01": "the account has not enough money",
        "R02": "the account is closed",
        "R03": "no such account",
        "R04": "the account number can't be one",
        "R05": "a consumer did not authorise a business debit",
        "R06": "the sending bank asked for it back",
        "R07": "the authorisation was withdrawn",
        "R08": "the payment was stopped",
        "R09": "the money on the account is not collected yet",
        "R10": "the payment was not authorised",
        "R11": "the payment was not as authorised",
        "R12": "the account is at another bank now",
        "R13": "no bank in the network has this routing number",
        "R14": "the representative of the payee has died or can't act",
        "R15": "the payee or the account holder has died",
        "R16": "the account is frozen",
        "R17": "the bank could not work with the entry, or finds it suspicious",
        "R18": "the effective date is not right",
        "R19": "the amount is not right",
        "R20": "the account does not take such payments",
        "R21": "the company id is not right",
        "R22": "the individual id is not right",
        "R23": "the payee refused it",
        "R24": "the same payment came twice",
        "R25": "the addenda are not right",
        "R26": "a mandatory field is missing or wrong",
        "R27": "the trace number is not right",
        "R28": "the check digit of the routing number is wrong",
        "R29": "a business did not authorise it",
        "R30": "the bank takes no truncated cheques",
        "R31": "the return comes late, as both banks agreed",
        "R32": "the bank can't settle it",
        "R33": "a destroyed cheque was returned",
        "R34": "the bank takes part in the network within limits",
        "R35": "a debit is not allowed here",
        "R36": "a credit is not allowed here",
        "R37": "the cheque itself was paid",
        "R38": "the cheque itself was stopped",
        "R39": "the cheque can't be paid this way",
        "R40": "a government agency returned the enrolment",
        "R41": "the transaction code of the enrolment is wrong",
        "R42": "the routing number of the enrolment is wrong",
        "R43": "the account number of the enrolment is wrong",
        "R44": "the individual id of the enrolment is wrong",
        "R45": "the name of the enrolment is wrong",
        "R46": "the representative of the enrolment is wrong",
        "R47": "the same enrolment came twice",
        "R50": "the law of the state does not allow it",
        "R51": "the represented cheque can't be paid",
        "R52": "the represented cheque was stopped",
        "R53": "the cheque and its entry were both presented",
        "R61": "between banks: the return went to a wrong bank",
        "R62": "between banks: the return is of a wrong debit",
        "R67": "between banks: the same return came twice",
        "R68": "between banks: the return came too late",
        "R69": "between banks: fields of the return are wrong",
        "R70": "between banks: the return was not agreed",
        "R71": "between banks: the dishonoured return went to a wrong bank",
        "R72": "between banks: the dishonoured return came too late",
        "R73": "between banks: the return was in time",
        "R74": "between banks: the return was corrected",
        "R75": "between banks: the return came once",
        "R76": "between banks: no mistake was found",
        "R77": "between banks: what was dishonoured is not accepted",
        "R80": "an international payment could not be coded",
        "R81": "a bank takes no part in international payments",
        "R82": "no such bank abroad",
        "R83": "the bank abroad could not settle it",
        "R84": "the gateway did not work on it",
        "R85": "the international payment was coded as a domestic one",
    }
)

CHANGES: Mapping[str, str] = MappingProxyType(
    {
        "C01": "the account number",
        "C02": "the routing number",
        "C03": "the routing number and the account number",
        "C04": "the name",
        "C05": "whether it is a checking or a savings account",
        "C06": "the account number, and whether it is a checking or a savings account",
        "C07": "the routing number, the account number, and whether it is checking or savings",
        "C08": "the bank abroad",
        "C09": "the individual id",
        "C10": "the company's name",
        "C11": "the company's id",
        "C12": "the company's name and id",
        "C13": "the form of the addenda",
        "C14": "the class of an international payment",
    }
)

# How an answer names what it is about: the kind of account stays, the rest says "returned".
_RETURN_OF = {"2": "21", "3": "31"}


def return_sentence(code: str) -> str:
    """What a return says, for `failed_reason` and for people."""
    return f"the bank returned it: {code}, {RETURNS.get(code, 'a reason that we do not know')}"


def change_sentence(code: str) -> str:
    """What a notification of change asks for, without the new value, which is personal."""
    return f"the bank asks to change: {code}, {CHANGES.get(code, 'something we do not know')}"


def return_of(entry: Entry, *, to_routing_number: str, trace_number: str, code: str) -> Entry:
    """The entry by which a bank gives `entry` back to the bank that sent it."""
    return Entry(
        transaction_code=_RETURN_OF[entry.transaction_code[0]],
        routing_number=to_routing_number,
        account_number=entry.account_number,
        cents=entry.cents,
        individual_id=entry.individual_id,
        name=entry.name,
        trace_number=trace_number,
        returned=Return(code, entry.trace_number, entry.routing_number[:8]),
    )


def correction_of(
    entry: Entry, *, to_routing_number: str, trace_number: str, code: str, corrected: str
) -> Entry:
    """The entry by which a bank asks for a change; belongs in a batch of `SecCode.COR`."""
    return Entry(
        transaction_code=_RETURN_OF[entry.transaction_code[0]],
        routing_number=to_routing_number,
        account_number=entry.account_number,
        cents=0,
        individual_id=entry.individual_id,
        name=entry.name,
        trace_number=trace_number,
        correction=Correction(code, entry.trace_number, entry.routing_number[:8], corrected),
    )
