"""Networks: by name, from files, graphs and matrices."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Tuple, Union

from . import _native
from .options import words

if TYPE_CHECKING:
    import networkx
    import numpy
    from numpy.typing import NDArray

# What stands for a network: a name, a file, a Network, a graph of networkx, an adjacency matrix of
# numpy or scipy, or one of lists. Graphs and matrices of these libraries are known by what they do.
NetworkLike = Union[str, "os.PathLike[str]", "Network", Any]
# Two vertices, and messages a step.
_Link = Tuple[Hashable, Hashable, int]


class Network:
    """A network of vertices and one-way channels.

    Attributes:
        name: its name.
        vertices: names of the vertices, in their order.
        terminals: names of those that send and receive; the others are switches.
        channels: tuples ``(from, to, capacity)`` of names, and messages a step.
        warnings: what the reader of the file did not use or had to guess.
    """

    def __init__(
        self,
        parts: tuple[
            str, list[tuple[str, bool]], list[tuple[int, int, int, int | None]], str, str, list[str]
        ],
    ) -> None:
        name, vertices, channels, self._picture, self._toml, self.warnings = parts
        self.name: str = name
        self.vertices = [vertex for vertex, _ in vertices]
        self.terminals = [vertex for vertex, terminal in vertices if terminal]
        self._ends = [(a, b, capacity) for a, b, capacity, _ in channels]
        named = self.vertices
        self.channels = [(named[a], named[b], capacity) for a, b, capacity in self._ends]

    def __repr__(self) -> str:
        return (f"<Network {self.name}: {len(self.terminals)} terminals, "
                f"{len(self.vertices) - len(self.terminals)} switches, "
                f"{len(self.channels)} channels>")

    def __len__(self) -> int:
        return len(self.vertices)

    def _repr_svg_(self) -> str:
        return self._picture

    def to_toml(self) -> str:
        """The text of the network's file."""
        return self._toml

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the network's file (TOML)."""
        Path(path).write_text(self._toml, encoding="utf-8")

    def to_networkx(self) -> networkx.MultiDiGraph[str]:
        """A ``networkx.MultiDiGraph``: vertices have ``terminal``, edges ``capacity``."""
        import networkx

        graph = networkx.MultiDiGraph(name=self.name)
        terminals = set(self.terminals)
        graph.add_nodes_from((v, {"terminal": v in terminals}) for v in self.vertices)
        graph.add_edges_from((a, b, {"capacity": c}) for a, b, c in self.channels)
        return graph

    def adjacency(self) -> NDArray[numpy.int_]:
        """A numpy array, shape (vertices, vertices): messages a step from row to column."""
        import numpy

        matrix = numpy.zeros((len(self), len(self)), dtype=int)
        for a, b, capacity in self._ends:
            matrix[a, b] += capacity
        return matrix


@contextmanager
def spec(network: NetworkLike) -> Iterator[str]:
    """The name that the program knows a network by; graphs are files as long as it is used."""
    if isinstance(network, (str, os.PathLike)):
        yield os.fspath(network)
        return
    name, text = _document(network)
    with tempfile.TemporaryDirectory(prefix="ccsched") as folder:
        path = Path(folder) / f"{name}.toml"
        path.write_text(text, encoding="utf-8")
        yield str(path)


def _document(network: NetworkLike) -> tuple[str, str]:
    """The name of a file, and its text, of a network, graph or matrix."""
    if isinstance(network, Network):
        return "network", network.to_toml()
    if hasattr(network, "is_directed") and hasattr(network, "edges"):
        return "graph", _of_graph(network)
    if hasattr(network, "tocoo") or hasattr(network, "shape") or isinstance(network, list):
        return "matrix", _of_matrix(network)
    raise TypeError(
        f"a network is a name, a file, a networkx graph, an adjacency matrix or a Network, not "
        f"{type(network).__name__}")


def _toml(
    name: str, vertices: Sequence[Hashable], switches: set[Any], links: Iterable[_Link],
    one_way: bool,
) -> str:
    """The text of a network's file."""
    ends: dict[Hashable, list[str]] = {v: [] for v in vertices}
    widths: dict[Hashable, list[str]] = {v: [] for v in vertices}
    for a, b, capacity in links:
        ends[a].append(_quoted(b))
        # A link is named from one end, and numbered among those that are parallel to it.
        number = ends[a].count(_quoted(b))
        known = b if number == 1 else f"{b}#{number}"
        if capacity != 1:
            widths[a].append(f"{_quoted(known)} = {capacity}")
        if not one_way:
            ends[b].append(_quoted(a))
    lines = [f"name = {_quoted(name)}", f'links = "{"one-way" if one_way else "full-duplex"}"']
    if switches:
        lines.append(f"switches = [{', '.join(_quoted(v) for v in vertices if v in switches)}]")
    lines.append("[neighbours]")
    lines += [f"{_quoted(v)} = [{', '.join(ends[v])}]" for v in vertices]
    lines.append("[width]")
    lines += [f"{_quoted(v)} = {{ {', '.join(of)} }}" for v, of in widths.items() if of]
    return "\n".join(lines) + "\n"


def _quoted(name: object) -> str:
    return json.dumps(str(name), ensure_ascii=False)


def _of_graph(graph: Any) -> str:
    """A graph of networkx: edges have ``capacity`` or 1; vertices with ``terminal=False`` are
    switches. An undirected edge is a link both ways."""
    vertices = list(graph.nodes)
    if len({str(v) for v in vertices}) < len(vertices):
        raise _native.Error("two vertices of the graph have the same name as text")
    switches = {v for v, about in graph.nodes(data=True) if not about.get("terminal", True)}
    links = [(a, b, _whole(about.get("capacity", 1), (a, b)))
             for a, b, about in graph.edges(data=True)]
    name = graph.graph.get("name") or f"graph of {len(vertices)}"
    return _toml(name, vertices, switches, links, graph.is_directed())


def _of_matrix(matrix: Any) -> str:
    """An adjacency matrix: messages a step from row to column."""
    import numpy

    if hasattr(matrix, "tocoo"):
        shape, coo = matrix.shape, matrix.tocoo()
        entries = sorted(zip(coo.row.tolist(), coo.col.tolist(), coo.data.tolist()))
    else:
        dense = numpy.asarray(matrix)
        shape = dense.shape
        entries = [(*at.tolist(), dense[tuple(at)].item()) for at in numpy.argwhere(dense)]
    if len(shape) != 2 or shape[0] != shape[1]:
        raise _native.Error(f"an adjacency matrix is square; this one has the shape {shape}")
    links = {(a, b): _whole(value, (a, b)) for a, b, value in entries if value}
    # Equal channels in both directions are a link.
    one_way = any(links.get((b, a)) != capacity for (a, b), capacity in links.items())
    rows = [(a, b, capacity) for (a, b), capacity in links.items() if one_way or a < b]
    return _toml(f"matrix of {shape[0]}", list(range(shape[0])), set(), rows, one_way)


def _whole(value: Any, edge: tuple[Hashable, Hashable]) -> int:
    """A capacity as an integer."""
    number = int(value)
    if number != value or number < 1:
        raise _native.Error(f"the capacity of the edge {edge} is {value}: it is a whole number from 1")
    return number


def load(network: NetworkLike, **reading: Any) -> Network:
    """The :class:`Network` of a name, file, graph or matrix."""
    if isinstance(network, Network) and not reading:
        return network
    with spec(network) as name:
        return Network(_native.network([f"--topology={name}", *words(reading)]))
