"""Whole numbers, and what is refused."""

FAR = float("inf")  # only compared, never counted with


class Refused(Exception):
    """What is wrong with a file."""


def need(condition, why):
    if not condition:
        raise Refused(why)


def natural(value, what):
    # A JSON true is an int to Python, and 1.0 equals 1.
    need(type(value) is int and value >= 0, f"{what} is {value!r}, not a whole number from 0")
    return value


def ceil(work, rate, where="in the network"):
    need(work == 0 or rate > 0, f"{work} messages, but no channel {where}")
    return -(-work // rate) if work else 0
