"""Conflict-free schedules of collective communications on interconnection networks.

    >>> import ccsched
    >>> schedule = ccsched.solve("kautz:3,2", "all-to-all")
    >>> len(schedule), schedule.is_optimal
    (7, True)

Networks are named as on the command line (``"torus:4x4"``, or a file), or are graphs of networkx,
adjacency matrices of numpy or scipy, or a :class:`Network`. Options have the names of the command
line's with ``_`` for ``-``: ``solve(.., time_limit=10, fail_link="0-1")``.
"""

from ._native import VERSION as __version__
from ._native import Error
from .calls import bound, solve, topology, verify
from .networks import Network
from .schedule import Bound, Schedule, Transfer

__all__ = [
    "Bound", "Error", "Network", "Schedule", "Transfer", "__version__", "bound", "solve",
    "topology", "verify",
]
