# A Spack recipe. `make dist` writes the archive that it builds from; put it into the folder in
# which `spack install ccsched` is called.

import os

from spack.package import *


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

    @property
    def build_args(self):
        return [] if self.spec.satisfies("+mpi") else ["--no-default-features", "--features", "cli"]

    @run_after("install")
    def pages(self):
        Executable(self.prefix.bin.ccsched)("generate", self.prefix.share)
