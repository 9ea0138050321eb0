"""Pages and API as one application, and the server that carries them. Needs the extra `server`."""
