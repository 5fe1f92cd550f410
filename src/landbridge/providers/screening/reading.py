"""Reads the files of a list, and recognises the publisher by the content."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from stat import S_ISREG

from landbridge.providers.screening import eu, ofac, pep, uk, un
from landbridge.providers.screening.model import (
    EU_LIST,
    OFAC_SDN,
    UK_LIST,
    UN_LIST,
    ListRejected,
    SanctionsList,
    pep_list,
)
from landbridge.providers.screening.parsing import ListContent, is_xml, root_of

# Current files have less than 200 million bytes; a much larger one is something else.
_FILE_BYTES_MAX = 500_000_000

_XML_FORMATS: Mapping[str, tuple[str, Callable[[bytes], ListContent]]] = {
    ofac.ROOT: (OFAC_SDN, ofac.read_xml),
    un.ROOT: (UN_LIST, un.read),
    eu.ROOT: (EU_LIST, eu.read),
    uk.ROOT: (UK_LIST, uk.read),
}


def read_list(paths: Sequence[Path], *, pep_name: str | None = None) -> SanctionsList:
    """Return the list in these files: one file, or the CSV files of the SDN list in any order.

    `pep_name` names a list of politically exposed persons, which has no name of its own. Raises
    `ListRejected`.
    """
    contents = [_read(path) for path in paths]
    digest = hashlib.sha256()
    for content in sorted(contents):
        digest.update(hashlib.sha256(content).digest())
    name, found = _decode(paths, contents, pep_name)
    if not found.entries:
        raise ListRejected("There is no entry in it; this is not a sanctions list.")
    return SanctionsList(name, digest.hexdigest(), found.published_on, tuple(found.entries))


def _decode(
    paths: Sequence[Path], contents: Sequence[bytes], pep_name: str | None
) -> tuple[str, ListContent]:
    if any(pep.is_pep_file(each) for each in contents):
        _check_alone(contents)
        if pep_name is None:
            raise ListRejected("This is a list of politically exposed persons: name it by --name.")
        return pep_list(pep_name), pep.read(contents[0])
    if pep_name is not None:
        raise ListRejected("Only a list of politically exposed persons is named by --name.")
    if any(is_xml(each) for each in contents):
        _check_alone(contents)
        root, _ = root_of(contents[0])
        if root not in _XML_FORMATS:
            known = ", ".join(_XML_FORMATS)
            raise ListRejected(f"This is no known list: its root is {root[:50]}, not {known}.")
        name, read = _XML_FORMATS[root]
        return name, read(contents[0])
    return OFAC_SDN, ofac.read_csv(list(zip(paths, contents, strict=True)))


def _check_alone(contents: Sequence[bytes]) -> None:
    if len(contents) > 1:
        raise ListRejected("Give one XML or PEP file, or the CSV files of the SDN list.")


def _read(path: Path) -> bytes:
    try:
        status = path.stat()
        if not S_ISREG(status.st_mode):
            raise ListRejected(f"{path} is not an ordinary file.")
        if status.st_size > _FILE_BYTES_MAX:
            raise ListRejected(f"{path} is too large for a sanctions list.")
        return path.read_bytes()
    except OSError as error:
        raise ListRejected(f"{path} can't be read: {error.strerror}.") from error
