"""What `tirb import` says instead of a text."""


class Refused(Exception):
    """What is said instead of a text, and the exit status."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status
