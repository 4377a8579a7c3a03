// The words of the page: facts, the list of transfers, tips. Names are set as text, never as markup.
const element = (tag, text, parent, style) => {
  const e = document.createElement(tag);
  e.textContent = text;
  if (style) e.className = style;
  if (parent) parent.append(e);
  return e;
};
const at = id => document.getElementById(id);

const writeHead = () => {
  at('title').textContent = data.title;
  const best = data.bounds.reduce((a, b) => (a && a.steps >= b.steps ? a : b), null);
  const verdict = at('verdict');
  const steps = element('b', count(data.all_steps, unit), verdict);
  if (best && data.all_steps === best.steps) {
    steps.textContent += ', optimal';
    verdict.append(best.certified ? ': no schedule under its rules has fewer (' + best.name + ' bound)' : ' (by ' + best.name + ')');
  } else if (best) verdict.append(', ' + (data.all_steps - best.steps) + ' above the lower bound of ' + best.steps + ' (' + best.name + ')');
  verdict.append('; ' + data.model);
  const facts = at('facts');
  const fact = (name, value, id, style) => {
    const box = element('div', '', facts);
    element('dt', name, box);
    const dd = element('dd', value, box, style);
    if (id) dd.id = id;
  };
  const part = stepCount === data.all_steps ? '' : ' shown of ' + data.all_steps;
  fact(unit + 's', stepCount + part, 'total-steps');
  fact('transfers', transferCount.toLocaleString('en'), 'total-transfers');
  fact('channel-' + unit + 's', channelSteps.toLocaleString('en'), 'total-channel-steps');
  fact('fill', percent(capacity && stepCount ? channelSteps / capacity / stepCount : 0), 'total-fill');
  fact('longest path', String(longest), 'longest-path');
  fact('vertices', (data.vertices.terminal.length - data.vertices.broken.filter(b => b).length).toLocaleString('en'), 'total-vertices');
  fact('channels', channels.from.length.toLocaleString('en'), 'total-channels');
  if (data.method) fact('found by', data.method, 'method', 'text');
  if (data.faults.length) {
    const few = data.faults.slice(0, 12).join(', ');
    at('faults').textContent = 'Broken: ' + few + (data.faults.length > 12 ? ', and ' + (data.faults.length - 12) + ' more' : '');
    at('faults').hidden = false;
  }
  at('made').textContent = data.program ? 'Made by ' + data.program + '.' : '';
  const list = (id, texts) => at(id).append(...texts.slice(0, 3000).map(text => {
    const option = document.createElement('option');
    option.value = text;
    return option;
  }));
  list('senders', data.sources.map(v => names[v]));
  const receivers = new Set();
  for (let t = 0; t < transferCount; t++) receivers.add(receiverOf(t));
  list('receivers', [...receivers].sort((a, b) => a - b).map(v => names[v]));
  list('links', channels.first.map((_, link) => linkName(link)));
  at('heatnote').textContent = count(linkCount, 'link');
};

const mostListed = 300;
const writeList = () => {
  const list = shown(), items = list.slice(0, mostListed).map(t => {
    const li = document.createElement('li');
    li.dataset.transfer = t;
    li.style.borderLeftColor = sourceColour(t);
    element('b', messageName(t, brief), li);
    const bytes = lengths.has(t) ? ', ' + count(lengths.get(t), 'byte') : '';
    element('span', pathNames(t, brief) + bytes, li);
    li.title = tipOfTransfer(t);
    li.className = t === state.chosen ? 'chosen' : isFollowed(t) ? 'followed' : '';
    return li;
  });
  if (list.length > mostListed) {
    items.push(element('li', 'and ' + count(list.length - mostListed, 'more transfer'), null, 'more'));
  }
  at('list').replaceChildren(...items);
  const all = transfers.ends[state.step] - firstOf(state.step);
  const words = isFiltered() ? list.length.toLocaleString('en') + ' of ' + count(all, 'transfer') : count(all, 'transfer');
  const used = whole.used[state.step];
  at('status').textContent = unit[0].toUpperCase() + unit.slice(1) + ' ' + data.steps[state.step] + ': ' + words + ', ' + used.toLocaleString('en') + ' of '
    + count(capacity, 'channel') + ' busy (' + percent(capacity ? used / capacity : 0) + ')';
  const started = data.started ? ', in step ' + data.started[state.step] : '';
  at('where').textContent = unit + ' ' + data.steps[state.step] + ' of ' + data.all_steps + started;
  at('fillnote').textContent = unit + ' ' + data.steps[state.step] + ' ' + percent(capacity ? used / capacity : 0);
  network.setAttribute('aria-label', 'The network. ' + at('status').textContent);
};

// Who has the message that is followed.
const writeFollowed = () => {
  const holding = holders(), line = at('followed');
  line.hidden = state.message < 0;
  line.replaceChildren();
  if (state.message < 0) return;
  element('i', '', line).style.background = sourceColour(state.message);
  const name = data.joins ? 'the sum' : messageName(state.message);
  const parts = holding ? [...holding.held.values()] : [], full = parts.filter(part => part === 1).length;
  const incoming = holding ? holding.receives.size : 0, rest = parts.length - full;
  line.append(name + (!holding ? '' : (holding.isSum ? ' is complete at ' : ' is at ') + full + (full === 1 ? ' vertex' : ' vertices')
    + (rest ? ', in part at ' + rest : '') + (incoming ? '; this ' + unit + ' brings it to ' + incoming : '')));
};

const rampOf = () => 'linear-gradient(90deg,' + [0, 16, 32, 48, 64].map(i => ink.ramp[i]).join() + ')';
const writeLegend = () => {
  at('ramp').style.background = rampOf();
  const legend = at('legend');
  legend.replaceChildren();
  if (state.mode !== 'paths') {
    legend.append('idle ');
    element('i', '', legend, 'ramp').style.background = rampOf();
    legend.append('full');
    return;
  }
  legend.append('Colour: source');
  if (data.sources.length > 16) return;
  data.sources.forEach((v, i) => {
    const button = element('button', '', legend);
    const mark = element('i', '', button);
    mark.style.background = ink.sources[i];
    button.append(names[v]);
    button.setAttribute('aria-pressed', String(state.source === v));
    button.title = 'Only messages of ' + names[v];
    button.onclick = () => choose({ source: state.source === v ? -1 : v });
  });
};

const tipOfTransfer = t => 'message ' + messageName(t) + '\n' + pathNames(t);
const tipOfVertex = v => {
  let sends = 0, receives = 0;
  for (let t = firstOf(state.step); t < transfers.ends[state.step]; t++) {
    sends += transfers.from[t] === v;
    receives += transfers.to[t] === v;
  }
  const process = data.vertices.process[v], holding = holders();
  const kind = data.vertices.broken[v] ? 'broken' : process >= 0 ? 'process ' + process
    : data.vertices.terminal[v] ? 'terminal that takes no part' : 'switch';
  const part = holding && holding.held.get(v) || 0;
  const has = !holding ? '' : '\n' + (part === 1 ? 'has ' : part ? percent(part) + ' of the addends of ' : 'does not have ') + messageName(state.message);
  return names[v] + ' (' + kind + ')\nthis ' + unit + ': sends ' + sends + ', receives ' + receives + has;
};
const tipOfLink = (link, step) => {
  const load = whole.loads[step].get(link) || 0, idle = whole.loads.reduce((n, map) => n + !map.has(link), 0);
  const own = isNarrowed() ? ', of the selection ' + (hits.loads[step].get(link) || 0) : '';
  return linkName(link) + '\n' + unit + ' ' + data.steps[step] + ': ' + load + ' of ' + linkCapacity(link) + own
    + '\nall ' + unit + 's: ' + percent(whole.total[link] / linkCapacity(link) / stepCount) + ', idle in ' + idle;
};
const showTip = (text, event) => {
  const tip = at('tip');
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 6)) + 'px';
  tip.style.top = (event.clientY + 18 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 18) + 'px';
};
