"""An encoded file decodes to the same file, with matching totals."""

from hypothesis import HealthCheck, given, settings

from landbridge.providers.nacha.messages import NachaFile
from landbridge.providers.nacha.reading import read
from landbridge.providers.nacha.writing import write
from tests.providers.nacha.builders import files

# Files are large; a busy machine generates them slowly.
SETTINGS = settings(suppress_health_check=[HealthCheck.too_slow])


@SETTINGS
@given(files())
def test_a_file_is_read_as_it_was_written(file: NachaFile) -> None:
    assert read(write(file)) == file


@SETTINGS
@given(files())
def test_the_same_file_is_the_same_bytes(file: NachaFile) -> None:
    assert write(read(write(file))) == write(file)


@SETTINGS
@given(files())
def test_a_file_is_whole_blocks_of_ten_lines_of_94_columns(file: NachaFile) -> None:
    lines = write(file).decode("ascii").splitlines()
    assert {len(each) for each in lines} == {94}
    assert len(lines) % 10 == 0


@SETTINGS
@given(files())
def test_line_ends_of_windows_and_missing_filling_change_nothing(file: NachaFile) -> None:
    lines = [each for each in write(file).decode("ascii").splitlines() if each != "9" * 94]
    assert read("\r\n".join(lines).encode("ascii")) == file
