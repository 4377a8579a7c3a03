//! The limits of control groups: each group on the way up from that of this process may have one. Version 1 has a
//! hierarchy of its own for memory, version 2 one for all resources; both may be mounted at once.

use super::System;
use std::path::Path;

/// The files of a group.
struct Version {
    limits: &'static [&'static str],
    used: &'static str,
    /// Lines of `memory.stat`: files that are kept in memory as long as nothing else needs it.
    caches: [&'static str; 2],
}

const FIRST: Version = Version {
    limits: &["memory.limit_in_bytes"],
    used: "memory.usage_in_bytes",
    caches: ["total_inactive_file", "total_active_file"],
};
const SECOND: Version = Version {
    limits: &["memory.max", "memory.high"],
    used: "memory.current",
    caches: ["inactive_file", "active_file"],
};

impl System<'_> {
    /// The memory that is free in each group with a limit.
    pub(super) fn in_cgroups(self) -> Vec<u64> {
        let own = self.read("proc/self/cgroup").unwrap_or_default();
        let mounts = self.read("proc/self/mountinfo").unwrap_or_default();
        let mut free = Vec::new();
        for mount in mounts.lines().filter_map(mount) {
            let Some(path) = own.lines().find_map(|line| path_of(line, mount.is_second)) else {
                continue;
            };
            let version = if mount.is_second { SECOND } else { FIRST };
            let top = self.0.join(mount.point.trim_start_matches('/'));
            // In a namespace of its own a process sees its path from the top of its mount, or not at all.
            let below = path.strip_prefix(mount.root.trim_end_matches('/')).unwrap_or(path);
            let mut folder = top.join(below.trim_start_matches('/'));
            if below.contains("..") || !folder.is_dir() {
                folder.clone_from(&top);
            }
            let way_up = folder.ancestors().take_while(|folder| folder.starts_with(&top));
            free.extend(way_up.filter_map(|folder| self.free_in(folder, &version)));
        }
        free
    }

    fn free_in(self, folder: &Path, version: &Version) -> Option<u64> {
        let number = |file: &&str| self.read(folder.join(file))?.trim().parse::<u64>().ok();
        let limit = version.limits.iter().filter_map(number).min()?;
        let used = number(&version.used).unwrap_or(0);
        let details = self.read(folder.join("memory.stat")).unwrap_or_default();
        let is_cache = |line: &str| {
            let (name, bytes) = line.split_once(' ')?;
            version.caches.contains(&name).then(|| bytes.trim().parse::<u64>().ok())?
        };
        let caches: u64 = details.lines().filter_map(is_cache).sum();
        Some(limit.saturating_sub(used.saturating_sub(caches)))
    }
}

/// A mounted hierarchy that knows of memory: `30 25 0:26 /root /point options - cgroup2 source options`.
struct Mount<'m> {
    root: &'m str,
    point: &'m str,
    is_second: bool,
}

fn mount(line: &str) -> Option<Mount<'_>> {
    let (place, kind) = line.split_once(" - ")?;
    let mut kind = kind.split(' ');
    let is_second = match kind.next()? {
        "cgroup2" => true,
        "cgroup" => {
            kind.nth(1)?.split(',').find(|&option| option == "memory")?;
            false
        }
        _ => return None,
    };
    let mut place = place.split(' ').skip(3);
    Some(Mount { root: place.next()?, point: place.next()?, is_second })
}

/// The path of a group in a line `4:memory:/path` of version 1, `0::/path` of version 2.
fn path_of(line: &str, is_second: bool) -> Option<&str> {
    let mut parts = line.splitn(3, ':');
    let (number, names, path) = (parts.next()?, parts.next()?, parts.next()?);
    let is_it = match is_second {
        true => number == "0" && names.is_empty(),
        false => names.split(',').any(|name| name == "memory"),
    };
    is_it.then_some(path)
}

#[cfg(test)]
mod tests {
    use super::super::tests::available_in;

    const MACHINE: (&str, &str) = ("proc/meminfo", "MemAvailable:   1000000 kB\n");

    #[test]
    fn groups_of_version_2_are_asked_on_the_way_up() {
        let mounts = "31 23 0:28 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw\n";
        let own = "0::/system.slice/job_7/step_0\n";
        let system = |more: &[(&str, &str)]| {
            let mut files = vec![
                MACHINE,
                ("proc/self/mountinfo", mounts),
                ("proc/self/cgroup", own),
                ("sys/fs/cgroup/system.slice/job_7/step_0/memory.max", "max\n"),
                ("sys/fs/cgroup/system.slice/job_7/step_0/memory.current", "5000\n"),
            ];
            files.extend(more);
            available_in(&files)
        };
        assert_eq!(system(&[]), Some(1_024_000_000));
        // The limit of a job, as Slurm sets it.
        let job = ("sys/fs/cgroup/system.slice/job_7/memory.max", "400000000\n");
        let used = ("sys/fs/cgroup/system.slice/job_7/memory.current", "150000000\n");
        assert_eq!(system(&[job, used]), Some(250_000_000));
        let caches = "anon 50000000\ninactive_file 60000000\nactive_file 30000000\n";
        let caches = ("sys/fs/cgroup/system.slice/job_7/memory.stat", caches);
        assert_eq!(system(&[job, used, caches]), Some(340_000_000));
        let high = ("sys/fs/cgroup/system.slice/job_7/memory.high", "200000000\n");
        assert_eq!(system(&[job, used, caches, high]), Some(140_000_000));
        let top = ("sys/fs/cgroup/memory.max", "7000\n");
        assert_eq!(system(&[job, used, top]), Some(7_000));
    }

    #[test]
    fn groups_of_version_1_are_asked_on_the_way_up() {
        let mounts = "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                      32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                      41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
        let own = "4:memory:/slurm/uid_5/job_7\n1:cpu:/\n0::/\n";
        let system = |more: &[(&str, &str)]| {
            let mut files =
                vec![MACHINE, ("proc/self/mountinfo", mounts), ("proc/self/cgroup", own)];
            files.extend(more);
            available_in(&files)
        };
        let none = "9223372036854771712\n";
        let own = ("sys/fs/cgroup/memory/slurm/uid_5/job_7/memory.limit_in_bytes", none);
        assert_eq!(system(&[own]), Some(1_024_000_000));
        let user = ("sys/fs/cgroup/memory/slurm/uid_5/memory.limit_in_bytes", "400000000\n");
        let used = ("sys/fs/cgroup/memory/slurm/uid_5/memory.usage_in_bytes", "300000000\n");
        assert_eq!(system(&[own, user, used]), Some(100_000_000));
        let caches = "total_inactive_file 20000000\ninactive_file 1\n";
        let caches = ("sys/fs/cgroup/memory/slurm/uid_5/memory.stat", caches);
        assert_eq!(system(&[own, user, used, caches]), Some(120_000_000));
    }

    #[test]
    fn a_container_sees_its_own_group_at_the_top() {
        let limit = ("sys/fs/cgroup/memory.max", "64000000\n");
        for (root, own) in [("/docker/abc", "/docker/abc"), ("/", "/"), ("/", "/../../elsewhere")] {
            let mounts = format!("31 23 0:28 {root} /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
            let own = format!("0::{own}\n");
            let files = [
                MACHINE,
                ("proc/self/mountinfo", mounts.as_str()),
                ("proc/self/cgroup", &own),
                limit,
            ];
            assert_eq!(available_in(&files), Some(64_000_000), "{root} {own}");
        }
    }
}
