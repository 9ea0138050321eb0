"""The command line. `rota.cli.main:main` is the entry point; each command is a module that is loaded when it is used."""
