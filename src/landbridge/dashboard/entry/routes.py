"""The pages of this room."""

from collections.abc import Sequence

from litestar.types import ControllerRouterHandler

from landbridge.dashboard.entry.invitation_pages import InvitationPages
from landbridge.dashboard.entry.own_passkey_pages import OwnPasskeyPages
from landbridge.dashboard.entry.passkey_pages import PasskeyPages
from landbridge.dashboard.entry.profile_pages import ProfilePages
from landbridge.dashboard.entry.proof_pages import ProofPages
from landbridge.dashboard.entry.reset_pages import ForgotPages, ResetPages
from landbridge.dashboard.entry.second_factor_pages import SecondFactorPages
from landbridge.dashboard.entry.session_pages import SessionPages
from landbridge.dashboard.entry.sign_in_pages import SignInPages, SignOutPages

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
