"""Writes the generated parts of the client libraries from `openapi.json`.

`document` reads the OpenAPI document into types and operations; `python_types`,
`python_resources` and `typescript` write them. `make sdk` writes the files; a test compares them.
"""
