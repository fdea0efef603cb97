"""Notes of the day."""


def todays_notes(notes):
    result = []
    for note in notes:
        result.append(note.strip())
    return result
