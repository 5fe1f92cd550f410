"""Page controllers for sign-in and the member's own profile."""

from collections.abc import Sequence

from litestar.types import ControllerRouterHandler

from landbridge.dashboard.auth.mfa_pages import SecondFactorPages
from landbridge.dashboard.auth.passkey_pages import OwnPasskeyPages, PasskeyPages
from landbridge.dashboard.auth.profile_pages import ProfilePages
from landbridge.dashboard.auth.proof_pages import ProofPages
from landbridge.dashboard.auth.reset_pages import ForgotPages, InvitationPages, ResetPages
from landbridge.dashboard.auth.session_pages import SessionPages
from landbridge.dashboard.auth.sign_in_pages import SignInPages, SignOutPages

PAGES: Sequence[ControllerRouterHandler] = [
    SignInPages,
    SignOutPages,
    PasskeyPages,
    ForgotPages,
    ResetPages,
    InvitationPages,
    ProfilePages,
    SecondFactorPages,
    OwnPasskeyPages,
    ProofPages,
    SessionPages,
]
