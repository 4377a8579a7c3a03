//! The table of network families. A family's name with parameters, `torus:8x8`, is a spec; the
//! family makes a [`Plan`] from it, and `spec` builds the network.

mod amp;
mod cages;
mod complete;
mod dragonfly;
mod grids;
mod liquid;
mod machines;
mod multistage;
mod params;
mod plan;
mod random_regular;
mod rings;
mod slim_fly;
mod trees;
mod words;

pub use liquid::{SWISS_NODES, SWISS_SWITCHES, swiss_way};
pub use params::MAX_CHANNELS;
pub use plan::{Plan, WIDTHS, Widths};

/// A family of networks.
pub struct Family {
    /// The name with which a spec starts.
    pub name: &'static str,
    /// The parameters after the colon; empty if the family is a single network.
    pub shape: &'static str,
    /// A valid spec.
    pub example: &'static str,
    /// One line of description.
    pub about: &'static str,
    /// Makes a plan from the text after the colon, or says what is wrong with that text.
    pub plan: fn(&str) -> Result<Plan, String>,
}

impl Family {
    /// Name and parameters, as in `mesh:AxBx..`.
    pub fn usage(&self) -> String {
        match self.shape {
            "" => self.name.to_string(),
            shape => format!("{}:{shape}", self.name),
        }
    }
}

macro_rules! families {
    ($($name:literal $shape:literal $example:literal $plan:path => $about:literal;)*) => {
        &[$(Family { name: $name, shape: $shape, example: $example, about: $about, plan: $plan }),*]
    };
}

/// All families.
#[rustfmt::skip]
pub const FAMILIES: &[Family] = families! {
    "ring" "N" "ring:8" rings::ring => "ring of N";
    "chordal-ring" "N,W" "chordal-ring:16,4" rings::chordal => "ring of N with chords from i to i+W";
    "octagon" "" "octagon" rings::octagon => "chordal-ring:8,4";
    "moebius-ladder" "N" "moebius-ladder:16" rings::moebius => "ring of N (even) with its diameters as chords";
    "mesh" "AxBx.." "mesh:4x4" grids::mesh => "mesh of any dimension";
    "torus" "AxBx.." "torus:8x8x4" grids::torus => "torus of any dimension";
    "hypercube" "D" "hypercube:5" grids::hypercube => "2^D vertices, joined where one bit differs";
    "kautz" "D,K" "kautz:3,2" words::kautz => "Kautz digraph of degree D and diameter K; one-way channels";
    "debruijn" "D,K" "debruijn:2,4" words::de_bruijn => "de Bruijn digraph of degree D and diameter K; one-way channels";
    "petersen" "" "petersen" cages::petersen => "Petersen graph: 10 vertices, degree 3, diameter 2";
    "heawood" "" "heawood" cages::heawood => "Heawood graph: 14 vertices, degree 3, diameter 3";
    "levi" "" "levi" cages::levi => "Levi (Tutte-Coxeter) graph: 30 vertices, degree 3, diameter 4";
    "hoffman-singleton" "" "hoffman-singleton" cages::hoffman_singleton => "Hoffman-Singleton: 50 vertices, degree 7, diameter 2";
    "amp" "N" "amp:32" amp::amp => "A-Minimum-Path: degree 4, least mean distance; 15 sizes from 5 to 256";
    "complete" "N" "complete:8" complete::complete => "complete graph: every two of N vertices are joined";
    "complete-bipartite" "A,B" "complete-bipartite:3,3" complete::bipartite => "A vertices, each joined to each of B others";
    "omega" "N" "omega:16" multistage::omega => "N terminals (a power of 2), stages of 2x2 switches, perfect shuffles";
    "butterfly" "N" "butterfly:16" multistage::butterfly => "N terminals (a power of 2), stages of 2x2 switches, FFT exchanges";
    "clos" "N,M,R" "clos:3,3,4" multistage::clos => "N*R terminals; R switches NxM, M switches RxR, R switches MxN";
    "binary-tree" "N" "binary-tree:16" trees::binary => "N leaves (a power of 2) are terminals, inner vertices are switches; ,up=U: links above those of the leaves U times as wide; ,grow=G: each level G times as wide as the one below";
    "fat-tree" "N" "fat-tree:16" trees::fat => "folded butterfly: N leaves (a power of 2), full bisection; ,up=U and ,grow=G as for binary-tree";
    "full-binary-tree" "N" "full-binary-tree:31" trees::full => "binary tree of N = 2^k - 1 vertices, all of them terminals; ,up=U and ,grow=G as for binary-tree";
    "dragonfly" "A,P,H" "dragonfly:4,2,2" dragonfly::dragonfly => "A*H+1 groups of A routers, each with P terminals and H links to other groups";
    "slim-fly" "Q[,P]" "slim-fly:5" slim_fly::slim_fly => "2Q^2 routers (Q a prime power), diameter 2; terminals, or switches with P terminals each";
    "random-regular" "N,D,SEED" "random-regular:64,4,1" random_regular::random_regular => "random connected graph of N vertices, each of degree D";
    "swiss-t1" "A,..,H" "swiss-t1:4,4,0,4,1,2,3,4" liquid::swiss_t1 => "Swiss-T1 cluster, static routes: A to H nodes (0 to 4) at its 8 switches; 4 at each by default";
    "two-switch" "A,B" "two-switch:3,2" liquid::two_switch => "A and B nodes, each a sender and a receiver, at two switches; static routes";
    "dgx1" "[N]" "dgx1" machines::dgx1 => "NVIDIA DGX-1: 8 GPUs in a hybrid cube mesh of NVLinks; N servers joined by their adapters";
    "dgx-a100" "N" "dgx-a100:2" machines::dgx_a100 => "N NVIDIA DGX A100: 8 GPUs each at an NVSwitch, and an adapter a GPU";
    "mi250" "" "mi250" machines::mi250 => "8 AMD MI250 in a server: 16 dies, joined by 1, 2 or 4 links";
    "z52" "" "z52" machines::z52 => "Gigabyte Z52: 8 AMD MI50, a ring";
    "tpu" "AxBxC" "tpu:4x4x4" machines::tpu => "slice of a TPU v4: a torus if each size is a multiple of 4, else a mesh";
    "rail" "N,G,R" "rail:4,8,8" machines::rail => "N servers of G accelerators at a switch, joined by R rails, as DGX H100";
};

/// The table as text, one family a line: for `--help` and for errors.
pub fn list() -> String {
    let width = FAMILIES.iter().map(|f| f.usage().len()).max().unwrap_or(0);
    let line = |f: &Family| format!("  {:width$}  {}", f.usage(), f.about);
    FAMILIES.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The table, and the options that may follow a spec.
pub fn help() -> String {
    format!(
        "Families (',half' or ',simplex' after a family without switches makes its links half duplex or\n\
         one-way; ',width=W' after any family lets every link carry W transfers a step):\n{}",
        list()
    )
}

/// The family of this name.
pub fn find(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|f| f.name == name)
}

/// The family whose name is most similar to `name`, if any is similar enough.
pub fn nearest(name: &str) -> Option<&'static Family> {
    ccsched_base::similar::nearest(&name.to_lowercase(), FAMILIES.iter().map(|f| f.name))
        .and_then(find)
}
