//! Pictures are well-formed, show every transfer, and keep what names contain to themselves.

use crate::support::small::get;
use ccsched::network::files;
use ccsched::network::spec;
use ccsched::schedule::ScheduleFile;
use ccsched::show::svg::{self, Picture};
use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::{Value, json};

fn file(value: Value) -> ScheduleFile {
    serde_json::from_value(value).unwrap()
}

/// By name of tag, how often it begins; the text of all titles.
fn parts(svg: &str) -> (Vec<String>, Vec<String>) {
    let mut reader = Reader::from_str(svg);
    let (mut tags, mut titles) = (Vec::new(), Vec::new());
    let mut title = None;
    loop {
        match reader.read_event().unwrap_or_else(|e| panic!("{e}: {svg}")) {
            Event::Start(tag) if tag.name().as_ref() == "title" => title = Some(String::new()),
            Event::End(tag) if tag.name().as_ref() == "title" => titles.extend(title.take()),
            Event::Start(tag) | Event::Empty(tag) => {
                tags.push(tag.name().as_ref().to_string());
            }
            Event::Text(text) => {
                if let Some(title) = &mut title {
                    title.push_str(&text);
                }
            }
            Event::GeneralRef(name) => {
                if let Some(title) = &mut title {
                    *title += &format!("&{};", &*name);
                }
            }
            Event::Eof => return (tags, titles),
            _ => (),
        }
    }
}

#[test]
fn a_step_shows_each_of_its_transfers() {
    let schedule = file(get("ring-slack"));
    let picture = Picture::of(&schedule).unwrap();
    for step in 0..schedule.steps.len() {
        let (_, titles) = parts(&picture.step(step).unwrap());
        for t in schedule.steps.iter().nth(step).unwrap() {
            let right =
                format!("message of {} for {}", t.message.source, t.message.destination.unwrap());
            assert_eq!(titles.iter().filter(|title| **title == right).count(), 1, "{titles:?}");
        }
        let count = titles.iter().filter(|title| title.starts_with("message of")).count();
        assert_eq!(count, schedule.steps.places(step).len());
    }
    assert_ne!(picture.step(0).unwrap(), picture.step(1).unwrap());
    assert_eq!(picture.step(0).unwrap(), svg::step(&schedule, 0).unwrap());
    let error = picture.step(2).unwrap_err().to_string();
    assert!(error.contains("no step 3; the schedule has 2"), "{error}");
    let (_, all) = parts(&picture.sheet(&[0, 1]).unwrap());
    assert_eq!(all.iter().filter(|title| title.starts_with("message of")).count(), 3);
    assert!(picture.sheet(&vec![0; svg::MOST_STEPS + 1]).is_err());
}

#[test]
fn a_network_has_a_shape_for_every_vertex() {
    let (tags, titles) = parts(&svg::network(&spec::parse("fat-tree:4").unwrap()));
    let count = |name: &str| tags.iter().filter(|tag| *tag == name).count();
    // The background is a rectangle, too.
    assert_eq!((count("circle"), count("rect"), titles.len()), (4, 4 + 1, 8 + 1));
    // A terminal of a one-way multistage network sends on one side and receives on the other.
    let (tags, _) = parts(&svg::network(&spec::parse("omega:4").unwrap()));
    assert_eq!(tags.iter().filter(|tag| *tag == "circle").count(), 8);
}

#[test]
fn names_do_no_harm() {
    let mut value = get("path-oas");
    let text = value.to_string().replace("\"b\"", "\"</title><script>\\u0001&\"");
    value = serde_json::from_str(&text).unwrap();
    let picture = svg::step(&file(value), 0).unwrap();
    assert!(!picture.contains("<script") && !picture.contains('\u{1}'), "{picture}");
    let (_, titles) = parts(&picture);
    assert!(
        titles.iter().any(|title| title == "&lt;/title&gt;&lt;script&gt;\u{fffd}&amp;"),
        "{titles:?}"
    );
}

#[test]
fn broken_parts_are_red() {
    let red = "#d40000";
    let mut value = get("ring-slack");
    assert!(!svg::step(&file(value.clone()), 0).unwrap().contains(red));
    value["faults"] = json!([{"vertex": "gone"}, {"link": ["a", "c"]}, {"link": ["a", "other"]}]);
    let picture = svg::step(&file(value), 0).unwrap();
    let (_, titles) = parts(&picture);
    assert_eq!(picture.matches(red).count(), 2, "a link and a vertex: {picture}");
    assert!(titles.iter().any(|title| title == "gone"));
    // One direction, or one of parallel links: what is left is drawn as well.
    let mut value = get("ring-slack");
    let whole = svg::step(&file(value.clone()), 0).unwrap();
    value["faults"] = json!([{"link": ["a", "b"]}, {"parallel": ["b", "c"]}]);
    let picture = svg::step(&file(value), 0).unwrap();
    assert_eq!(picture.matches(red).count(), 2, "{picture}");
    assert_eq!(picture.matches("#dde1e6").count(), whole.matches("#dde1e6").count());
}

#[test]
fn what_does_not_exist_is_named() {
    let mut value = get("path-oas");
    value["network"]["channels"][1]["to"] = json!("nowhere");
    let error = svg::step(&file(value), 0).unwrap_err().to_string();
    assert!(error.contains("network.channels[1]: 'nowhere' is no vertex"), "{error}");
    let mut value = get("path-oas");
    value["steps"][1][0]["channels"] = json!([99]);
    let error = svg::step(&file(value), 0).unwrap_err().to_string();
    assert!(error.contains("steps[1][0]: there is no channel 99"), "{error}");
}

#[test]
fn coordinates_go_from_the_network_file_into_the_schedule_and_back() {
    use ccsched::problem::{Collective, Request};
    use ccsched::{Options, solve};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("line.toml");
    let text = "name = \"line\"\n[neighbours]\na = [\"b\"]\nb = [\"a\", \"c\"]\nc = [\"b\"]\n\
                [coordinates]\na = [0, 0]\nb = [1, 0.5]\nc = [2, 0]\n";
    std::fs::write(&path, text).unwrap();
    let network = files::read(&path).unwrap();
    let problem = Request::new(Collective::Aas).pose(network, vec![]).unwrap();
    let schedule = solve(&problem, &Options::default()).unwrap().schedule().unwrap();
    let places: Vec<_> = schedule.network.vertices.iter().map(|v| v.at).collect();
    assert_eq!(places, [Some((0.0, 0.0)), Some((1.0, 0.5)), Some((2.0, 0.0))]);
    let saved = folder.path().join("s.json");
    schedule.write(&saved).unwrap();
    let read = ScheduleFile::read(&saved).unwrap();
    assert_eq!(read, schedule);
    let (again, _) = ccsched::schedule::resolve(&read).unwrap();
    assert_eq!(again.network().coordinates(1), Some((1.0, 0.5)));
}
