//! Pages hold what the file holds, need nothing from outside, and keep names to themselves. How they
//! behave in a browser is tested by scripts/test-page.py.

use crate::support::small::{NAMES, get};
use ccsched::network::spec;
use ccsched::schedule::ScheduleFile;
use ccsched::show::html::{MOST_TRANSFERS, page};
use serde_json::{Value, json};

fn file(value: Value) -> ScheduleFile {
    serde_json::from_value(value).unwrap()
}

/// The page of all steps.
fn whole(value: Value) -> String {
    let file = file(value);
    page(&file, &(0..file.steps.len()).collect::<Vec<_>>()).unwrap()
}

/// The data in a page.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn a_page_holds_every_transfer() {
    for name in NAMES {
        let value = get(name);
        let data = data(&whole(value.clone()));
        let name_of = |id: &Value| data["names"][id.as_u64().unwrap() as usize].clone();
        let all = &data["transfers"];
        let (mut place, mut start) = (0, 0);
        for (step, transfers) in value["steps"].as_array().unwrap().iter().enumerate() {
            for t in transfers.as_array().unwrap() {
                let source = all["source"][place].as_u64().unwrap() as usize;
                assert_eq!(name_of(&data["sources"][source]), t["message"]["source"], "{name}");
                match t["message"].get("destination") {
                    Some(to) => assert_eq!(name_of(&all["destination"][place]), *to, "{name}"),
                    None => assert_eq!(all["destination"][place], -1, "{name}"),
                }
                assert_eq!(name_of(&all["from"][place]), t["from"], "{name}");
                assert_eq!(name_of(&all["to"][place]), t["to"], "{name}");
                let end = all["path_end"][place].as_u64().unwrap() as usize;
                let path = &all["path"].as_array().unwrap()[start..end];
                assert_eq!(path, t["channels"].as_array().unwrap(), "{name}");
                (place, start) = (place + 1, end);
            }
            assert_eq!(all["ends"][step], place, "{name}");
        }
        assert_eq!(all["source"].as_array().unwrap().len(), place, "{name}");
        let channels = value["network"]["channels"].as_array().unwrap().len();
        assert_eq!(data["channels"]["from"].as_array().unwrap().len(), channels, "{name}");
    }
}

#[test]
fn only_chosen_steps_are_in_a_page() {
    let file = file(get("ring-slack"));
    let data = data(&page(&file, &[1]).unwrap());
    assert_eq!((&data["steps"], &data["all_steps"]), (&json!([2]), &json!(2)));
    assert_eq!(data["transfers"]["ends"], json!([1]));
}

#[test]
fn steps_of_several_rounds_and_of_pieces_are_shown_by_rounds() {
    let plain = get("ring-slack");
    let (mut rounds, mut pieces) = (plain.clone(), plain.clone());
    rounds["model"]["rounds"] = json!([2]);
    pieces["model"]["pieces"] = json!(2);
    for (value, unit, started, title) in [
        (plain, "step", json!(null), "in 2 steps on"),
        (rounds, "round", json!([1, 1]), "in 1 step of 2 rounds on"),
        (pieces, "round", json!(null), " of 2 pieces a message in 2 steps of 2 rounds on"),
    ] {
        let page = whole(value);
        let data = data(&page);
        assert_eq!((&data["unit"], &data["started"]), (&json!(unit), &started));
        assert!(data["title"].as_str().unwrap().contains(title), "{}", data["title"]);
        assert!(page.contains(&format!("Fill of the {unit}s")), "{unit}");
        assert!(page.contains(&format!("title=\"Next {unit} (Right)\"")), "{unit}");
        let (head, _) = page.split_once("<script").unwrap();
        let words = head.replace("id=\"step\"", "").replace("for=\"step\"", "");
        assert!(unit == "step" || !words.to_lowercase().contains(" step"), "{words}");
        assert!(!words.contains("{unit}") && !words.contains("{Unit}"), "{words}");
    }
}

#[test]
fn half_duplex_channels_are_one_link() {
    let data = data(&whole(get("half-aas")));
    assert_eq!(data["channels"]["link"], json!([0, 0]));
    assert_eq!(data["channels"]["first"], json!([0]));
}

#[test]
fn a_page_needs_nothing_from_outside() {
    let page = whole(get("path-oas"));
    for word in ["http:", "https:", "src=", "@import", "url(", "{{"] {
        assert!(!page.contains(word), "{word}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn names_cannot_leave_the_data() {
    let evil = "</script><script>alert(1)</script><!-- {{SCRIPT}}";
    let text = get("path-oas").to_string().replace("\"b\"", &json!(evil).to_string());
    let mut value: Value = serde_json::from_str(&text).unwrap();
    value["network"]["name"] = json!(evil);
    let page = whole(value);
    assert!(!page.contains("alert(1)</script>") && !page.contains("<!-- {{"));
    assert_eq!(page.matches("</script>").count(), 2);
    assert_eq!(data(&page)["names"][1], evil);
    assert_eq!(data(&page)["network"], evil);
}

#[test]
fn too_many_transfers_are_refused() {
    let mut value = get("path-oas");
    let transfer = value["steps"][1][0].clone();
    value["steps"] = json!([vec![transfer; 1000]]);
    let file = file(value);
    let steps = vec![0; MOST_TRANSFERS / 1000 + 1];
    let error = page(&file, &steps).unwrap_err().to_string();
    assert!(error.contains("501000 transfers are too many"), "{error}");
}

/// A schedule without steps for a member of a family, some of whose vertices are broken.
fn damaged(text: &str, broken: &[&str]) -> Value {
    let network = spec::parse(text).unwrap();
    let name = |v: u32| network.vertex_name(v);
    let is_left = |v: u32| !broken.contains(&name(v));
    let vertices = (0..).zip(network.vertices()).filter(|&(v, _)| is_left(v));
    let vertices: Vec<Value> =
        vertices.map(|(v, of)| json!({"name": name(v), "terminal": of.terminal})).collect();
    let channels = network.channels().iter().filter(|c| is_left(c.from) && is_left(c.to));
    let channels: Vec<Value> = channels
        .map(|c| json!({"from": name(c.from), "to": name(c.to), "capacity": c.capacity}))
        .collect();
    let mut value = get("ring-slack");
    value["network"] = json!({"name": network.name(), "vertices": vertices, "channels": channels});
    value["steps"] = json!([]);
    value["faults"] = broken.iter().map(|v| json!({"vertex": v})).collect();
    value
}

#[test]
fn a_damaged_network_stands_as_the_intact_one() {
    /// Name and place of each spot, from the first spot of `origin`.
    fn places(data: &Value, origin: &str) -> Vec<(String, f64, f64)> {
        let spots = &data["spots"];
        let number = |v: &Value| v.as_f64().unwrap();
        let all = spots["vertex"].as_array().unwrap().iter().enumerate().map(|(i, v)| {
            let name = data["names"][v.as_u64().unwrap() as usize].as_str().unwrap();
            (name.to_string(), number(&spots["x"][i]), number(&spots["y"][i]))
        });
        let mut all: Vec<_> = all.collect();
        let (_, x, y) = *all.iter().find(|(name, ..)| name == origin).unwrap();
        all.iter_mut().for_each(|place| *place = (place.0.clone(), place.1 - x, place.2 - y));
        all.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        all
    }
    for (text, broken, origin) in [
        ("kautz:3,2", vec!["12"], "01"),
        ("omega:8", vec!["3"], "0"),
        ("fat-tree:8", vec!["s1.0", "5"], "0"),
        ("petersen", vec!["0", "7"], "1"),
        ("ring:8,half", vec!["7"], "0"),
    ] {
        let [whole, less] = [&[][..], &broken].map(|broken| data(&whole(damaged(text, broken))));
        for (a, b) in places(&whole, origin).iter().zip(places(&less, origin)) {
            let apart = (a.1 - b.1).abs().max((a.2 - b.2).abs());
            assert!(a.0 == b.0 && apart < 0.3, "{text}: {a:?} {b:?}");
        }
        assert_eq!(places(&whole, origin).len(), places(&less, origin).len(), "{text}");
        let red = |of: &Value| of.as_array().unwrap().iter().filter(|v| **v == 1).count();
        assert_eq!(red(&less["vertices"]["broken"]), broken.len(), "{text}");
        assert!(red(&less["bands"]["broken"]) >= 2 * broken.len(), "{text}: the links are drawn");
    }
}

#[test]
fn a_narrow_link_is_seen_beside_a_wide_one() {
    let mut value = damaged("complete:2", &[]);
    let channel = |capacity: u32| json!({"from": "0", "to": "1", "capacity": capacity});
    value["network"]["channels"] = json!([channel(100), channel(1)]);
    let transfer = |channel: u32| {
        json!({"message": {"source": "0", "destination": "1"}, "from": "0", "to": "1",
               "channels": [channel]})
    };
    value["steps"] = json!([[transfer(0), transfer(0), transfer(1)], [transfer(0)]]);
    let data = data(&whole(value));
    let of = |list: &str, c: usize| data["channels"][list][c].as_f64().unwrap();
    assert_eq!([of("slots", 0), of("slots", 1)], [2.0, 1.0]);
    let width = |c: usize| of("slots", c) * of("lane", c);
    assert!(width(1) >= 2.0 && of("lane", 0) >= 2.0 && width(0) > 3.0 * width(1), "{data}");
    assert!((of("shift", 0) - of("shift", 1)).abs() > (width(0) + width(1)) / 2.0 - 0.3, "{data}");
}
