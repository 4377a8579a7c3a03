//! Accelerators in servers, with the links and speeds that their makers publish. Capacities are in
//! units of the slowest link, rounded down; the rate is the one of that link in one direction.
//! Accelerators are terminals `0`.., those of a server consecutive.

use super::grids::{mesh, torus};
use super::params::{at_least, count, counts, fits, none, product, sizes};
use super::plan::Plan;
use super::rings::circle;
use crate::Rate;

/// The NVLinks of a DGX-1 with V100, by pairs of GPUs that have two and one of them: a hybrid cube
/// mesh. Source: NVIDIA, "DGX-1 with Tesla V100 System Architecture", figure 4; the same as a
/// matrix in microsoft/msccl-tools, msccl/topologies/nvidia.py.
const DGX1: [(u32, &[(u64, u64)]); 2] = [
    (2, &[(0, 1), (0, 4), (1, 3), (2, 3), (2, 6), (4, 5), (5, 7), (6, 7)]),
    (1, &[(0, 2), (0, 3), (1, 2), (1, 5), (3, 7), (4, 6), (4, 7), (5, 6)]),
];

/// The xGMI links between the 16 dies of 8 MI250, by pairs that have 4, 2 and 1 of them. Source:
/// ROCm/rccl, src/graph/rome_models.cc, `rome_model_56`. A link carries 50 GB/s in each direction:
/// ROCm documentation, "AMD Instinct MI250 microarchitecture".
const MI250: [(u32, &[(u64, u64)]); 3] = [
    (4, &[(0, 1), (2, 3), (4, 5), (6, 7), (8, 9), (10, 11), (12, 13), (14, 15)]),
    (2, &[(0, 4), (3, 7), (8, 12), (11, 15)]),
    (
        1,
        &[
            (0, 2),
            (1, 2),
            (1, 3),
            (1, 5),
            (2, 6),
            (4, 12),
            (5, 13),
            (5, 14),
            (6, 13),
            (6, 14),
            (7, 15),
            (8, 10),
            (9, 10),
            (9, 11),
            (9, 13),
            (10, 14),
        ],
    ),
];

/// GPUs of a DGX.
const GPUS: u64 = 8;

/// `dgx1` or `dgx1:N`. An NVLink carries 25 GB/s. Several servers are joined by four adapters each
/// of 100 Gb/s, which carry half of that; two GPUs share an adapter over a PCIe switch (as the
/// source of [`DGX1`] shows), switch `s0.<4 i + j>` of server i; all adapters meet at switch `s1.0`.
pub fn dgx1(text: &str) -> Result<Plan, String> {
    let n = if text.is_empty() { 1 } else { count(text, "N")? };
    let alone = n == 1;
    // Channels of a server: 16 pairs, and with adapters 12 links more.
    fits(product(&[n, 56]))?;
    let mut plan = Plan::numbered(if alone { String::new() } else { n.to_string() }, n * GPUS);
    plan.rate = if alone { rate("NVLink2", 25.0) } else { rate("EDR", 12.5) };
    if !alone {
        let adapters = plan.switches(0, 4 * n);
        let fabric = plan.switches(1, 1);
        (0..n * GPUS).for_each(|gpu| plan.link(gpu, adapters + gpu / 2));
        (0..4 * n).for_each(|j| plan.link(adapters + j, fabric));
    }
    for server in 0..n {
        join(&mut plan, server * GPUS, &DGX1, if alone { 1 } else { 2 });
    }
    Ok(plan)
}

/// `dgx-a100:N`. The six NVSwitches of server i are one switch `s0.<i>`, to which a GPU has 12
/// NVLinks of 25 GB/s. Its adapter of 200 Gb/s carries 25 GB/s to the fabric, which is not
/// blocking: switch `s1.0`. A single server has no adapters. Source: NVIDIA, "DGX A100 System
/// Architecture"; "DGX SuperPOD: Scalable Infrastructure for AI Leadership".
pub fn dgx_a100(text: &str) -> Result<Plan, String> {
    let [n] = counts(text, ["N"])?;
    fits(product(&[n, 4 * GPUS]))?;
    let mut plan = servers(n.to_string(), n, GPUS, if n == 1 { 1 } else { 12 });
    if n == 1 {
        plan.rate = rate("12 NVLink3", 300.0);
        return Ok(plan);
    }
    plan.rate = rate("HDR", 25.0);
    let fabric = plan.switches(1, 1);
    (0..n * GPUS).for_each(|gpu| plan.link(gpu, fabric));
    Ok(plan)
}

/// `mi250`: one server.
pub fn mi250(text: &str) -> Result<Plan, String> {
    none(text)?;
    let mut plan = Plan::numbered("", 16);
    plan.rate = rate("xGMI", 50.0);
    join(&mut plan, 0, &MI250, 1);
    Ok(plan)
}

/// `z52`: two bridges of four GPUs (46 GB/s), joined by PCIe 4.0 (31.5 GB/s): a ring of capacity 1
/// throughout, because capacities are rounded down. Source: Cai and others, "Synthesizing Optimal
/// Collective Algorithms", section 5; AMD, data sheet of the Radeon Instinct MI50.
pub fn z52(text: &str) -> Result<Plan, String> {
    none(text)?;
    let mut plan = circle("", 8);
    plan.rate = rate("PCIe 4.0 x16", 31.5);
    Ok(plan)
}

/// `tpu:AxBxC`: chips with a link of 50 GB/s to each neighbour; optical switches join the ends of
/// slices that are made of cubes of 4x4x4. Source: Jouppi and others, "TPU v4: An Optically
/// Reconfigurable Supercomputer for Machine Learning"; Google Cloud, "TPU v4".
pub fn tpu(text: &str) -> Result<Plan, String> {
    let sizes = sizes(text)?;
    if sizes.len() != 3 {
        return Err(format!("a slice has three sizes, not {}", sizes.len()));
    }
    let is_wrapped = sizes.iter().all(|size| size % 4 == 0);
    let mut plan = if is_wrapped { torus(text)? } else { mesh(text)? };
    plan.rate = rate("ICI", 50.0);
    Ok(plan)
}

/// `rail:N,G,R`: accelerator g of every server is on rail g mod R, switch `s1.<g mod R>`; there is
/// no switch above the rails. Where G > R, the accelerators of a rail share the server's adapter to
/// it, switch `s2.<R i + r>` of server i. Speeds are those of a DGX H100: 450 GB/s to the NVSwitch
/// `s0.<i>`, 50 GB/s for each adapter. Source: Wang and others, "Rail-only: A Low-Cost
/// High-Performance Network for Training LLMs with Trillion Parameters"; NVIDIA, "DGX H100
/// datasheet".
pub fn rail(text: &str) -> Result<Plan, String> {
    let [n, g, r] = counts(text, ["N", "G", "R"])?;
    at_least(n, 2, "N")?;
    at_least(g, r, "G, which each rail shares,")?;
    fits(product(&[n, 2 * (2 * g + r)]))?;
    let mut plan = servers(format!("{n},{g},{r}"), n, g, 9);
    plan.rate = rate("NDR", 50.0);
    let rails = plan.switches(1, r);
    let shared = (g > r).then(|| plan.switches(2, n * r));
    for accelerator in 0..n * g {
        let (server, rail) = (accelerator / g, accelerator % g % r);
        match shared {
            // The link to the adapter is faster than the adapter.
            Some(adapters) => plan.link(accelerator, adapters + server * r + rail),
            None => plan.link(accelerator, rails + rail),
        }
    }
    for adapter in 0..shared.map_or(0, |_| n * r) {
        plan.link(shared.unwrap_or(0) + adapter, rails + adapter % r);
    }
    Ok(plan)
}

/// Servers of `each` accelerators, each linked to the switch of its server.
fn servers(params: String, n: u64, each: u64, width: u32) -> Plan {
    let mut plan = Plan::numbered(params, n * each);
    let first = plan.switches(0, n);
    (0..n * each).for_each(|gpu| plan.wide_link(gpu, first + gpu / each, width));
    plan
}

/// Joins the accelerators of a server, the first of which is `first`.
fn join(plan: &mut Plan, first: u64, links: &[(u32, &[(u64, u64)])], unit: u32) {
    for &(width, pairs) in links {
        pairs.iter().for_each(|&(a, b)| plan.wide_link(first + a, first + b, unit * width));
    }
}

/// What a channel of capacity 1 carries in one direction.
fn rate(name: &str, gigabytes: f64) -> Option<Rate> {
    Some(Rate { name: name.into(), bytes_per_second: gigabytes * 1e9 })
}
