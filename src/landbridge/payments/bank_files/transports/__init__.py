"""File transports to a bank: a local folder, or an SFTP server of the bank."""
