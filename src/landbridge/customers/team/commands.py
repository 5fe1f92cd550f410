"""CLI commands on members, under `landbridge members`."""

import click

from landbridge.customers.team.model import NewInvitation, TeamMember
from landbridge.customers.team.service import Team
from landbridge.platform.cli_context import (
    CommandContext,
    CommandRunner,
    CommandTarget,
    print_lines,
    target_options,
)
from landbridge.platform.http.caller import MemberRole


def members(run_command: CommandRunner[Team]) -> click.Group:
    """Build the command group."""

    @click.group("members")
    def group() -> None:
        """Manage the dashboard members of an organisation (the first, unless --org is given)."""

    _add_list(group, run_command)

    @group.command()
    @click.option("--email", required=True, help="Where they get mail; they sign in with it.")
    @click.option("--name", required=True, help="What they are called.")
    @click.option(
        "--role",
        type=click.Choice([each.value for each in MemberRole]),
        default=MemberRole.MEMBER.value,
        help="What they may do (default: member).",
    )
    @target_options
    def invite(target: CommandTarget, *, email: str, name: str, role: str) -> None:
        """Invite a member, again if needed; the last output line is the link, valid for a week."""

        async def run(context: CommandContext[Team]) -> NewInvitation:
            return await context.verbs.invite_by_operator(
                context.org_id, context.clock_offset, email=email, name=name, role=MemberRole(role)
            )

        invited = run_command(target, run, writes=True)
        if invited.is_mailed:
            click.echo("The link is mailed, too:")
        click.echo(invited.link)

    @group.command()
    @click.option("--email", required=True, help="What they sign in with.")
    @click.option(
        "--drop-factors",
        is_flag=True,
        help="End their one-time codes, passkeys, sessions and password, too: for a lost phone.",
    )
    @target_options
    def reset(target: CommandTarget, *, email: str, drop_factors: bool) -> None:
        """Create a password reset link, valid for an hour; it is the last line of output."""

        async def run(context: CommandContext[Team]) -> str:
            return await context.verbs.reset_by_operator(
                context.org_id, context.clock_offset, email=email, drops_factors=drop_factors
            )

        click.echo(run_command(target, run, writes=True))

    return group


def _add_list(group: click.Group, run_command: CommandRunner[Team]) -> None:
    @group.command("list")
    @target_options
    def list_members(target: CommandTarget) -> None:
        """List all members, including removed ones."""

        async def run(context: CommandContext[Team]) -> list[TeamMember]:
            return list(await context.verbs.list_members(context.org_id))

        found = run_command(target, run, writes=False)
        print_lines([_line(each) for each in found], "There is no member.")


def _line(person: TeamMember) -> str:
    state = "active"
    if person.removed_at is not None:
        state = "removed"
    elif person.is_invited:
        state = "invited"
    since = f"{person.created_at:%Y-%m-%d}"
    return f"{person.id}  {since}  {person.role.value}  {state}  {person.email}  {person.name}"
