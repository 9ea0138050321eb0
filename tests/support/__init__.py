"""What several test folders share; nothing here is collected."""
