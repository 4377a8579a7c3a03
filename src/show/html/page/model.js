// The data of the page, and what follows from it: who sends what in which step, and the load of links.
const data = JSON.parse(document.getElementById('data').textContent);
const { names, spots, channels, bands, transfers } = data;
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

// By step and link, the transfers over it: a map a step, since most links of a large network are idle.
const loads = [];
const total = new Float64Array(linkCount);
let channelSteps = 0, longest = 0;
for (let step = 0; step < stepCount; step++) {
  const load = new Map();
  for (let t = firstOf(step); t < transfers.ends[step]; t++) {
    const path = pathOf(t);
    longest = Math.max(longest, path.length);
    channelSteps += path.length;
    for (const c of path) {
      const link = channels.link[c];
      load.set(link, (load.get(link) || 0) + 1);
      total[link]++;
    }
  }
  loads.push(load);
}
let capacity = 0;
for (let link = 0; link < linkCount; link++) capacity += linkCapacity(link);
const usedIn = step => {
  let used = 0;
  for (const count of loads[step].values()) used += count;
  return used;
};

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

// What is chosen: the step, the filters, the transfer that is pointed at.
const state = { step: 0, mode: 'paths', source: -1, destination: -1, link: -1, pointed: -1, chosen: -1 };
const isShown = t =>
  (state.source < 0 || data.sources[transfers.source[t]] === state.source) &&
  (state.destination < 0 || receiverOf(t) === state.destination) &&
  (state.link < 0 || pathOf(t).some(c => channels.link[c] === state.link));
const isFiltered = () => state.source >= 0 || state.destination >= 0 || state.link >= 0;
// The transfers of the step that pass the filters.
const shown = () => {
  const list = [];
  for (let t = firstOf(state.step); t < transfers.ends[state.step]; t++) if (isShown(t)) list.push(t);
  return list;
};
const count = (n, word) => n.toLocaleString('en') + ' ' + word + (n === 1 ? '' : 's');
const percent = part => (100 * part).toFixed(part === 1 || part === 0 ? 0 : 1) + ' %';
