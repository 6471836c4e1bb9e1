"""What a series is: its form, its calendar, what is missing, its scale and range."""
