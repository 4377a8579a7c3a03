//! Pages hold what the file holds, need nothing from outside, and keep names to themselves. How they
//! behave in a browser is tested by scripts/test-page.py.

use crate::support::small::{NAMES, get};
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
