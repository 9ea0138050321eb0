"""The zone in force: the schedule's own, else its owner's, else its tenant's, else UTC (document 2)."""

from __future__ import annotations

from sqlalchemy import Connection, select

from rota.store.tables import of


def in_force(conn: Connection, tenant: str, owner: str | None, timezone: str | None) -> str:
    """The IANA name of the zone that a schedule of this tenant and owner runs in."""
    if timezone is not None:
        return timezone
    tables = of(conn)
    if owner is not None:
        owners = tables.owners
        own = select(owners.c.timezone).where(owners.c.tenant == tenant, owners.c.name == owner)
        zone: str | None = conn.execute(own).scalar()
        if zone is not None:
            return zone
    tenants = tables.tenants
    zone = conn.execute(select(tenants.c.timezone).where(tenants.c.name == tenant)).scalar()
    return zone or "UTC"
