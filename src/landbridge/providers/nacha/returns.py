"""Reasons of ACH returns and notifications of change.

Sentences are our own, per code of the network, without personal data. Source: NACHA Operating
Rules, appendix on returns. Codes that are used only between banks (R61 to R85) are described as
such: a company that receives one asks its bank.
"""

from collections.abc import Mapping
from types import MappingProxyType

from landbridge.providers.nacha.messages import NachaEntry, Return

RETURNS: Mapping[str, str] = MappingProxyType(
    {
        "R01": "insufficient funds",
        "R02": "the account is closed",
        "R03": "no such account",
        "R04": "the account number is invalid",
        "R05": "a consumer did not authorise the corporate debit",
        "R06": "the originating bank requested the return",
        "R07": "the authorisation was revoked",
        "R08": "the payment was stopped",
        "R09": "the funds on the account are not collected yet",
        "R10": "the payment was not authorised",
        "R11": "the payment does not match its authorisation",
        "R12": "the account was moved to another bank",
        "R13": "no bank in the network has this routing number",
        "R14": "the payee's representative has died or cannot act",
        "R15": "the payee or the account holder has died",
        "R16": "the account is frozen",
        "R17": "the bank could not process the entry or finds it suspicious",
        "R18": "the effective date is incorrect",
        "R19": "the amount is incorrect",
        "R20": "the account does not accept such payments",
        "R21": "the company ID is incorrect",
        "R22": "the individual ID is incorrect",
        "R23": "the payee refused the payment",
        "R24": "the payment is a duplicate entry",
        "R25": "the addenda are incorrect",
        "R26": "a mandatory field is missing or incorrect",
        "R27": "the trace number is incorrect",
        "R28": "the check digit of the routing number is wrong",
        "R29": "a company did not authorise the payment",
        "R30": "the bank does not accept truncated cheques",
        "R31": "a late return that both banks agreed on",
        "R32": "the bank cannot settle the payment",
        "R33": "a destroyed cheque was returned",
        "R34": "the bank participates in the network with limits",
        "R35": "debits are not allowed on this account",
        "R36": "credits are not allowed on this account",
        "R37": "the source cheque was already paid",
        "R38": "the source cheque was stopped",
        "R39": "the cheque is not eligible for this payment type",
        "R40": "a government agency returned the enrolment",
        "R41": "the transaction code of the enrolment is wrong",
        "R42": "the routing number of the enrolment is wrong",
        "R43": "the account number of the enrolment is wrong",
        "R44": "the individual ID of the enrolment is wrong",
        "R45": "the name of the enrolment is wrong",
        "R46": "the representative of the enrolment is wrong",
        "R47": "the enrolment is a duplicate",
        "R50": "state law does not allow the payment",
        "R51": "the re-presented cheque is not eligible",
        "R52": "the re-presented cheque was stopped",
        "R53": "the cheque and its entry were both presented",
        "R61": "between banks: the return was sent to the wrong bank",
        "R62": "between banks: the return refers to the wrong debit",
        "R67": "between banks: the return is a duplicate",
        "R68": "between banks: the return was late",
        "R69": "between banks: fields of the return are wrong",
        "R70": "between banks: the return was not permitted",
        "R71": "between banks: the dishonoured return was sent to the wrong bank",
        "R72": "between banks: the dishonoured return was late",
        "R73": "between banks: the return was in time",
        "R74": "between banks: the return was corrected",
        "R75": "between banks: the return is not a duplicate",
        "R76": "between banks: no error was found",
        "R77": "between banks: the dishonoured return is not accepted",
        "R80": "the international payment could not be coded",
        "R81": "a bank does not participate in international payments",
        "R82": "the foreign bank does not exist",
        "R83": "the foreign bank could not settle the payment",
        "R84": "the gateway did not process the payment",
        "R85": "the international payment was coded as a domestic one",
    }
)

CHANGES: Mapping[str, str] = MappingProxyType(
    {
        "C01": "the account number",
        "C02": "the routing number",
        "C03": "the routing number and the account number",
        "C04": "the name",
        "C05": "the account type, checking or savings",
        "C06": "the account number and the account type",
        "C07": "the routing number, the account number and the account type",
        "C08": "the foreign bank",
        "C09": "the individual ID",
        "C10": "the company's name",
        "C11": "the company's ID",
        "C12": "the company's name and ID",
        "C13": "the addenda format",
        "C14": "the class of the international payment",
    }
)

# Transaction code of a return: the first digit (kind of account) stays, the second means
# "returned".
_RETURN_OF = {"2": "21", "3": "31"}


def return_sentence(code: str) -> str:
    """Return the sentence for a return code, for `failed_reason` and the dashboard."""
    return f"the bank returned it: {code}, {RETURNS.get(code, 'a reason that we do not know')}"


def change_sentence(code: str) -> str:
    """Return the sentence for a correction, without the new value, which is personal data."""
    return f"the bank requests a correction: {code}, {CHANGES.get(code, 'unknown code')}"


def build_return(
    entry: NachaEntry, *, to_routing_number: str, trace_number: str, code: str
) -> NachaEntry:
    """Build the entry by which a bank returns `entry` to the sending bank."""
    return NachaEntry(
        transaction_code=_RETURN_OF[entry.transaction_code[0]],
        routing_number=to_routing_number,
        account_number=entry.account_number,
        cents=entry.cents,
        individual_id=entry.individual_id,
        name=entry.name,
        trace_number=trace_number,
        returned=Return(code, entry.trace_number, entry.routing_number[:8]),
    )
