//! What is measured: a section is a table, and a row of it a topology, a collective, and any options
//! of `ccsched solve`.

/// One table.
pub struct Section {
    /// What `--section` calls it.
    pub name: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// Its rows.
    pub cells: &'static [&'static str],
}

/// All tables, in their order.
pub const SECTIONS: &[Section] = &[
    Section {
        name: "scatter",
        title: "Scatters, wormhole switching",
        cells: &[
            "omega:16 aas",
            "butterfly:16 aas",
            "clos:3,3,4 aas",
            "clos:4,4,4 aas",
            "fat-tree:32 aas",
            "heawood aas",
            "moebius-ladder:16 aas",
            "levi aas",
            "hypercube:5 aas",
            "kautz:3,3 aas",
            "kautz:3,3 aas --routing slack:1",
            "kautz:3,3 oas",
            "kautz:3,3 oas --routing slack:1",
            "full-binary-tree:63 aas",
            "ring:8,half aas --ports 1",
        ],
    },
    Section {
        name: "store-and-forward",
        title: "Scatters, store-and-forward switching",
        cells: &[
            "hypercube:3 aas --switching sf",
            "hypercube:4 aas --switching sf",
            "hypercube:5 aas --switching sf",
            "ring:8 aas --switching sf",
            "mesh:3x3 aas --switching sf",
            "petersen aas --switching sf",
            "torus:4x4 aas --switching sf",
            "mesh:4x4 aas --switching sf",
            "kautz:3,2 aas --switching sf",
            "kautz:2,3 aas --switching sf",
        ],
    },
];
