"""The commands, each in the room of its kind; a room is read when one of its commands is called."""
