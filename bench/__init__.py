"""How fast rota is, beside the database's own floor and beside other schedulers: `python -m bench`."""
