"""Notes of the day."""


def todays_notes(notes):
    return [note.strip() for note in notes]
