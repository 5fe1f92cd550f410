"""Labels of the purposes of payments, and of the types of their documents."""

from collections.abc import Mapping
from typing import Final

from landbridge.platform.formats.translations import later as _

PURPOSE_LABELS: Final[Mapping[str, str]] = {
    "gift": _("Gift"),
    "bills": _("Bills"),
    "groceries": _("Groceries"),
    "travel": _("Travel"),
    "health": _("Health"),
    "entertainment": _("Entertainment"),
    "housing": _("Housing"),
    "school-fees": _("School fees"),
    "other": _("Other"),
    "invoice_payments": _("Payment of invoices"),
    "payment_for_services": _("Payment for services"),
    "payment_for_software": _("Payment for software"),
    "payment_for_imported_goods": _("Payment for imported goods"),
    "travel_services": _("Travel services"),
    "transfer_to_own_account": _("Transfer to own account"),
    "repayment_of_loans": _("Repayment of loans"),
    "payroll": _("Payroll"),
    "payment_of_property_rental": _("Rent of property"),
    "information_service_charges": _("Information services"),
    "advertising_and_public_relations": _("Advertising and public relations"),
    "royalty_and_ip_fees": _("Royalties and fees for intellectual property"),
    "financial_service_fees": _("Fees of financial services"),
    "advisory_and_consulting_fees": _("Advisory and consulting fees"),
    "representative_office_expenses": _("Expenses of a representative office"),
    "tax_payment": _("Tax payment"),
    "transportation_fees": _("Transportation fees"),
    "construction_costs": _("Construction costs"),
    "insurance_premium": _("Insurance premium"),
    "offline_goods_trade": _("Trade of goods"),
    "insurance_claims": _("Insurance claims"),
    "remittance_to_family_or_friends": _("Remittance to family or friends"),
    "education_expenses": _("Education expenses"),
    "medical_treatment": _("Medical treatment"),
    "donations": _("Donations"),
    "mutual_fund_investment": _("Investment in mutual funds"),
    "currency_exchange": _("Currency exchange"),
    "advance_payment_for_goods": _("Advance payment for goods"),
    "merchant_settlement": _("Settlement with a merchant"),
    "repatriation_fund_settlement": _("Repatriation of funds"),
}
DOCUMENT_TYPE_LABELS: Final[Mapping[str, str]] = {
    "billing_document": _("Billing document"),
    "order_document": _("Order"),
    "shipment_document": _("Shipping document"),
    "regulatory_document": _("Regulatory document"),
    "transport_document": _("Transport document"),
    "other_document": _("Other document"),
}
