// The fill of every step, and the heat map of links over steps. Both are ways to a step.
const fill = document.getElementById('fill'), heat = document.getElementById('heat');
const tallest = 480;
let rows = [];

const orderRows = () => {
  rows = Array.from({ length: linkCount }, (_, link) => link);
  const part = link => whole.total[link] / linkCapacity(link);
  if (document.getElementById('order').value === 'load') rows.sort((a, b) => part(b) - part(a) || a - b);
};

const plot = { left: 46, right: 8 };
const columnAt = (canvas, x) => {
  const width = canvas.clientWidth - plot.left - plot.right;
  const step = Math.floor(((x - plot.left) / width) * stepCount);
  return step >= 0 && step < stepCount ? step : -1;
};
const scaleOf = width => (width - plot.left - plot.right) / stepCount;
// Marks of steps below a chart, as many as fit.
const drawAxis = (g, width, y) => {
  const unit = scaleOf(width), most = Math.max(1, (width - plot.left) / 46);
  const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 50000].find(e => stepCount / e <= most) || stepCount;
  g.fillStyle = ink.soft;
  g.font = '11px system-ui, sans-serif';
  g.textAlign = 'center';
  for (let s = 0; s < stepCount; s++) {
    if ((s + 1) % every === 0 || (s === 0 && every < 3)) g.fillText(data.steps[s], plot.left + (s + 0.5) * unit, y);
  }
};
const drawCursor = (g, width, top, height) => {
  const unit = scaleOf(width);
  g.strokeStyle = ink.accent;
  g.lineWidth = 2;
  g.strokeRect(plot.left + state.step * unit, top, Math.max(unit, 2), height);
};

const drawFill = () => {
  const { g, width } = prepare(fill, 118), high = 88, top = 6, unit = scaleOf(width);
  g.strokeStyle = ink.edge;
  g.fillStyle = ink.soft;
  g.font = '11px system-ui, sans-serif';
  g.textAlign = 'right';
  for (const part of [0, 0.5, 1]) {
    const y = top + high * (1 - part);
    g.lineWidth = 1;
    g.beginPath();
    g.moveTo(plot.left, y);
    g.lineTo(width - plot.right, y);
    g.stroke();
    g.fillText(100 * part + ' %', plot.left - 6, y + 4);
  }
  for (let s = 0; s < stepCount; s++) {
    const gap = unit > 4 ? 1 : 0;
    for (const use of isNarrowed() ? [whole, hits] : [whole]) {
      const part = capacity ? use.used[s] / capacity : 0, h = high * Math.min(part, 1);
      g.fillStyle = use !== hits ? ink.faded : part > 1.0001 ? ink.over : s === state.step ? ink.accent : ink.ramp[40];
      g.fillRect(plot.left + s * unit + gap, top + high - h, Math.max(unit - 2 * gap, 0.6), h);
    }
  }
  drawCursor(g, width, top, high);
  drawAxis(g, width, top + high + 16);
};

// The heat map is drawn once, and the cursor above it at every step.
let map = null, mapKey = '';
const heatSize = () => {
  const row = Math.max(1, Math.min(14, Math.floor(tallest / linkCount) || 1));
  return { row, high: Math.max(1, Math.min(tallest, row * linkCount)) };
};
const paintMap = (width, high) => {
  const bins = Math.min(linkCount, high), columns = Math.max(1, Math.min(stepCount, Math.floor(width)));
  const sums = new Float64Array(bins * columns), sizes = new Float64Array(bins * columns);
  rows.forEach((link, i) => {
    const bin = Math.floor((i * bins) / linkCount), size = linkCapacity(link);
    for (let s = 0; s < stepCount; s++) sizes[bin * columns + Math.floor((s * columns) / stepCount)] += size;
  });
  const place = new Int32Array(linkCount);
  rows.forEach((link, i) => { place[link] = Math.floor((i * bins) / linkCount); });
  for (let s = 0; s < stepCount; s++) {
    const column = Math.floor((s * columns) / stepCount);
    for (const [link, load] of hits.loads[s]) sums[place[link] * columns + column] += load;
  }
  map = document.createElement('canvas');
  [map.width, map.height] = [columns, bins];
  const g = map.getContext('2d');
  for (let i = 0; i < sums.length; i++) {
    g.fillStyle = heatColour(sums[i] / (sizes[i] || 1));
    g.fillRect(i % columns, Math.floor(i / columns), 1, 1);
  }
};
const drawHeat = () => {
  const { high, row } = heatSize(), { g, width } = prepare(heat, high + 30), top = 4;
  const key = [width, high, ink.hot, document.getElementById('order').value, hitsKey].join();
  if (key !== mapKey) paintMap(width - plot.left - plot.right, high);
  mapKey = key;
  g.imageSmoothingEnabled = false;
  if (linkCount && stepCount) g.drawImage(map, plot.left, top, width - plot.left - plot.right, high);
  // Lines between cells that are large enough.
  g.strokeStyle = ink.card;
  g.lineWidth = 1;
  g.beginPath();
  if (row >= 6) for (let i = 1; i < linkCount; i++) { g.moveTo(plot.left, top + i * row); g.lineTo(width - plot.right, top + i * row); }
  const unit = scaleOf(width);
  if (unit >= 6) for (let s = 1; s < stepCount; s++) { g.moveTo(plot.left + s * unit, top); g.lineTo(plot.left + s * unit, top + high); }
  g.stroke();
  g.fillStyle = ink.soft;
  g.font = '11px system-ui, sans-serif';
  g.textAlign = 'right';
  g.fillText('links', plot.left - 6, top + 10);
  const at = rows.indexOf(state.link);
  if (at >= 0) {
    g.strokeStyle = ink.accent;
    g.lineWidth = 1.5;
    g.strokeRect(plot.left, top + (at * high) / linkCount, width - plot.left - plot.right, Math.max(high / linkCount, 2));
  }
  drawCursor(g, width, top, high);
  drawAxis(g, width, top + high + 18);
};
const linkAt = y => {
  const { high } = heatSize(), i = Math.floor(((y - 4) / high) * linkCount);
  return i >= 0 && i < linkCount ? rows[i] : -1;
};
