"""Services that know nothing of payments: database, HTTP, tenants, encryption, files, mail."""
