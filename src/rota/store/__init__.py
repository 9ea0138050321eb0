"""The only room that speaks SQL. Plain functions of a Connection that neither open nor commit."""
