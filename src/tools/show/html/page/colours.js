// The colours of the style sheet, read again when the browser turns light or dark.
const dark = matchMedia('(prefers-color-scheme: dark)');
let ink = {};
const readColours = () => {
  const style = getComputedStyle(document.documentElement);
  const words = 'card ink soft edge accent band node node-ink box box-edge broken cool hot over faded page';
  ink = Object.fromEntries(words.split(' ').map(w => [w, style.getPropertyValue('--' + w).trim()]));
  ink.sources = dark.matches ? data.dark : data.light;
  const [cool, hot] = [ink.cool, ink.hot].map(hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16)));
  // 64 shades from idle to full.
  ink.ramp = Array.from({ length: 65 }, (_, i) =>
    'rgb(' + cool.map((c, k) => Math.round(c + (hot[k] - c) * Math.pow(i / 64, 0.85))) + ')');
};
// More than full is a conflict.
const heatColour = part => (part > 1.0001 ? ink.over : ink.ramp[part > 0 ? Math.max(8, Math.round(part * 64)) : 0]);
const sourceColour = t => ink.sources[transfers.source[t]];
// By vertex, the colour of its messages.
const colourOfName = new Map(data.sources.map((name, i) => [name, i]));

// A canvas as sharp as the screen; its height in pixels of the page.
const prepare = (canvas, height) => {
  const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth;
  canvas.style.height = height + 'px';
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const g = canvas.getContext('2d');
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  return { g, width, height };
};
