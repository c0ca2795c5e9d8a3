"""What a campaign remembers: its database, sealed and chained."""
