"""Dashboard: server-rendered pages for members, which call the API as customers do."""
