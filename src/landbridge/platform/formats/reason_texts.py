"""Reasons stored with records, translated on pages that show them.

A placeholder named `reason` holds another reason, which is translated too. The reasons of bank
return codes, the scripted outcomes and the meanings of events are listed with their codes; the
catalogue of texts includes them.
"""

from collections.abc import Sequence
from typing import Final

from landbridge.platform.formats.translations import later as _

REASONS: Final[Sequence[str]] = (
    # Scripted outcomes of the sandbox, and webhook deliveries without a response.
    _("this payment did not pass the screening, as scripted in the sandbox"),
    _("there is no fresh price for this pair, as scripted in the sandbox"),
    _("the stablecoin is off its peg and is not quoted, as scripted in the sandbox"),
    _("the bank could not collect the deposit, as scripted in the sandbox"),
    _("the payer's bank recalled the deposit, as scripted in the sandbox"),
    _("the chain refused the transaction, as scripted in the sandbox"),
    _("the transaction failed on the chain, as scripted in the sandbox"),
    _("the other chain refused to mint, as scripted in the sandbox"),
    _("the bank refused the payment, as scripted in the sandbox"),
    _("the bank returned the payment, as scripted in the sandbox"),
    _("the chain refused the refund, as scripted in the sandbox"),
    _("the connection was refused"),
    _("the name leads to an address that is not public"),
    _("the answer was too long"),
    _("TLS was not agreed on"),
    _("the name does not resolve"),
    _("no connection could be made"),
    _("the connection was closed without an answer"),
    _("the answer was not valid HTTP"),
    _("the connection was broken off"),
    _("no answer within %(seconds)s s"),
    _("the certificate is not valid: %(rest)s"),
    # Orders on chains: why they wait, and why they failed.
    _("waits for coins at the paying address"),
    _("waits for the allowance of a contract"),
    _("waits for another batch or burn of the paying address"),
    _("waits: its sending address is stopped until an operator resumes it"),
    _("waits until the transactions of the paying address are read"),
    _("waits for a person: %(reason)s"),
    _("waits until the chain can't undo the payment"),
    _("waits until the chain can't undo the burn"),
    _("waits until the chain can't undo the mint"),
    _("waits for the attestation of the burn"),
    _("waits: the attested messages are not of this burn"),
    _("waits: the chain refuses the attested message"),
    _("waits: the attestation service %(rest)s"),
    _("waits for a relayer: none has native coins to send"),
    _("waits for the chain's nodes"),
    _("waits for the signer"),
    _("waits for the signer: %(rest)s"),
    _("waits: the signer refuses: %(rest)s"),
    _("waits: the chain's fees are above the configured cap"),
    _("waits: the token's issuer has paused all transfers"),
    _("waits: the transaction needs more gas than a node allows"),
    _("waits: the nodes can't simulate the transaction"),
    _("the token's issuer has blocked an address of the transfer"),
    _("the token's contract refuses the transfer"),
    _("the contract of the token or of the bridge refuses the burn"),
    _("the chain carried out the transaction, but the token's contract refused the transfer"),
    _("the paying address has the code of another contract"),
    _("%(chain)s has no way to pay the gas of this transfer"),
    _("nonce %(nonce)s was used by a transaction that was not signed here"),
    # Orders on Solana.
    _("its transaction has expired, and is signed anew"),
    _("waits for a person: no node has kept the blocks that could have its transaction"),
    _("waits: the token's program refuses the transfer for an unknown reason"),
    _("the recipient's token account belongs to another wallet"),
    _("the paying token account belongs to another wallet"),
    _("the recipient's account is of another token"),
    _("the recipient's address is not one of a wallet"),
    _("one transaction on %(chain)s pays at most %(count)s recipients"),
    # Nodes of chains.
    _("did not answer in time"),
    _("could not be connected in time"),
    _("could not be connected (%(error)s)"),
    _("broke off the exchange (%(error)s)"),
    _("answered something other than JSON"),
    _("answered HTTP status %(status)s"),
    _("answered error %(code)s"),
    _("answered wrongly: %(rest)s"),
    _("limits the rate of requests"),
    _("is %(count)s blocks behind another node"),
    _("is on the chain with id %(id)s, not %(expected)s"),
    _("is on the chain with genesis hash %(id)s, not %(expected)s"),
    # Payments.
    _("the quote expired before it was accepted"),
    _("the quote expired before the deposit arrived"),
    _("the coins did not arrive in time"),
    _("it was cancelled during its review"),
    _("cancelled while in review"),
    _("it was not approved in time"),
    _("the requester withdrew it"),
    _("it was approved, but no quote could be made: %(reason)s"),
    _("the bank reversed the deposit"),
    _("its bank took the deposit back: request DEPOSIT_REVERSED"),
    _("its bank took the deposit back: request FAIL, then DEPOSIT_REVERSED"),
    _("its provider reports the failed payment as settled: close that problem"),
    _("its bank has booked the failed payment: resolve that line"),
    _("the provider refused it"),
    _("refused %(count)s times: %(reason)s"),
    _("the payment continued by itself and is %(status)s"),
    _("%(sum)s arrived instead of %(expected)s; they are returned"),
    # Limits.
    _("limit %(rule)s allows one payment of %(amount)s usd"),
    _(
        "limit %(rule)s allows the organisation %(amount)s usd a day; this payment would make it "
        "%(total)s usd"
    ),
    _(
        "limit %(rule)s allows the organisation %(amount)s usd a month; this payment would make it "
        "%(total)s usd"
    ),
    _(
        "limit %(rule)s allows one user %(amount)s usd a day; this payment would make it "
        "%(total)s usd"
    ),
    _(
        "limit %(rule)s allows one user %(amount)s usd a month; this payment would make it "
        "%(total)s usd"
    ),
    _("limit %(rule)s allows the organisation %(count)s payments a day"),
    _("limit %(rule)s allows the organisation %(count)s payments a month"),
    _("limit %(rule)s allows one user %(count)s payments a day"),
    _("limit %(rule)s allows one user %(count)s payments a month"),
    _("a destination is on the organisation's block list"),
    _("a destination is not on the organisation's allow list"),
    _(
        "a destination known for less than %(hours)s hours may receive %(amount)s usd; this "
        "payment would exceed it"
    ),
    # Banks and bank statement lines.
    _("the bank refused it"),
    _("the bank returned it"),
    _("the bank refused it: %(code)s, %(reason)s"),
    _("the bank returned it: %(code)s, %(reason)s"),
    _("the bank requests a correction: %(code)s, %(reason)s"),
    _("a reason that we do not know"),
    _("unknown code"),
    _("the amount does not match the referenced payment"),
    _("the amount does not match the referenced file"),
    _("the return's trace number belongs to a payment with another individual ID"),
    _("a credit references the payment but is not marked as a return"),
    _("the bank reversed its booking of the payment, but did not mark it as returned"),
    _("the bank reversed an incoming payment"),
    _("the bank rejected it as a duplicate of another payment"),
    _("the bank already booked the payment"),
    _("the bank already booked the file"),
    _("the bank booked a payment that is in no file yet"),
    _("the bank booked a payment that it had refused"),
    _("the bank booked a file with payments that already ended"),
    _("the bank rejected a file after booking some of its payments"),
    _("the bank returned a payment that is in no file yet"),
    _("the bank returned a payment that it had not booked"),
    _("the payment was returned after settlement"),
    _("the payment was already returned"),
    _("no file of ours has the reported reference"),
    _("no payment of ours has the reported reference"),
    _("no payment of ours has this reference"),
    _("no ACH payment of ours has this trace number"),
    _("a returned payment is not one of ours"),
    _("another statement or page has a line like this, and the bank gave neither a reference"),
    _("the statement is of an account that has no files in this folder"),
    _("the statement begins with another balance than the ones before it ended with"),
    _("the bank's charges for a payment"),
    _("an entry that is neither a return nor a change"),
    _("the deposit was reversed, or returned by other means"),
    _("Pay by SEPA to IBAN %(account)s."),
    _("Pay by PIX with the key %(account)s."),
    _("Pay by SPEI to CLABE %(account)s."),
    _("Pay by bank transfer to account %(account)s."),
    # Bank accounts.
    _("%(path)s: no bank has such a number"),
    _("%(path)s: its check digits are wrong"),
    _("%(path)s: its country has none, or none of this length and form"),
    _("%(path)s: its fifth and sixth letter are no country"),
    _("%(path)s: its country is not in SEPA"),
    _("%(path)s: it is a CVU"),
    _("%(path)s: it is a CBU"),
    _("the name of the payee is not known"),
    # Events.
    _("The status of an onramp changed to %(status)s."),
    _("The status of an offramp changed to %(status)s."),
    _("The status of a swap changed to %(status)s."),
)
