// The player, the filters, the keys and the pointer.
const empty = stepCount === 0;
let timer = 0;

const draw = () => {
  if (empty) return;
  drawNetwork();
  drawFill();
  drawHeat();
};
// Changes what is chosen, and shows it.
const choose = change => {
  Object.assign(state, { pointed: -1, chosen: -1 }, change);
  at('step').value = state.step + 1;
  const name = v => (v < 0 ? '' : names[v]);
  if (document.activeElement !== at('source')) at('source').value = name(state.source);
  if (document.activeElement !== at('destination')) at('destination').value = name(state.destination);
  if (document.activeElement !== at('link')) at('link').value = state.link < 0 ? '' : linkName(state.link);
  at('mode').value = state.mode;
  if (empty) return;
  findHits();
  writeList();
  writeLegend();
  writeFollowed();
  draw();
  showTip('');
};
const go = step => choose({ step: Math.max(0, Math.min(stepCount - 1, step)) });
// To the next step with a transfer that passes the filters; after the last the first.
const seek = by => {
  for (let k = 1; k <= stepCount; k++) {
    const step = (state.step + by * k + stepCount * k) % stepCount;
    if (hits.counts[step]) return go(step);
  }
};

const stop = () => {
  clearInterval(timer);
  timer = 0;
  at('sign').setAttribute('d', 'M4 2.5v11L13.5 8z');
  at('play').setAttribute('aria-label', 'Play');
};
const play = () => {
  if (timer || stepCount < 2) return stop();
  if (state.step === stepCount - 1) go(0);
  at('sign').setAttribute('d', 'M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z');
  at('play').setAttribute('aria-label', 'Pause');
  timer = setInterval(() => (state.step === stepCount - 1 ? stop() : go(state.step + 1)), Number(at('speed').value));
};
at('speed').onchange = () => { if (timer) { stop(); play(); } };
at('first').onclick = () => go(0);
at('back').onclick = () => go(state.step - 1);
at('next').onclick = () => go(state.step + 1);
at('last').onclick = () => go(stepCount - 1);
at('play').onclick = play;
at('step').oninput = event => go(Number(event.target.value) - 1);
at('mode').onchange = event => choose({ mode: event.target.value });
at('order').onchange = () => { orderRows(); draw(); };

const vertexNamed = new Map(names.map((name, v) => [name, v]));
const linkNamed = new Map(channels.first.map((_, link) => [linkName(link), link]));
const filter = (id, known) => {
  at(id).oninput = event => {
    const text = event.target.value.trim(), found = known.has(text) ? known.get(text) : -1;
    event.target.classList.toggle('wrong', text !== '' && found < 0);
    choose({ [id]: found });
  };
};
filter('source', vertexNamed);
filter('destination', vertexNamed);
filter('link', linkNamed);
const clear = () => {
  for (const id of ['source', 'destination', 'link']) {
    at(id).value = '';
    at(id).classList.remove('wrong');
  }
  choose({ source: -1, destination: -1, link: -1, message: -1 });
};
at('hit').onclick = () => seek(1);
at('clear').onclick = clear;

// The list: arrows choose a transfer, whose message is followed.
const list = at('list');
list.tabIndex = 0;
const point = t => {
  state.pointed = t;
  drawNetwork();
};
list.onmouseover = event => {
  const li = event.target.closest('li[data-transfer]');
  if (li) point(Number(li.dataset.transfer));
};
list.onmouseleave = () => point(-1);
const follow = t => {
  const top = list.scrollTop;
  choose({ chosen: t, message: t });
  list.scrollTop = top;
  const li = list.querySelector('.chosen');
  if (li) li.scrollIntoView({ block: 'nearest' });
};
list.onclick = event => {
  const li = event.target.closest('li[data-transfer]');
  follow(!li || li.classList.contains('chosen') ? -1 : Number(li.dataset.transfer));
};
list.onkeydown = event => {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  event.preventDefault();
  event.stopPropagation();
  const items = [...list.querySelectorAll('li[data-transfer]')];
  const now = items.findIndex(li => li.classList.contains('chosen'));
  const next = event.key === 'ArrowDown' ? Math.min(now + 1, items.length - 1) : Math.max(now - 1, 0);
  if (items[next]) follow(Number(items[next].dataset.transfer));
};

const keys = {
  ArrowLeft: () => go(state.step - 1), ArrowRight: () => go(state.step + 1), Home: () => go(0), End: () => go(stepCount - 1),
  ' ': play, Escape: clear, n: () => seek(1), p: () => seek(-1), '+': () => zoom(1.25), '=': () => zoom(1.25), '-': () => zoom(0.8), 0: fitView,
  w: () => move(0, 40), s: () => move(0, -40), a: () => move(40, 0), d: () => move(-40, 0),
};
const move = (x, y) => {
  view.x += x;
  view.y += y;
  view.fitted = false;
};
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || empty) return;
  const { target, key } = event, tag = target.tagName;
  // Fields and menus need their keys themselves; a button has the space bar.
  if (key === 'Escape' ? false : tag === 'SELECT' || (tag === 'INPUT' && target.type !== 'range')) return;
  if ((tag === 'BUTTON' && key === ' ') || (tag === 'INPUT' && key !== ' ' && key !== 'Escape')) return;
  const act = keys[key.length === 1 ? key.toLowerCase() : key];
  if (!act) return;
  event.preventDefault();
  act();
  drawNetwork();
});
at('in').onclick = () => { zoom(1.25); drawNetwork(); };
at('out').onclick = () => { zoom(0.8); drawNetwork(); };
at('fit').onclick = () => { fitView(); drawNetwork(); };
network.addEventListener('wheel', event => {
  if (!event.ctrlKey && !event.metaKey) return;
  event.preventDefault();
  zoom(event.deltaY < 0 ? 1.15 : 0.87, event.offsetX, event.offsetY);
  drawNetwork();
}, { passive: false });

let drag = null;
network.onpointerdown = event => {
  drag = { x: event.clientX, y: event.clientY, moved: false };
  network.setPointerCapture(event.pointerId);
};
network.onpointerup = event => {
  const clicked = drag && !drag.moved;
  drag = null;
  network.classList.remove('drag');
  if (!clicked || empty) return;
  const found = near(event.offsetX, event.offsetY);
  if (found.vertex !== undefined) choose({ source: state.source === found.vertex ? -1 : found.vertex });
  else if (found.channel !== undefined) {
    const link = channels.link[found.channel];
    choose({ link: state.link === link ? -1 : link });
  } else follow(found.transfer === undefined || found.transfer === state.chosen ? -1 : found.transfer);
};
network.onpointermove = event => {
  if (empty) return;
  if (drag) {
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    if (!drag.moved && Math.hypot(dx, dy) < 4) return;
    drag = { x: event.clientX, y: event.clientY, moved: true };
    network.classList.add('drag');
    move(dx, dy);
    return drawNetwork();
  }
  const found = near(event.offsetX, event.offsetY), pointed = found.transfer === undefined ? -1 : found.transfer;
  if (pointed !== state.pointed) point(pointed);
  if (found.vertex !== undefined) showTip(tipOfVertex(found.vertex), event);
  else if (pointed >= 0) showTip(tipOfTransfer(pointed), event);
  else showTip(found.channel === undefined ? '' : tipOfLink(channels.link[found.channel], state.step), event);
};
network.onpointerleave = () => {
  showTip('');
  if (state.pointed >= 0) point(-1);
};

const chart = (canvas, tipAt, click) => {
  canvas.onpointermove = event => {
    const step = columnAt(canvas, event.offsetX);
    showTip(step < 0 ? '' : tipAt(step, event.offsetY), event);
  };
  canvas.onpointerleave = () => showTip('');
  canvas.onclick = event => {
    const step = columnAt(canvas, event.offsetX);
    if (step >= 0) click(step, event.offsetY);
  };
};
chart(fill, step => unit + ' ' + data.steps[step] + '\n' + count(transfers.ends[step] - firstOf(step), 'transfer') + '\n'
  + percent(capacity ? whole.used[step] / capacity : 0) + ' of all channels'
  + (isNarrowed() ? '\nof the selection: ' + hits.counts[step].toLocaleString('en') : ''), go);
chart(heat, (step, y) => (linkAt(y) < 0 ? '' : tipOfLink(linkAt(y), step)), (step, y) => choose({ step, link: linkAt(y) }));
fill.setAttribute('aria-label', 'Bars: the share of channels that is busy in each ' + unit);
heat.setAttribute('aria-label', 'Heat map: the load of each link in each ' + unit);

// `#step=3&mode=all` in the address opens the page there.
const fromAddress = () => {
  const words = new URLSearchParams(location.hash.slice(1)), change = {};
  const step = data.steps.indexOf(Number(words.get('step')));
  if (step >= 0) change.step = step;
  if (['paths', 'load', 'all'].includes(words.get('mode'))) change.mode = words.get('mode');
  for (const id of ['source', 'destination']) if (vertexNamed.has(words.get(id))) change[id] = vertexNamed.get(words.get(id));
  if (linkNamed.has(words.get('link'))) change.link = linkNamed.get(words.get('link'));
  return change;
};

readColours();
orderRows();
at('step').max = Math.max(stepCount, 1);
writeHead();
if (empty) at('status').textContent = 'The schedule has no ' + unit + 's.';
choose(fromAddress());
window.addEventListener('hashchange', () => choose(fromAddress()));
new ResizeObserver(draw).observe(document.querySelector('main'));
dark.addEventListener('change', () => {
  readColours();
  choose({});
});
