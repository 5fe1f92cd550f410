"""The dashboard: server-rendered pages for members, which ask the interface as customers do."""
