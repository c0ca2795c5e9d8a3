"""What comes out of a campaign: decisions, markables, figures, files."""
