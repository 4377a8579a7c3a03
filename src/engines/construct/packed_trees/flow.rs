//! Maximum flows on small networks, by Dinic's algorithm on lists of arcs.

/// More than any capacity.
pub(super) const ENDLESS: i64 = i64::MAX / 4;

/// A network of arcs, each beside its reverse one.
#[derive(Clone, Default)]
pub(super) struct Flow {
    /// By arc, its end and what is left of its capacity.
    arcs: Vec<(usize, i64)>,
    /// By node, its arcs.
    out: Vec<Vec<usize>>,
    level: Vec<usize>,
    next: Vec<usize>,
}

impl Flow {
    pub fn new(nodes: usize) -> Self {
        Flow { out: vec![Vec::new(); nodes], ..Flow::default() }
    }

    pub fn arc(&mut self, from: usize, to: usize, capacity: i64) {
        if capacity > 0 {
            self.out[from].push(self.arcs.len());
            self.arcs.push((to, capacity));
            self.out[to].push(self.arcs.len());
            self.arcs.push((from, 0));
        }
    }

    /// The flow from one node to another, which takes its capacity; no more than `most` is sought.
    pub fn most(&mut self, source: usize, sink: usize, most: i64) -> i64 {
        let mut flow = 0;
        while flow < most && self.layer(source, sink) {
            self.next = vec![0; self.out.len()];
            loop {
                let more = self.push(source, sink, most - flow);
                if more == 0 {
                    break;
                }
                flow += more;
            }
        }
        flow
    }

    /// Finds the distances of all nodes from the source; whether the sink has one.
    fn layer(&mut self, source: usize, sink: usize) -> bool {
        self.level = vec![usize::MAX; self.out.len()];
        self.level[source] = 0;
        let mut queue = vec![source];
        let mut at = 0;
        while let Some(&v) = queue.get(at) {
            at += 1;
            for &arc in &self.out[v] {
                let (to, left) = self.arcs[arc];
                if left > 0 && self.level[to] == usize::MAX {
                    self.level[to] = self.level[v] + 1;
                    queue.push(to);
                }
            }
        }
        self.level[sink] < usize::MAX
    }

    /// A flow along one path of arcs that lead away from the source.
    fn push(&mut self, v: usize, sink: usize, most: i64) -> i64 {
        if v == sink || most == 0 {
            return most;
        }
        while let Some(&arc) = self.out[v].get(self.next[v]) {
            let (to, left) = self.arcs[arc];
            if left > 0 && self.level[to] == self.level[v] + 1 {
                let pushed = self.push(to, sink, most.min(left));
                if pushed > 0 {
                    self.arcs[arc].1 -= pushed;
                    self.arcs[arc ^ 1].1 += pushed;
                    return pushed;
                }
            }
            self.next[v] += 1;
        }
        0
    }
}
