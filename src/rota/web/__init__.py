"""The pages: templates, style and script of our own, drawn on the server. Needs the extra `server`."""
