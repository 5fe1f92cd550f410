"""Write the generated files of all client libraries."""

from sdk.emitter.files import write

write()
