"""The package as its users see it; what the program itself does is tested with the program."""

import _thread
import json
import signal
import subprocess
import sys
import threading
from pathlib import Path

import ccsched
import pytest


def test_a_schedule_has_steps_bounds_and_a_file(tmp_path):
    schedule = ccsched.solve("kautz:3,2", "all-to-all", seed=3)
    assert (len(schedule), schedule.is_optimal, schedule.lower_bound) == (7, True, 7)
    assert ccsched.verify(schedule) == []
    path = tmp_path / "kautz.json"
    schedule.save(path)
    again = ccsched.Schedule.load(path)
    assert again.steps == schedule.steps and ccsched.verify(path) == []
    first = schedule[0][0]
    assert first.path[0] == first.message["source"]
    assert len(first.path) == len(first.channels) + 1


def test_the_version_is_that_of_the_program():
    manifest = Path(__file__).parents[2] / "Cargo.toml"
    assert f'\nversion = "{ccsched.__version__}"\n' in manifest.read_text()


def test_a_changed_schedule_is_not_valid():
    data = ccsched.solve("ring:4", "broadcast", switching="sf").data
    data["steps"].pop()
    broken = ccsched.Schedule(json.dumps(data))
    assert len(ccsched.verify(broken)) > 0


def test_the_same_seed_gives_the_same_schedule():
    runs = [ccsched.solve("mesh:3x3", "scatter", seed=7, engine="hgsa", iterations=200,
                          set={"hgsa": {"hot": 0.4}}) for _ in range(2)]
    assert runs[0].to_json() == runs[1].to_json()
    assert runs[0].data["provenance"]["engine"] == "hgsa"


def test_bounds_are_those_of_the_schedule():
    bounds = ccsched.bound("hypercube:3", "all-gather", switching="sf")
    assert bounds[0].steps == 3 and bounds[0].about
    assert bounds == sorted(bounds, key=lambda bound: -bound.steps)


@pytest.mark.parametrize("call, word", [
    (lambda: ccsched.solve("ring"), "ring"),
    (lambda: ccsched.solve("ring:8", "all-to-most"), "all-to-most"),
    (lambda: ccsched.solve("ring:8", iteration=3), "--iteration"),
    (lambda: ccsched.solve("ring:8", "all"), "--collective"),
    (lambda: ccsched.solve("ring:8", fail_link="0-5"), "--fail 0-5"),
    (lambda: ccsched.solve("ring:8", output="x.json"), "Schedule.save"),
    (lambda: ccsched.solve("ring:8", start_from=ccsched.solve("ring:6")), "start_from"),
    (lambda: ccsched.Schedule.load("missing.json"), "missing.json"),
    (lambda: ccsched.topology([[0, 1, 0], [0, 0, 1]]), "square"),
    (lambda: ccsched.topology([[0, 0.5], [0.5, 0]]), "0.5"),
])
def test_errors_say_what_is_wrong(call, word):
    with pytest.raises(ccsched.Error) as caught:
        call()
    assert word in str(caught.value)
    assert issubclass(ccsched.Error, ValueError)


def test_what_is_no_network_is_a_type_error():
    with pytest.raises(TypeError, match="networkx"):
        ccsched.solve(42)


def test_lists_of_names_and_faults_are_options():
    schedule = ccsched.solve("mesh:2x3", senders=["00", "12"], receivers=["01", "10"],
                             fail_node=["11"])
    sources = {transfer.message["source"] for step in schedule for transfer in step}
    assert sources == {"00", "12"}
    names = [vertex["name"] for vertex in schedule.data["network"]["vertices"]]
    assert "11" not in names


def test_pairs_are_tuples_or_a_file(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("source,destination\n0,2\n1,3\n")
    one, other = (ccsched.solve("ring:5", pairs=pairs) for pairs in [[(0, 2), (1, 3)], path])
    assert one.steps == other.steps
    assert sum(map(len, one)) == 2


def test_messages_of_different_lengths_take_the_least_time():
    lengths = [("0", "1", 9), ("0", "2", 1), ("1", "2", 30), ("1", "0", 2), ("2", "1", 4),
               ("3", "0", 50), ("3", "1", 6), ("3", "2", 7)]
    heard = []
    timed = ccsched.solve("fat-tree:4", pairs=lengths, timed=True, progress=heard.append)
    # What terminal 3 sends.
    assert (timed.bytes, timed.lower_bound_bytes, timed.is_timed) == (63, 63, True)
    assert timed.is_optimal and "63 bytes, optimal" in repr(timed)
    assert ccsched.verify(timed) == [] and heard[-1].steps == timed.steps
    ends = [transfer.start + transfer.message["bytes"] for transfer in timed[0]]
    assert max(ends) == 63 and len(timed.table()["start"]) == len(lengths)
    steps = ccsched.solve("fat-tree:4", pairs=lengths, iterations=40)
    assert (len(steps), steps.is_timed) == (3, False) and steps.bytes >= 63
    fewest = ccsched.solve("fat-tree:4", pairs=lengths, minimize="steps")
    assert fewest.bytes >= steps.bytes
    new = [(a, b, 40 if bytes == 50 else bytes) for a, b, bytes in lengths[1:]]
    again = ccsched.solve("fat-tree:4", pairs=new, timed=True, start_from=timed)
    assert again.is_optimal and again.bytes == 53
    bounds = ccsched.bound("fat-tree:4", pairs=lengths)
    assert max(bound.bytes for bound in bounds if bound.bytes) == 63
    assert bounds[0].steps == 3
    with pytest.raises(ccsched.Error, match="--minimize"):
        ccsched.solve("fat-tree:4", timed=True)


def test_a_search_goes_on_from_a_schedule():
    first = ccsched.solve("mesh:3x3x3", iterations=20)
    again = ccsched.solve("mesh:3x3x3", start_from=first, iterations=20, seed=2)
    assert len(again) <= len(first)


def test_progress_hears_better_schedules_and_ends_the_search():
    heard = []

    def enough(schedule):
        heard.append(len(schedule))
        raise StopIteration

    schedule = ccsched.solve("mesh:3x3x3", progress=enough)
    assert len(heard) == 1 and len(schedule) <= heard[0]
    assert "interrupt" in schedule.reason


def test_an_exception_of_progress_reaches_the_caller():
    def fail(_):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        ccsched.solve("mesh:3x3x3", progress=fail)


def test_an_interrupt_returns_the_best_so_far():
    def interrupt(_):
        # As Ctrl-C does.
        _thread.interrupt_main()

    # Annealing alone does not reach the bound before the interrupt is noticed.
    # Jobs in the background begin without a handler.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        schedule = ccsched.solve("levi", engine="hgsa", set={"hgsa": {"eject": False}},
                                 progress=interrupt)
    finally:
        signal.signal(signal.SIGINT, before)
    assert ccsched.verify(schedule) == [] and "interrupt" in schedule.reason


def test_other_threads_run_during_a_search():
    count = 0
    over = threading.Event()

    def work():
        nonlocal count
        while not over.is_set():
            count += 1

    worker = threading.Thread(target=work)

    def begin(_):
        if not worker.ident:
            worker.start()

    ccsched.solve("mesh:3x3x3", progress=begin, iterations=50)
    over.set()
    worker.join()
    assert count > 1000


def test_networks_have_vertices_channels_and_a_file(tmp_path):
    network = ccsched.topology("fat-tree:4")
    assert len(network.terminals) == 4 and len(network.vertices) > 4
    assert all(a in network.vertices and b in network.vertices for a, b, _ in network.channels)
    network.save(tmp_path / "tree.toml")
    again = ccsched.topology(tmp_path / "tree.toml")
    assert again.channels == network.channels
    assert len(ccsched.solve(network)) == len(ccsched.solve("fat-tree:4"))


def test_graphs_of_networkx_are_networks():
    networkx = pytest.importorskip("networkx")
    assert len(ccsched.solve(networkx.petersen_graph(), "all-gather", switching="sf")) == 3
    star = networkx.star_graph(4)
    star.nodes[0]["terminal"] = False
    star.edges[0, 1]["capacity"] = 3
    network = ccsched.topology(star)
    assert network.terminals == ["1", "2", "3", "4"]
    assert ("0", "1", 3) in network.channels and ("1", "0", 3) in network.channels
    # Parallel edges keep their capacities.
    parallel = networkx.MultiDiGraph([("a", "b", {"capacity": 2}), ("a", "b"), ("b", "a")])
    again = ccsched.topology(parallel).to_networkx()
    capacities = sorted(c for a, b, c in again.edges.data("capacity") if (a, b) == ("a", "b"))
    assert capacities == [1, 2]


def test_matrices_are_networks():
    numpy = pytest.importorskip("numpy")
    ring = numpy.roll(numpy.eye(5, dtype=int), 1, axis=1)
    assert (ccsched.topology(ring).adjacency() == ring).all()
    both = ring + 2 * ring.T
    assert (ccsched.topology(both).adjacency() == both).all()
    sparse = pytest.importorskip("scipy.sparse")
    assert (ccsched.topology(sparse.csr_matrix(both)).adjacency() == both).all()


def test_tables_and_arrays_agree():
    numpy = pytest.importorskip("numpy")
    schedule = ccsched.solve("mesh:3x3")
    transfers = schedule.transfers()
    table = schedule.table()
    assert transfers.shape == (72, 4)
    assert list(transfers[:, 3]) == table["hops"]
    use = schedule.use()
    assert use.shape == (len(schedule), len(schedule.data["network"]["channels"]))
    assert use.max() == 1 and use.sum() == transfers[:, 3].sum()
    assert (numpy.diff(transfers[:, 0]) >= 0).all()
    pandas = pytest.importorskip("pandas")
    assert pandas.DataFrame(table).groupby("step").size().sum() == 72


def test_pictures_show_the_steps(tmp_path):
    schedule = ccsched.solve("petersen", "broadcast", switching="sf")
    assert schedule._repr_svg_().startswith("<svg")
    assert schedule.picture(0) != schedule.picture(1)
    assert "iframe" in schedule._repr_html_() and "<html" in schedule.page()
    assert "OAB" in str(schedule) and "2 steps" in repr(schedule)
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = schedule.plot(1)
    assert len(axes.patches) == len(schedule[1])
    axes.figure.savefig(tmp_path / "step.png")


def test_the_example_notebook_runs(tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    pytest.importorskip("pandas")
    path = Path(__file__).parent.parent / "examples" / "design.ipynb"
    cells = json.loads(path.read_text())["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, text=True,
                          capture_output=True, env={"MPLBACKEND": "Agg", "PATH": ""})
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "torus.json").exists()
