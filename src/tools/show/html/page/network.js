// The network: links as bands, paths in lanes on the right, vertices, and what the pointer is near.
const network = document.getElementById('network');
// More paths than this are a tangle: links are coloured by load instead, until filters leave fewer.
const mostPaths = 4000;
const view = { scale: 1, x: 0, y: 0, fitted: true, width: 0, height: 0 };
const sx = x => x * view.scale + view.x, sy = y => y * view.scale + view.y;
const worldX = x => (x - view.x) / view.scale, worldY = y => (y - view.y) / view.scale;

const fitView = () => {
  const [w, h] = data.size;
  // The buttons on the right cover no vertex.
  const width = view.width - 34;
  view.scale = Math.min((width - 12) / w, (view.height - 12) / h, 2.1);
  view.x = (width - w * view.scale) / 2;
  view.y = (view.height - h * view.scale) / 2;
  view.fitted = true;
};
const zoom = (factor, x = view.width / 2, y = view.height / 2) => {
  factor = Math.min(40, Math.max(0.02, view.scale * factor)) / view.scale;
  view.x = x - (x - view.x) * factor;
  view.y = y - (y - view.y) * factor;
  view.scale *= factor;
  view.fitted = false;
};

// The way of the transfer that is at this place among those on the channel: start, control, end.
const way = (c, place) => {
  const from = channels.from[c], to = channels.to[c], control = channels.control[c];
  const ax = spots.x[from], ay = spots.y[from], bx = spots.x[to], by = spots.y[to];
  const lane = channels.lane[c], width = channels.slots[c];
  const shift = channels.shift[c] + (Math.min(place + 0.5, width) - width / 2) * lane;
  const mx = control ? control[0] : (ax + bx) / 2, my = control ? control[1] : (ay + by) / 2;
  const unit = (x, y) => { const l = Math.hypot(x, y) || 1; return [x / l, y / l]; };
  const [ox, oy] = unit(mx - ax, my - ay), [ix, iy] = unit(bx - mx, by - my), [cx, cy] = unit(bx - ax, by - ay);
  const r = data.radius;
  return [ax - oy * shift + ox * r, ay + ox * shift + oy * r,
    control ? [mx - cy * shift, my + cx * shift] : null,
    bx - iy * shift - ix * r, by + ix * shift - iy * r, ix, iy];
};

// Ways of the shown transfers: for drawing, and to find the one near the pointer.
let ways = [];
const findWays = list => {
  const taken = new Map();
  // Lanes count all transfers of the step, so that filters do not move paths.
  const all = new Set(list);
  ways = [];
  for (let t = firstOf(state.step); t < transfers.ends[state.step]; t++) {
    const parts = [];
    for (const c of pathOf(t)) {
      const place = taken.get(c) || 0;
      taken.set(c, place + 1);
      if (all.has(t)) parts.push([c, way(c, place)]);
    }
    if (all.has(t)) ways.push([t, parts]);
  }
};

const trace = (g, w) => {
  g.moveTo(sx(w[0]), sy(w[1]));
  if (w[2]) g.quadraticCurveTo(sx(w[2][0]), sy(w[2][1]), sx(w[3]), sy(w[4]));
  else g.lineTo(sx(w[3]), sy(w[4]));
};
const drawPath = (g, parts, colour, wide) => {
  if (!parts.length) return;
  const lane = Math.min(5, ...parts.map(([c]) => channels.lane[c]));
  const width = Math.max(lane * 0.72 * view.scale, 1.4) * wide;
  g.strokeStyle = g.fillStyle = colour;
  g.lineWidth = width;
  const last = parts[parts.length - 1][1], tip = Math.max(7 * view.scale, 3.4 * Math.sqrt(width) + 2.5);
  const ex = sx(last[3]), ey = sy(last[4]), bx = ex - last[5] * tip, by = ey - last[6] * tip;
  g.beginPath();
  parts.forEach(([c, w], i) => {
    if (i === 0) g.moveTo(sx(w[0]), sy(w[1]));
    else g.quadraticCurveTo(sx(spots.x[channels.from[c]]), sy(spots.y[channels.from[c]]), sx(w[0]), sy(w[1]));
    const [x, y] = w === last ? [bx, by] : [sx(w[3]), sy(w[4])];
    if (w[2]) g.quadraticCurveTo(sx(w[2][0]), sy(w[2][1]), x, y);
    else g.lineTo(x, y);
  });
  g.stroke();
  const half = tip * 0.48;
  g.beginPath();
  g.moveTo(ex, ey);
  g.lineTo(bx - last[6] * half, by + last[5] * half);
  g.lineTo(bx + last[6] * half, by - last[5] * half);
  g.fill();
};

const drawBands = g => {
  g.lineCap = 'round';
  for (let b = 0; b < bands.from.length; b++) {
    const from = bands.from[b], to = bands.to[b], control = bands.control[b], broken = bands.broken[b];
    g.strokeStyle = broken ? ink.broken : ink.band;
    g.lineWidth = broken ? Math.max(2.5 * view.scale, 1.5) : Math.max(bands.width[b] * view.scale, 1);
    g.setLineDash(broken ? [6, 5] : []);
    g.beginPath();
    g.moveTo(sx(spots.x[from]), sy(spots.y[from]));
    if (control) g.quadraticCurveTo(sx(control[0]), sy(control[1]), sx(spots.x[to]), sy(spots.y[to]));
    else g.lineTo(sx(spots.x[to]), sy(spots.y[to]));
    g.stroke();
  }
  g.setLineDash([]);
  g.lineCap = 'butt';
};

// Every channel in the colour of its load: in the step, or over all steps.
const drawLoads = (g, ofLink) => {
  for (let c = 0; c < channels.from.length; c++) {
    const part = ofLink(channels.link[c]);
    if (!part) continue;
    const middle = way(c, (channels.slots[c] - 1) / 2);
    g.strokeStyle = heatColour(part);
    g.lineWidth = Math.max(channels.lane[c] * channels.slots[c] * 0.8 * view.scale, 1.4);
    g.beginPath();
    trace(g, middle);
    g.stroke();
  }
};

// Around a vertex: how much of the message that is followed it has, and whether it receives it.
const drawHolding = (g, x, y, r, part, receives) => {
  g.strokeStyle = sourceColour(state.message);
  g.lineWidth = Math.max(3 * view.scale, 2);
  for (const [from, to, dash] of [[0, part, []], [receives ? part : 1, 1, [3, 3]]]) {
    if (from === to) continue;
    g.setLineDash(dash);
    g.beginPath();
    g.arc(x, y, r + g.lineWidth + 0.5, 2 * Math.PI * (from - 0.25), 2 * Math.PI * (to - 0.25));
    g.stroke();
  }
  g.setLineDash([]);
};

const drawVertices = (g, marked) => {
  const holding = holders();
  const r = Math.max(data.radius * view.scale - 0.5, 3);
  g.textAlign = 'center';
  const room = 64 * view.scale;
  for (let i = 0; i < spots.vertex.length; i++) {
    const v = spots.vertex[i], x = sx(spots.x[i]), y = sy(spots.y[i]);
    if (x < -40 || y < -40 || x > view.width + 40 || y > view.height + 40) continue;
    const broken = data.vertices.broken[v], terminal = data.vertices.terminal[v];
    const part = holding && !broken ? holding.held.get(v) || 0 : 0;
    const own = holding ? (part === 1 ? sourceColour(state.message) : ink.node)
      : colourOfName.has(v) ? ink.sources[colourOfName.get(v)] : ink.node;
    g.fillStyle = broken ? ink.box : terminal ? own : ink.box;
    g.strokeStyle = broken ? ink.broken : marked.has(v) ? ink.ink : terminal ? ink.card : ink['box-edge'];
    g.lineWidth = marked.has(v) ? 3 : r < 6 ? 0.8 : 1.6;
    g.beginPath();
    if (terminal) g.arc(x, y, r, 0, 7);
    else if (g.roundRect) g.roundRect(x - r * 0.92, y - r * 0.92, r * 1.84, r * 1.84, r * 0.3);
    else g.rect(x - r * 0.92, y - r * 0.92, r * 1.84, r * 1.84);
    g.fill();
    g.stroke();
    if (holding) drawHolding(g, x, y, r, part, holding.receives.has(v));
    const label = data.vertices.label[v], fits = Math.min(r * ([0.95, 0.95, 0.95, 0.75, 0.62][label.length] || 0), 20);
    const inside = fits >= 5.5, size = inside ? fits : label.length > 4 ? 10.5 : 9;
    if (!inside && Math.max(label.length, 3) * size * 0.55 > room && !marked.has(v)) continue;
    g.font = (inside ? '600 ' : '') + size + 'px system-ui, sans-serif';
    if (inside) {
      g.fillStyle = terminal && !broken ? ink['node-ink'] : ink.ink;
      g.fillText(label, x, y + size * 0.36);
    } else {
      g.lineWidth = 3;
      g.strokeStyle = ink.card;
      g.fillStyle = ink.ink;
      g.strokeText(label, x, y + r + size);
      g.fillText(label, x, y + r + size);
    }
  }
};

const drawNetwork = () => {
  const width = network.clientWidth, aspect = data.size[1] / data.size[0];
  const low = Math.max(280, Math.min(width * 0.75, window.innerHeight * 0.62, 680));
  const height = Math.round(Math.min(low, Math.max(280, width * aspect * 1.02)));
  const { g } = prepare(network, height);
  if (view.width !== width || view.height !== height) {
    Object.assign(view, { width, height });
    if (view.fitted) fitView();
  }
  const list = shown(), tangled = state.mode === 'paths' && list.length > mostPaths;
  findWays(state.mode === 'paths' && !tangled ? list : []);
  drawBands(g);
  const part = link => (hits.loads[state.step].get(link) || 0) / linkCapacity(link);
  if (state.mode === 'all') drawLoads(g, link => hits.total[link] / linkCapacity(link) / stepCount);
  else if (state.mode === 'load' || tangled) drawLoads(g, part);
  const pointed = state.pointed >= 0 ? state.pointed : state.chosen;
  const some = ways.some(([t]) => t === pointed);
  const stands = t => (state.pointed >= 0 ? t === pointed : isFollowed(t));
  const fades = some || state.message >= 0;
  for (const [t, parts] of ways) if (!stands(t)) drawPath(g, parts, fades ? ink.faded : sourceColour(t), 1);
  for (const [t, parts] of ways) if (stands(t)) drawPath(g, parts, sourceColour(t), t === pointed ? 1.7 : 1.3);
  const marked = new Set([state.source, state.destination].filter(v => v >= 0));
  if (some) marked.add(transfers.from[pointed]).add(transfers.to[pointed]);
  drawVertices(g, marked);
  const note = document.getElementById('note');
  note.hidden = !tangled;
  note.textContent = tangled ? count(list.length, 'path') + ': links are coloured by load; a filter shows paths' : '';
};

// The distance from a point to a way.
const distanceTo = (w, x, y) => {
  let best = Infinity, px = w[0], py = w[1];
  const pieces = w[2] ? 10 : 1;
  for (let i = 1; i <= pieces; i++) {
    const t = i / pieces, u = 1 - t;
    const qx = w[2] ? u * u * w[0] + 2 * u * t * w[2][0] + t * t * w[3] : w[3];
    const qy = w[2] ? u * u * w[1] + 2 * u * t * w[2][1] + t * t * w[4] : w[4];
    const dx = qx - px, dy = qy - py, l = dx * dx + dy * dy || 1;
    const k = Math.max(0, Math.min(1, ((x - px) * dx + (y - py) * dy) / l));
    best = Math.min(best, Math.hypot(x - px - k * dx, y - py - k * dy));
    [px, py] = [qx, qy];
  }
  return best;
};
// What is near a point of the canvas: a vertex, a path, or a link.
const near = (mx, my) => {
  const x = worldX(mx), y = worldY(my), reach = 7 / view.scale;
  for (let i = 0; i < spots.vertex.length; i++) {
    if (Math.hypot(spots.x[i] - x, spots.y[i] - y) < Math.max(data.radius, reach)) return { vertex: spots.vertex[i] };
  }
  let best = { distance: Math.max(reach, 3) };
  for (const [t, parts] of ways) {
    for (const [, w] of parts) {
      const distance = distanceTo(w, x, y);
      if (distance < best.distance) best = { distance, transfer: t };
    }
  }
  if (best.transfer !== undefined) return best;
  for (let c = 0; c < channels.from.length; c++) {
    const distance = distanceTo(way(c, (channels.slots[c] - 1) / 2), x, y);
    if (distance < best.distance) best = { distance, channel: c };
  }
  return best.channel === undefined ? {} : best;
};
