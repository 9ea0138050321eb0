"""The HTTP API, `/api/v1`: JSON over the handles of `rota.app`. Needs the extra `server`."""
