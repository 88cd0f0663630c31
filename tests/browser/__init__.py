"""The pages in a real browser: the system's Chromium, the real server, bots that answer."""
