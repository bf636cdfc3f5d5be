"""Guests that nothing else imports: the sheet reader, the measuring kit, benchmarks, set-up."""
