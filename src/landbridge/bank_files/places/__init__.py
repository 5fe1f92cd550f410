"""Where files are exchanged with a bank: a folder, or a server of the bank's."""
