//! What capacity 1 stands for: read from fabrics and TOML files, and kept in whatever becomes of the
//! network.

use ccsched::network::files::toml::write::to_toml;
use ccsched::network::processes::PerNode;
use ccsched::network::{faults, files};
use ccsched::problem::{Collective, Request};
use ccsched::schedule::file::Provenance;
use ccsched::schedule::{Plan, ScheduleFile, resolve};

/// A fabric of one switch and two hosts with cables of this speed.
fn fabric(speed: &str) -> String {
    let port = |host: u32| {
        format!("[{host}]\t\"H-{host}\"[1](a{host}) \t# \"n{host}\" lid {host} {speed}\n")
    };
    let host = |host: u32| {
        format!(
            "\nCa\t1 \"H-{host}\"\t# \"n{host}\"\n[1](a{host}) \t\"S-1\"[{host}]\t# lid {host} lmc 0 \
             \"s\" lid 9 {speed}\n"
        )
    };
    let head = "Switch\t8 \"S-1\"\t# \"s\" base port 0 lid 9 lmc 0\n";
    [head.into(), port(1), port(2), host(1), host(2)].concat()
}

#[test]
fn what_capacity_1_stands_for_outlasts_every_change_of_the_network() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net");
    std::fs::write(&path, fabric("4xHDR")).unwrap();
    let net = files::read(&path).unwrap();
    let rate = net.rate().cloned();
    assert_eq!(rate.as_ref().unwrap().to_string(), "4xHDR, 25 GB/s");
    std::fs::write(&path, to_toml(&net).unwrap()).unwrap();
    let per_node = Some(PerNode { processes: 2, width: 1 });
    let terminals = Some("n1,s".parse().unwrap());
    let how = files::Reading { terminals, per_node, ..files::Reading::default() };
    let again = files::read_as(&path, &how).unwrap();
    let broken = faults::apply(&again, &[0], &[]).unwrap();
    let turned = broken.reversed().full_duplex();
    let request = Request::new(Collective::Aas);
    let problem = request.pose(net.clone(), vec![]).unwrap();
    let file = Plan::default().record(&problem, &[], Provenance::default());
    let saved = folder.path().join("s.json");
    file.write(&saved).unwrap();
    let (resolved, _) = resolve(&ScheduleFile::read(&saved).unwrap()).unwrap();
    for net in [&again, &broken, &turned, resolved.network()] {
        assert_eq!(net.rate(), rate.as_ref());
    }
    // Older files know no rate, and schedules of both are schedules of one problem.
    let older = std::fs::read_to_string(&saved).unwrap();
    let (start, end) = (older.find(" \"rate\"").unwrap(), older.find(" \"vertices\"").unwrap());
    std::fs::write(&saved, format!("{}{}", &older[..start], &older[end..])).unwrap();
    let older = ScheduleFile::read(&saved).unwrap();
    assert_eq!(resolve(&older).unwrap().0.network().rate(), None);
    assert!(older.network.is_like(&file.network) && !file.is_apart_from(&saved));
}

#[test]
fn rates_in_files_are_checked() {
    let toml = |rate: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("net.toml");
        let text = format!("name = \"x\"\nrate = {rate}\n[neighbours]\na = [\"b\"]\nb = [\"a\"]\n");
        std::fs::write(&path, text).unwrap();
        files::read(&path).map_err(|e| e.to_string())
    };
    let plain = toml("{ bytes_per_second = 1000000 }").unwrap();
    assert_eq!(plain.rate().unwrap().to_string(), "1 MB/s");
    for (rate, part) in [
        ("{ bytes_per_second = 0 }", ":2: a rate is like: rate = {"),
        ("{ name = \"4xHDR\" }", ":2: a rate is like"),
        ("25e9", ":2: a rate is like"),
        ("{ bytes_per_second = inf }", ":2: a rate is like"),
        ("{ bytes = 1 }", ":2: unknown key 'bytes'; known: name, bytes_per_second"),
    ] {
        let said = toml(rate).unwrap_err();
        assert!(said.contains(part), "{rate}: {said}");
    }
}
