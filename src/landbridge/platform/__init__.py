"""Everything below the trade: database, HTTP, tenants, encryption, files, mail, formats."""
