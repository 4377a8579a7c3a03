# The common jobs; 'make help' lists them. Cargo does the work, in parallel by itself.
.DEFAULT_GOAL := build
.NOTPARALLEL:
.PHONY: build run test test-long fuzz test-cluster test-mpich test-programs test-page check bench compare doc install topologies deps ready clean help test-emulation test-simgrid test-fabric test-python wheel deb dist site test-bounds test-truth soak chaos emulate compare-graphs

RANKS ?= 4
ARGS ?=
# For 'make bench': options of its table of steps, such as --section scatter.
BENCH_ARGS ?=
# For 'make compare': runs of each configuration, and the CPU seconds of each run.
RUNS ?= 30
CPU_LIMIT ?= 10
# For 'make fuzz': the time of each target.
SECONDS ?= 30
# For 'make soak', 'make chaos' and 'make test-truth'.
HOURS ?= 1
SEED ?= 1
# For 'make test-truth': the number of the first problem.
FIRST ?= 0
PREFIX ?= $(or $(CARGO_INSTALL_ROOT),$(CARGO_HOME),$(HOME)/.cargo)
TARGET := $(or $(CARGO_TARGET_DIR),target)
CARGO ?= cargo
NO_MPI := --no-default-features --features cli
# Compiles this package without optimisation; dependencies keep theirs.
PLAIN := CARGO_PROFILE_DEV_OPT_LEVEL=0
# Limit of crates of the library without its programs.
MOST_CRATES := 46

# What `--version` says the programs are built of.
export CCSCHED_COMMIT := $(shell git rev-parse --short HEAD 2>/dev/null)

# Open MPI: let root run (containers), and allow more ranks than cores. The last one is for Open MPI 5.
export OMPI_ALLOW_RUN_AS_ROOT := 1
export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM := 1
export OMPI_MCA_rmaps_base_oversubscribe := 1
export PRTE_MCA_rmaps_default_mapping_policy := :oversubscribe

build: ready ## Build both programs, optimised, their man pages and shell completions (the default)
	$(CARGO) build --release --locked
	$(TARGET)/release/ccsched generate $(TARGET)/release/share

# Builds what the search needs and nothing else: comparisons, studies, pages of help come with 'make', whose
# program has all subcommands and serves here as well.
run: deps ## Run the default job with mpirun (RANKS=4 ARGS='-t hypercube:4 -c aab')
	if [ -x $(TARGET)/release/ccsched ]; then $(CARGO) build --release --locked; \
		else $(CARGO) build --release --locked --no-default-features --features mpi --bin ccsched-mpi; fi
	mpirun -n $(RANKS) $(TARGET)/release/ccsched-mpi $(ARGS)

# Every test runs at least once; dependencies are compiled once. With MPI: the tests across modules, the
# programs, mpirun, the examples in the documentation. MPI is one file (src/run/comm/mpi.rs) and one program,
# which have no unit tests; so the unit tests run in the build without MPI. That build is not optimised,
# because its tests search little.
test: deps check ## Run everything that must pass: check and all tests, with MPI and without
	$(CARGO) test --locked --test it --test mpi --examples
	$(CARGO) test --locked --doc
	$(PLAIN) $(CARGO) test --locked $(NO_MPI) --workspace --lib
	scripts/test-python.sh || [ $$? -eq 77 ]

# What 'make test' tries a part of: all cases of long tests, all tests of mpirun.
test-long: ready ## Run long tests, of which 'make test' runs a part
	CCSCHED_LONG=1 $(CARGO) test --locked --test it
	$(CARGO) test --locked --test mpi -- --include-ignored --skip child_ --skip an_emulated_network

test-python: ready ## Build the Python package and run its tests (needs python3; pip installs what is missing)
	scripts/test-python.sh

wheel: ready ## Build the Python package (needs python3 and maturin)
	@command -v maturin >/dev/null || { echo "make wheel needs maturin: pip install maturin" >&2; exit 1; }
	maturin build --release --manifest-path python/Cargo.toml --out $(TARGET)/wheels

test-bounds: ready ## Check and forge schedules of all kinds with two independent checkers (needs python3)
	$(CARGO) build --release --locked $(NO_MPI) --bin ccsched
	scripts/test-bounds.py --program $(TARGET)/release/ccsched

test-truth: ready ## Random small problems against an exact solver, failures reduced (HOURS=1 SEED=1 FIRST=0)
	HOURS=$(HOURS) SEED=$(SEED) FIRST=$(FIRST) RUST_BACKTRACE=0 $(CARGO) test --locked $(NO_MPI) --test it -- \
		--ignored --exact oracle::truth::for_hours --nocapture

soak: ready ## Random problems, options and interrupts for hours, everything checked twice (HOURS=1 SEED=1)
	$(CARGO) build --release --locked $(NO_MPI) --bin ccsched
	scripts/soak.py --program $(TARGET)/release/ccsched --hours $(HOURS) --seed $(SEED)

chaos: RUNS := 50
chaos: build ## Stop, terminate and kill ranks of mpirun at random; files must be whole (RUNS=50 SEED=1)
	scripts/chaos.py --program $(TARGET)/release/ccsched-mpi --runs $(RUNS) --seed $(SEED)

fuzz: ready ## Fuzz every reader, each for SECONDS, one target a core (SECONDS=30; needs a C++ compiler, python3)
	scripts/fuzz.py --seconds $(SECONDS)
	$(CARGO) clippy --locked --manifest-path fuzz/Cargo.toml --target-dir $(TARGET) -- -D warnings

test-cluster: build ## Test the batch script under a private Slurm, installed if missing (root only)
	scripts/test-cluster.sh

test-mpich: ## Build with MPICH, installed if missing, and run the MPI tests with its launcher
	scripts/test-mpich.sh

test-programs: ready ## Run known programs with the preloaded library and without, installed if missing (Open MPI)
	$(PLAIN) $(CARGO) build --locked $(NO_MPI) --bin ccsched
	PROGRAMS=$(TARGET)/debug scripts/test-programs.sh

test-page: ready ## Test the pages of 'show --html' in Chromium without a window (needs chromium, python3)
	$(PLAIN) $(CARGO) build --locked $(NO_MPI) --bin ccsched
	scripts/test-page.py --program $(TARGET)/debug/ccsched

test-emulation: ready ## Replay schedules on a small emulated network, namespaces of this machine (root only)
	$(CARGO) test --locked --test mpi an_emulated_network -- --ignored --nocapture

test-simgrid: ready ## Run exported schedules in SimGrid, installed if missing
	$(PLAIN) scripts/test-simgrid.sh

test-fabric: ready ## Compare routes and deadlocks with OpenSM, ibtracert and ibdmchk on simulated InfiniBand fabrics, installed if missing
	$(PLAIN) scripts/test-fabric.sh

check: ready ## Formatting, lints, documentation, shell syntax
	for script in scripts/*.sh scripts/*.sbatch scripts/*.pbs .ci/run; do bash -n $$script || exit 1; done
	if command -v shellcheck >/dev/null; then shellcheck scripts/*.sh scripts/*.sbatch scripts/*.pbs .ci/run; fi
	! grep -rl 'allow(unsafe_code)' src tests examples benches | grep -v '^src/run/comm/mpi/sending.rs$$'
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	$(CARGO) clippy --locked --lib --bins $(NO_MPI) -- -D warnings
	$(CARGO) clippy --locked --lib --no-default-features -- -D warnings
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --locked --no-deps --workspace --lib
	crates=$$($(CARGO) tree --locked -e normal --no-default-features --prefix none | grep -v '^ccsched' | cut -d' ' -f1,2 | sort -u | wc -l); \
		if [ $$crates -gt $(MOST_CRATES) ]; then echo "the library needs $$crates crates" >&2; exit 1; fi
	if command -v python3 >/dev/null; then scripts/check-dependencies.py; else echo "without python3: dependencies are not checked"; fi

bench: ready ## Run the benchmarks and write docs/benchmarks.md (BENCH_ARGS='--seeds 2 --time-limit 5')
	$(CARGO) bench --locked $(NO_MPI) --bench hgsa
	$(CARGO) bench --locked $(NO_MPI) --bench steps -- $(BENCH_ARGS) >$(TARGET)/benchmarks.md
	$(CARGO) build --release --locked $(NO_MPI) --bin ccsched
	scripts/random-fabrics.py --program $(TARGET)/release/ccsched >>$(TARGET)/benchmarks.md
	mv $(TARGET)/benchmarks.md docs/benchmarks.md

compare: ready ## Make docs/compare.*: islands against UMDA (RUNS=30 CPU_LIMIT=10)
	$(CARGO) build --release --locked $(NO_MPI) --bin ccsched
	$(TARGET)/release/ccsched compare --instance heawood/aas/10 --instance kautz:3,2/aas/7 \
		--instance omega:8/aab/7 --run hgsa:islands=8,neighbourhood=paper \
		--run hgsa:islands=1,neighbourhood=paper --run umda \
		--runs $(RUNS) --cpu-limit $(CPU_LIMIT) \
		--csv docs/compare.csv --svg docs/compare >$(TARGET)/compare.md
	mv $(TARGET)/compare.md docs/compare.md
	cat docs/compare.md

compare-graphs: ready ## Print tables of 1 to 32 islands of each graph against UMDA (RUNS=30 CPU_LIMIT=10)
	$(CARGO) build --release --locked $(NO_MPI) --bin ccsched
	$(TARGET)/release/ccsched compare --instance heawood/aas/10 --instance kautz:3,2/aas/7 \
		--instance omega:8/aab/7 --run umda \
		--run 'hgsa:neighbourhood=paper,islands-graph=star|ring|torus|full,islands=1|2|4|8|16|32' \
		--runs $(RUNS) --cpu-limit $(CPU_LIMIT) --csv $(TARGET)/compare-graphs.csv >$(TARGET)/compare-graphs.md
	cat $(TARGET)/compare-graphs.md

emulate: build ## Measure schedules on emulated networks: the figures of docs/replay.md (root only)
	scripts/emulate-figures.sh --rate 20 --bytes 1M --order links

doc: ready ## Build the documentation of the library
	$(CARGO) doc --locked --no-deps --workspace --lib

install: deps ## Install both programs, man pages and completions into PREFIX (default: Cargo's own)
	$(CARGO) install --path . --locked --root $(PREFIX)
	$(PREFIX)/bin/ccsched generate $(PREFIX)/share

deb: build ## Build a Debian package, target/debian/ccsched_*.deb (needs cargo-deb)
	$(CARGO) deb --no-build

dist: ## Write the sources with all crates, which build offline: target/dist/
	scripts/dist.sh

site: build ## Build the site of README and docs/, with players (needs mdbook and python3)
	scripts/site.sh --program $(TARGET)/release/ccsched --out $(TARGET)/site

topologies: ## Rewrite the topology files
	scripts/write-topologies.sh

deps: ## Install missing system packages
	@scripts/install-deps.sh

clean: ## Remove build outputs
	$(CARGO) clean

# Reports missing packages before a compiler error does.
ready:
	@scripts/install-deps.sh --check >/dev/null

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' Makefile
