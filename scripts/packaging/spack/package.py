# A Spack recipe. `make dist` writes the archive that it builds from; put it into the folder in
# which `spack install --no-checksum ccsched` is called.

import os

from spack.package import *

try:
    # Spack 1.0 and later; before, the line above has it.
    from spack_repo.builtin.build_systems.cargo import CargoPackage
except ImportError:
    pass


class Ccsched(CargoPackage):
    """Conflict-free schedules of collective communications on interconnection networks."""

    manual_download = True
    url = "file://{0}/ccsched-0.3.0.tar.gz".format(os.getcwd())

    license("MIT OR Apache-2.0")

    version("0.3.0")

    variant("mpi", default=True, description="Build the distributed optimizer ccsched-mpi")

    depends_on("c", type="build")
    depends_on("rust@1.88:", type="build")
    depends_on("mpi", when="+mpi")
    depends_on("llvm+clang", type="build", when="+mpi")

    def setup_build_environment(self, env):
        if self.spec.satisfies("+mpi"):
            env.set("LIBCLANG_PATH", self.spec["llvm"].prefix.lib)

    @property
    def build_args(self):
        # Without --locked Cargo looks for newer crates than those of the archive.
        features = [] if self.spec.satisfies("+mpi") else ["--no-default-features", "--features", "cli"]
        return ["--locked", *features]

    @run_after("install")
    def pages(self):
        Executable(self.prefix.bin.ccsched)("generate", self.prefix.share)
