// The data of the page, and what follows from it: who sends what in which step, and the load of links.
const data = JSON.parse(document.getElementById('data').textContent);
const { names, spots, channels, bands, transfers } = data;
// What an entry of the schedule is: a step, or a round of one.
const unit = data.unit;
const stepCount = data.steps.length;
const transferCount = transfers.source.length;
const linkCount = channels.first.length;
const firstOf = step => (step ? transfers.ends[step - 1] : 0);
const pathOf = t => transfers.path.slice(t ? transfers.path_end[t - 1] : 0, transfers.path_end[t]);
const vertexOf = spot => names[spots.vertex[spot]];
const copies = new Map(transfers.copy), lengths = new Map(transfers.bytes);
const pieces = new Map(transfers.piece), more = new Map(transfers.more), reduces = new Set(transfers.reduces);

const linkName = link => {
  const c = channels.first[link], arrow = channels.half_duplex[link] ? ' \u2014 ' : ' \u2192 ';
  return vertexOf(channels.from[c]) + arrow + vertexOf(channels.to[c]) + parallel[link];
};
const linkCapacity = link => channels.capacity[channels.first[link]];
// The number of a link among parallel ones, where there are some.
const parallel = (() => {
  const count = new Map(), seen = new Map(), key = c => channels.from[c] + ' ' + channels.to[c];
  for (const c of channels.first) count.set(key(c), (count.get(key(c)) || 0) + 1);
  return channels.first.map(c => {
    if (count.get(key(c)) === 1) return '';
    seen.set(key(c), (seen.get(key(c)) || 0) + 1);
    return ' #' + seen.get(key(c));
  });
})();

// The use of links by the transfers that pass a test. By step and link, the transfers over it: a map a
// step, since most links of a large network are idle.
const useOf = test => {
  const use = { loads: [], total: new Float64Array(linkCount), counts: [], used: [] };
  for (let step = 0; step < stepCount; step++) {
    const load = new Map();
    let count = 0, used = 0;
    for (let t = firstOf(step); t < transfers.ends[step]; t++) {
      if (!test(t)) continue;
      count++;
      for (const c of pathOf(t)) {
        const link = channels.link[c];
        load.set(link, (load.get(link) || 0) + 1);
        use.total[link]++;
        used++;
      }
    }
    use.loads.push(load);
    use.counts.push(count);
    use.used.push(used);
  }
  return use;
};
const whole = useOf(() => true);
const channelSteps = whole.used.reduce((a, b) => a + b, 0);
let capacity = 0, longest = 0;
for (let link = 0; link < linkCount; link++) capacity += linkCapacity(link);
for (let t = 0; t < transferCount; t++) longest = Math.max(longest, transfers.path_end[t] - (t ? transfers.path_end[t - 1] : 0));

// A name in full, and one that fits into the list.
const full = v => names[v];
const brief = v => (names[v].length > 18 && v < data.vertices.label.length ? data.vertices.label[v] : names[v]);
const messageName = (t, name = full) => {
  const from = name(data.sources[transfers.source[t]]), to = transfers.destination[t];
  const copy = copies.has(t) ? ' #' + copies.get(t) : '';
  const piece = pieces.has(t) ? ' / ' + pieces.get(t) : '';
  const others = more.has(t) ? ' and ' + more.get(t) + ' more' : '';
  return (reduces.has(t) ? '+' : '') + (to < 0 ? from : from + ' \u2192 ' + name(to) + copy) + piece + others;
};
// The receiver by which transfers are filtered: of a broadcast, the end of the transfer.
const receiverOf = t => (transfers.destination[t] < 0 ? transfers.to[t] : transfers.destination[t]);
const pathNames = (t, name = full) => {
  const path = pathOf(t), words = [name(transfers.from[t])];
  for (const c of path) words.push(name(spots.vertex[channels.to[c]]) + parallel[channels.link[c]]);
  return words.join(' \u2192 ');
};

// What is chosen: the step, the filters, the transfer that is pointed at or chosen, and a transfer of the
// message that is followed.
const state = { step: 0, mode: 'paths', source: -1, destination: -1, link: -1, pointed: -1, chosen: -1, message: -1 };
const isShown = t =>
  (state.source < 0 || data.sources[transfers.source[t]] === state.source) &&
  (state.destination < 0 || receiverOf(t) === state.destination) &&
  (state.link < 0 || pathOf(t).some(c => channels.link[c] === state.link));
const isFiltered = () => state.source >= 0 || state.destination >= 0 || state.link >= 0;
// Whether a transfer is one of the message that is followed. Where messages join, all are parts of one sum.
const isFollowed = t => state.message >= 0 && (data.joins || [transfers.source, transfers.destination].every(
  list => list[t] === list[state.message]) && [copies, pieces].every(map => map.get(t) === map.get(state.message)));
// What passes the filters, and is of the message that is followed: the charts show its use of links.
const isNarrowed = () => isFiltered() || state.message >= 0;
let hits = whole, hitsKey = '';
const findHits = () => {
  const key = [state.source, state.destination, state.link, state.message].join();
  if (key === hitsKey) return;
  hitsKey = key;
  hits = isNarrowed() ? useOf(t => isShown(t) && (state.message < 0 || isFollowed(t))) : whole;
};

// Who has the message that is followed when the step begins, by vertex the part of it that is there, and
// who receives it in the step. Each process has an addend of a sum, which is complete where all are. None
// without the steps before.
const holders = () => {
  if (state.message < 0 || data.steps.some((step, i) => step !== i + 1)) return null;
  const own = [...transfers.source.keys()].filter(isFollowed), isSum = data.sums || own.some(t => reduces.has(t));
  const processes = data.vertices.process.flatMap((process, v) => (process < 0 ? [] : [v]));
  const addends = isSum ? processes : [data.sources[transfers.source[state.message]]];
  const held = new Map(addends.map((v, i) => [v, 1n << BigInt(i)])), receives = new Set();
  let t = 0;
  for (let step = 0; step <= state.step; step++) {
    const from = t;
    while (t < own.length && own[t] < transfers.ends[step]) t++;
    const now = own.slice(from, t);
    if (step === state.step) now.forEach(t => receives.add(transfers.to[t]));
    else {
      const sent = now.map(t => [transfers.to[t], held.get(transfers.from[t]) || 0n]);
      // A message to one destination is in one place.
      for (const t of now) if (transfers.destination[t] >= 0 && !isSum) held.delete(transfers.from[t]);
      for (const [v, part] of sent) held.set(v, (held.get(v) || 0n) | part);
    }
  }
  const ones = part => part.toString(2).replaceAll('0', '').length;
  return { held: new Map([...held].map(([v, part]) => [v, ones(part) / addends.length])), receives, isSum };
};

// The transfers of the step that pass the filters.
const shown = () => {
  const list = [];
  for (let t = firstOf(state.step); t < transfers.ends[state.step]; t++) if (isShown(t)) list.push(t);
  return list;
};
const count = (n, word) => n.toLocaleString('en') + ' ' + word + (n === 1 ? '' : 's');
const percent = part => (100 * part).toFixed(part === 1 || part === 0 ? 0 : 1) + ' %';
