//! The format of a network file is recognised by its content, not by its name.

use ccsched::network::files::{FORMATS, of, read};
use ccsched::network::{files::toml::write::to_toml, spec};

#[test]
fn a_file_is_read_under_any_name() {
    let folder = tempfile::tempdir().unwrap();
    let network = spec::parse("mesh:2x3,half").unwrap();
    for name in ["net.toml", "net.txt", "net"] {
        let path = folder.path().join(name);
        std::fs::write(&path, to_toml(&network).unwrap()).unwrap();
        assert_eq!(read(&path).unwrap(), network, "{name}");
        assert_eq!(spec::load(path.to_str().unwrap()).unwrap(), network, "{name}");
    }
}

#[test]
fn a_file_of_no_format_is_refused_with_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("odd");
    for (text, why) in
        [("", "odd:1: "), ("graph { a -- b }", "odd:1: "), ("\n[neighbours]\n", "no name")]
    {
        std::fs::write(&path, text).unwrap();
        let said = read(&path).expect_err("it is no network").to_string();
        assert!(said.contains(why), "'{said}' does not say '{why}'");
    }
    let gone = read(&folder.path().join("gone")).expect_err("there is none").to_string();
    assert!(gone.contains("gone"), "{gone}");
}

#[test]
fn formats_have_distinct_names_and_recognise_their_own_texts() {
    let names: std::collections::BTreeSet<&str> = FORMATS.iter().map(|f| f.name).collect();
    assert_eq!(names.len(), FORMATS.len());
    let text = to_toml(&spec::parse("ring:3").unwrap()).unwrap();
    let ours: Vec<&str> =
        FORMATS.iter().filter(|f| (f.recognises)(&text)).map(|f| f.name).collect();
    assert_eq!(ours, [of(&text).name]);
}
