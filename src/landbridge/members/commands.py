"""Commands on members. `cli` puts them under `landbridge members`."""

from uuid import UUID

import click

from landbridge.desk import AtDesk, Desk, data_dir_option, org_option, print_lines
from landbridge.members.model import Invited, Person
from landbridge.members.service import Members
from landbridge.web.caller import Role


def members(at_desk: AtDesk[Members]) -> click.Group:
    """The group of commands."""

    @click.group("members")
    def group() -> None:
        """Who signs in to the dashboard, of an organisation (the first, unless --org says)."""

    _add_list(group, at_desk)

    @group.command()
    @click.option("--email", required=True, help="Where they get mail; they sign in with it.")
    @click.option("--name", required=True, help="What they are called.")
    @click.option(
        "--role",
        type=click.Choice([each.value for each in Role]),
        default=Role.MEMBER.value,
        help="What they may do (default: member).",
    )
    @org_option
    @data_dir_option
    def invite(*, email: str, name: str, role: str, org: UUID | None, data_dir: str | None) -> None:
        """Invite somebody, or once more; the link, good for a week, is the last line of output."""

        async def run(desk: Desk[Members]) -> Invited:
            return await desk.verbs.invite_from_desk(
                desk.org_id, desk.clock_offset, email=email, name=name, role=Role(role)
            )

        invited = at_desk(data_dir, org, run, writes=True)
        if invited.is_mailed:
            click.echo("The link is mailed, too:")
        click.echo(invited.link)

    @group.command()
    @click.option("--email", required=True, help="What they sign in with.")
    @click.option(
        "--drop-factors",
        is_flag=True,
        help="Take their one-time codes and passkeys away, too: for who has lost the phone.",
    )
    @org_option
    @data_dir_option
    def reset(*, email: str, drop_factors: bool, org: UUID | None, data_dir: str | None) -> None:
        """Make a link to choose another password; good for an hour, the last line of output."""

        async def run(desk: Desk[Members]) -> str:
            return await desk.verbs.reset_from_desk(
                desk.org_id, desk.clock_offset, email=email, drops_factors=drop_factors
            )

        click.echo(at_desk(data_dir, org, run, writes=True))

    return group


def _add_list(group: click.Group, at_desk: AtDesk[Members]) -> None:
    @group.command("list")
    @org_option
    @data_dir_option
    def list_members(org: UUID | None, data_dir: str | None) -> None:
        """All members, those who were removed too."""

        async def run(desk: Desk[Members]) -> list[Person]:
            return list(await desk.verbs.everybody(desk.org_id))

        found = at_desk(data_dir, org, run, writes=False)
        print_lines([_line(each) for each in found], "There is no member.")


def _line(person: Person) -> str:
    state = "active"
    if person.removed_at is not None:
        state = "removed"
    elif person.is_invited:
        state = "invited"
    since = f"{person.created_at:%Y-%m-%d}"
    return f"{person.id}  {since}  {person.role.value}  {state}  {person.email}  {person.name}"
