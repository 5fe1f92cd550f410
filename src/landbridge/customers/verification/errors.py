"""Errors of verification."""

from landbridge.platform.core.errors import Refused


class VerificationMissing(Refused):
    """The user is not verified for this rail."""

    code, name, status = 300201, "USER_COMPLIANCE_VERIFICATION_FAILED", 403


class KycDataInvalid(Refused):
    """The KYC data is not enough for this rail, so nothing was submitted."""

    code, name, status = 300202, "USER_COMPLIANCE_DATA_INVALID", 400
