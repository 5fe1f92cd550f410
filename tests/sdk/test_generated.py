"""The generated parts of the client libraries are those of the present document."""

from sdk.emitter.document import ROOT, ApiDocument
from sdk.emitter.files import generated, outdated


def test_generated_files_are_of_the_present_document() -> None:
    files = generated()
    assert outdated(files) == []
    differing = [
        str(path)
        for path, text in files.items()
        if not (ROOT / path).exists() or (ROOT / path).read_text(encoding="utf-8") != text
    ]
    assert not differing, f"run `make sdk`: {differing}"


def test_every_operation_has_a_method() -> None:
    document = ApiDocument.read()
    assert len(document.operations) > 170
    text = (ROOT / "sdk/python/src/landbridge_sdk/resources.py").read_text(encoding="utf-8")
    for each in document.operations:
        assert f'"{each.path}"' in text, each.path
