"""Commands on members. `cli` puts them under `landbridge members`."""

from uuid import UUID

import click

from landbridge.customers.team.model import NewInvitation, TeamMember
from landbridge.customers.team.service import Team
from landbridge.platform.cli_context import (
    CommandContext,
    CommandRunner,
    data_dir_option,
    org_option,
    print_lines,
)
from landbridge.platform.http.caller import MemberRole


def members(run_command: CommandRunner[Team]) -> click.Group:
    """Define the group of commands."""

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
    @org_option
    @data_dir_option
    def invite(*, email: str, name: str, role: str, org: UUID | None, data_dir: str | None) -> None:
        """Invite a member, again if needed; the last output line is the link, valid for a week."""

        async def run(desk: CommandContext[Team]) -> NewInvitation:
            return await desk.verbs.invite_by_operator(
                desk.org_id, desk.clock_offset, email=email, name=name, role=MemberRole(role)
            )

        invited = run_command(data_dir, org, run, writes=True)
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
    @org_option
    @data_dir_option
    def reset(*, email: str, drop_factors: bool, org: UUID | None, data_dir: str | None) -> None:
        """Create a password reset link, valid for an hour; it is the last line of output."""

        async def run(desk: CommandContext[Team]) -> str:
            return await desk.verbs.reset_by_operator(
                desk.org_id, desk.clock_offset, email=email, drops_factors=drop_factors
            )

        click.echo(run_command(data_dir, org, run, writes=True))

    return group


def _add_list(group: click.Group, run_command: CommandRunner[Team]) -> None:
    @group.command("list")
    @org_option
    @data_dir_option
    def list_members(org: UUID | None, data_dir: str | None) -> None:
        """List all members, including removed ones."""

        async def run(desk: CommandContext[Team]) -> list[TeamMember]:
            return list(await desk.verbs.list_members(desk.org_id))

        found = run_command(data_dir, org, run, writes=False)
        print_lines([_line(each) for each in found], "There is no member.")


def _line(person: TeamMember) -> str:
    state = "active"
    if person.removed_at is not None:
        state = "removed"
    elif person.is_invited:
        state = "invited"
    since = f"{person.created_at:%Y-%m-%d}"
    return f"{person.id}  {since}  {person.role.value}  {state}  {person.email}  {person.name}"
