//! The up*/down* routes that annealing starts from, one destination after the other: down where all channels may lead
//! down, else up.

use super::super::super::walks::NONE;
use super::super::super::{Flow, by_destination};
use super::super::{Core, Pressure};
use super::{Acyclic, Fixed};
use crate::turns::Turns;
use crate::{ChannelId, VertexId};
use std::sync::Arc;

impl Acyclic {
    /// The trees for levels of all vertices; none if some flow has no such route.
    pub fn updown(core: &Core<'_>, flows: &[Flow], level: &[u32], target: u32) -> Option<Self> {
        let network = core.network;
        let number = |v: VertexId| core.number[v as usize];
        let ends: Vec<[u32; 2]> =
            network.channels().iter().map(|c| [number(c.from), number(c.to)]).collect();
        let is_inner = |c: &&ChannelId| {
            let channel = network.channel(**c);
            [channel.from, channel.to].iter().all(|&v| core.link[v as usize].is_none())
        };
        let lists = |of: &dyn Fn(VertexId) -> Vec<ChannelId>| {
            core.vertices.iter().map(|&v| of(v)).collect::<Vec<_>>()
        };
        let out = lists(&|v| network.outgoing(v).iter().filter(is_inner).copied().collect());
        let into = lists(&|v| network.incoming(v).iter().filter(is_inner).copied().collect());
        let groups: Vec<&[Flow]> = by_destination(flows).collect();
        let goals: Vec<u32> = groups.iter().map(|group| number(group[0].to)).collect();
        let width = core.len();
        let choices = (0..groups.len() * width)
            .filter(|entry| {
                entry % width != goals[entry / width] as usize && out[entry % width].len() > 1
            })
            .map(|entry| entry as u32)
            .collect();
        let fixed = Arc::new(Fixed { out, into, ends, goals, choices });
        let mut trees = Acyclic {
            fixed,
            width,
            next: vec![NONE; groups.len() * width],
            through: vec![0; groups.len() * width],
            turns: Turns::new(network),
            pressure: Pressure::new(network, target),
            met: vec![0; width],
            moves: 0,
            falls: Vec::new(),
            rises: Vec::new(),
            lost: Vec::new(),
            gained: Vec::new(),
        };
        let place = |v: u32| {
            let v = core.vertices[v as usize];
            (level[v as usize], v)
        };
        let mut order: Vec<u32> = (0..width as u32).collect();
        order.sort_by_key(|&v| place(v));
        for (tree, group) in groups.iter().enumerate() {
            trees.build(core, tree, group, &order, &place)?;
        }
        Some(trees)
    }

    /// Builds the tree of a destination. The vertices are in order, the highest first.
    fn build<K: Ord>(
        &mut self,
        core: &Core<'_>,
        tree: usize,
        group: &[Flow],
        order: &[u32],
        place: &impl Fn(u32) -> K,
    ) -> Option<()> {
        let Acyclic { fixed, width, next, through, turns, pressure, .. } = self;
        let at = |v: u32| tree * *width + v as usize;
        // Hops going down alone, and going down as soon as that is possible.
        let mut hops = vec![[u32::MAX; 2]; *width];
        hops[fixed.goals[tree] as usize] = [0, 0];
        let choose = |v: u32, hops: &[[u32; 2]], is_down: bool, pressure: &Pressure| {
            let leads = fixed.out[v as usize].iter().filter(|c| {
                let to = fixed.ends[**c as usize][1];
                (place(to) > place(v)) == is_down
            });
            let behind = |c: &ChannelId| {
                let of = hops[fixed.ends[*c as usize][1] as usize];
                if is_down { of[0] } else { of[1] }
            };
            let least = leads.clone().map(behind).min().filter(|&hops| hops != u32::MAX)?;
            let cheapest = leads
                .filter(|c| behind(c) == least)
                .min_by(|a, b| pressure.rise(**a, 1.0).total_cmp(&pressure.rise(**b, 1.0)));
            cheapest.map(|&c| (c, least + 1))
        };
        let goal = fixed.goals[tree];
        // Down: the lowest first, as a vertex asks those below it.
        for &v in order.iter().rev().filter(|v| **v != goal) {
            if let Some((c, far)) = choose(v, &hops, true, pressure) {
                next[at(v)] = c;
                hops[v as usize] = [far, far];
            }
        }
        for &v in order {
            if hops[v as usize][1] == u32::MAX
                && let Some((c, far)) = choose(v, &hops, false, pressure)
            {
                next[at(v)] = c;
                hops[v as usize][1] = far;
            }
        }
        for flow in group {
            let ([first, last], messages) =
                ([flow.from, flow.to].map(|v| core.link[v as usize]), flow.messages);
            let links = first.map(|link| link[0]).into_iter().chain(last.map(|link| link[1]));
            links.for_each(|c| pressure.add(c, messages));
            let mut v = core.number[flow.from as usize];
            let mut before = None;
            let mut is_new = false;
            while v != goal {
                let c = next[at(v)];
                if c == NONE {
                    return None;
                }
                // The turn after a channel is counted with the first message over it.
                if let Some(before) = before.filter(|_| is_new)
                    && !turns.add(before, c)
                {
                    return None;
                }
                is_new = through[at(v)] == 0;
                through[at(v)] += messages;
                pressure.add(c, messages);
                before = Some(c);
                v = fixed.ends[c as usize][1];
            }
        }
        Some(())
    }
}
