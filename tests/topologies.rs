//! The files in `topologies/` are what the program writes today. Where a family was changed on
//! purpose, `scripts/write-topologies.sh` writes them anew.

use ccsched::network::{spec, toml_read, toml_write};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/topologies"))
}

#[test]
fn files_are_what_the_program_writes() {
    let list = fs::read_to_string(folder().join("LIST")).unwrap();
    let mut files = BTreeSet::from(["example.toml".to_string()]);
    for text in list.lines().filter(|line| !line.starts_with('#')) {
        let file = format!("{}.toml", text.replace([':', ','], "-"));
        let net = spec::parse(text).unwrap();
        let stored = fs::read_to_string(folder().join(&file)).unwrap();
        assert_eq!(stored, toml_write::to_toml(&net).unwrap(), "{file}");
        assert_eq!(toml_read::parse(Path::new(&file), &stored).unwrap(), net, "{file}");
        files.insert(file);
    }
    let present = fs::read_dir(folder()).unwrap().map(|f| f.unwrap().file_name());
    let present: BTreeSet<String> = present.map(|f| f.into_string().unwrap()).collect();
    files.insert("LIST".into());
    assert_eq!(present, files);
}

#[test]
fn the_example_is_what_its_comments_say() {
    let net = spec::load(folder().join("example.toml").to_str().unwrap()).unwrap();
    assert_eq!((net.terminals().count(), net.vertices().len()), (6, 8));
    let [left, right] = ["left", "right"].map(|name| net.find(name).unwrap());
    let trunk = net.outgoing(left).iter().filter(|&&c| net.channel(c).to == right);
    assert_eq!(trunk.count(), 2);
    assert_eq!(net.coordinates(right), Some((2.5, 1.0)));
    let again = toml_read::parse(Path::new("again"), &toml_write::to_toml(&net).unwrap());
    assert_eq!(again.unwrap(), net);
}
