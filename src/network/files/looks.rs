//! What a file looks like that no format has: the message about a file of the wrong kind.

use super::ibnetdiscover::tables;
use super::kinds;
use super::lines::{full, short};

/// Refuses what is no name of a vertex in rows of names.
pub fn name(word: &str) -> Result<(), String> {
    if word.is_empty() || word.contains(char::is_control) {
        return Err("a vertex needs a name of printable characters".into());
    }
    if [" #", " //"].iter().any(|sign| word.contains(sign)) {
        return Err(format!(
            "'{}' has a comment in it; put that into a line of its own",
            short(word)
        ));
    }
    let odd = word.contains(['=', '<', '>', '{', '}']) || !word.contains(char::is_alphanumeric);
    let hint = match odd {
        false => return Ok(()),
        true if word.contains('=') => "; this looks like a list of settings, key=value",
        true => "",
    };
    Err(format!("'{}' is no name of a vertex{hint}", short(word)))
}

/// What a text is that looks like rows of names and is no network, with the command that prints one.
pub fn near(text: &str) -> Option<&'static str> {
    if let Some(what) = kinds::of(text) {
        return Some(what);
    }
    let rows: Vec<Vec<&str>> =
        full(text, &['#']).take(50).map(|row| row.split_whitespace().collect()).collect();
    rows.first()?;
    let number = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    let any = |is: &dyn Fn(&[&str]) -> bool| rows.iter().any(|row| is(row));
    let all = |is: &dyn Fn(&[&str]) -> bool| rows.iter().all(|row| is(row));
    let hex = |word: &str| word.starts_with("0x");
    let listed = |row: &[&str]| match row {
        [kind, rest @ ..] => {
            let kind = kind.trim_end_matches(':');
            let colon = row[0].ends_with(':') || rest.first() == Some(&":");
            let guid = rest.iter().find(|word| **word != ":");
            ["Ca", "Switch", "Rt", "Router"].contains(&kind)
                && colon
                && guid.is_some_and(|word| hex(word))
        }
        [] => false,
    };
    let ports = |row: &[&str]| {
        matches!(row, [kind, lid, port, guid, ..]
            if ["CA", "SW", "RT"].contains(kind) && number(lid) && number(port) && hex(guid))
    };
    let slots = |row: &[&str]| {
        let counted = |word: &str| {
            let is = |key: &str, value: &str| {
                ["slots", "max_slots", "max-slots"].contains(&key) && number(value)
            };
            word.split_once('=').is_some_and(|(key, value)| is(key, value))
        };
        let with_colon =
            row[0].split_once(':').is_some_and(|(host, slots)| !host.is_empty() && number(slots));
        (row.len() > 1 && row[1..].iter().all(|word| counted(word)))
            || (row.len() == 1 && with_colon)
    };
    if any(&listed) {
        return Some(
            "this lists the nodes of a fabric (ibnetdiscover -H, -S or -l) and no links; ibnetdiscover \
             without options prints them",
        );
    }
    if any(&ports) {
        return Some(
            "these are the ports of a fabric (ibnetdiscover -p); ibnetdiscover without options prints \
             what is read",
        );
    }
    if any(&|row| row.iter().any(|word| word.starts_with("==("))) {
        return Some(
            "this is printed by iblinkinfo; ibnetdiscover without options prints what is read",
        );
    }
    if all(&slots) {
        return Some(
            "this is a file of hosts for mpirun and has no links; it chooses hosts of a network, which \
             ibnetdiscover or `scontrol show topology` print",
        );
    }
    if all(&|row| matches!(row, ["rank", ..] if row.len() > 2 || row[1].contains('='))) {
        return Some("this is a rank file of mpirun and has no links");
    }
    if rows.len() > 1
        && all(&|row| row.len() == 1 && !row[0].contains([',', ';', '=', '[', '<', '{', '"']))
    {
        return Some("this is a list of names, one a line, and has no links");
    }
    None
}

/// What a text looks like.
pub fn like(text: &str) -> String {
    let first = full(text, &['#', '%']).next().or_else(|| full(text, &[]).next());
    let Some(first) = first else { return "the file is empty".into() };
    let head: String = text.chars().take(4000).collect();
    let has = |part: &str| head.contains(part);
    let pair = |line: &str| line.split_once('=').is_some_and(|(key, _)| !key.trim().is_empty());
    let what = match first.chars().next() {
        _ if near(text).is_some() => near(text).unwrap_or_default(),
        Some('{' | '[') if has("\"ccsched-schedule/") => {
            "this is a schedule of ccsched; 'ccsched verify' and 'ccsched show' read it"
        }
        Some('{') => "this looks like JSON",
        Some('<') if has("<algo") => "this looks like a program of MSCCL",
        Some('<') if has("<html") || has("<!DOCTYPE html") => "this looks like a web page",
        Some('<') => "this looks like XML, but it is neither GraphML nor GEXF",
        _ if tables::recognises(text) => {
            "these are forwarding tables; give them as routes beside the file of the fabric"
        }
        _ if pair(first) => {
            return format!(
                "'{}' looks like a setting, key = value, of no format that is read",
                short(first)
            );
        }
        _ => return format!("'{}' begins no file of a known format", short(first)),
    };
    what.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_wrong_kind_are_called_by_their_name() {
        for (text, part) in [
            ("", "empty"),
            ("\n # \n", "'#' begins"),
            ("{\"format\": \"ccsched-schedule/1\"}", "ccsched verify"),
            ("{}", "JSON"),
            ("<algo name=\"x\">", "MSCCL"),
            ("<?xml version='1.0'?><note/>", "neither GraphML"),
            ("<html>", "web page"),
            ("Unicast lids [0-6] of switch Lid 2 guid 0x02 ('left'):", "forwarding tables"),
            ("num_ranks 2\n", "LogGOPSim"),
            ("some words of no use", "'some words of no use' begins"),
            ("a b = c\nd = e\n", "key = value"),
            ("n1 slots=8\nn2 slots=8 max_slots=9\n", "file of hosts for mpirun"),
            ("n1:8\nn2:8\n", "file of hosts for mpirun"),
            ("rank 0=n1 slot=0\nrank 1=n2 slot=1\n", "rank file"),
            ("n1\nn2\n", "a list of names"),
            ("Ca\t: 0x0002c9030000a1 ports 2 devid 0x1 vendid 0x2 \"n1\"\n", "ibnetdiscover -H"),
            ("Switch\t: 0x0002c9030000b1 ports 36 \"leaf\"\n", "ibnetdiscover -H"),
            (
                "CA     1  1 0x0002c9030000a1 4x QDR - SW     2  7 0x0002c9030000b1 ( 'n1' - 'leaf' )\n",
                "ibnetdiscover -p",
            ),
            (
                "CA: n1 mlx5_0:\n   0x02 1 1[  ] ==( 4X 25 Gbps Active/ LinkUp)==>  2 7[  ] \"leaf\" ( )\n",
                "iblinkinfo",
            ),
            ("\tGPU0\tGPU1\tNIC0\nGPU0\t X \tNV1\tPIX\n", "nvidia-smi"),
        ] {
            assert!(like(text).contains(part), "{text}: {}", like(text));
        }
        for text in ["a b\nb c\n", "a,b\nb,c\n", "1 2\n2 3\n", "rank node\nnode c\n"] {
            assert_eq!(near(text), None, "{text}");
        }
        assert!(["=", "a=b", "{a", "", "-", "a\tb"].iter().all(|word| name(word).is_err()));
        assert!(["a", "0,0", "n1.b-c_d/e:f", "Mün"].iter().all(|word| name(word).is_ok()));
    }
}
