"""Alembic migrations, forward only. Imported only when migrating."""
