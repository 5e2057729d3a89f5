/**
 * Draws the diagrams of `docs/operate/costs.md` as SVG: groups of bars, and lines. They need no library and no script.
 *
 * - They follow the light or dark setting of the reader, and text is text, so it can be searched and read aloud.
 * - The title and the description are the first elements, where screen readers look for them.
 */

/** One line, or the bars of one color. */
interface Series {
  readonly name: string;
  /** One value for each label. Undefined if it was not measured. */
  readonly values: readonly (number | undefined)[];
}

export interface Diagram {
  /** The name of the file without its folder, for example `load-time.svg`. */
  readonly file: string;
  readonly title: string;
  /** The same content in words. */
  readonly description: string;
  readonly kind: 'bars' | 'stacked bars' | 'lines';
  /** The name and unit of the vertical axis. */
  readonly axis: string;
  /** A logarithmic axis shows values of very different sizes. */
  readonly isLogarithmic?: boolean;
  readonly labels: readonly string[];
  readonly series: readonly Series[];
}

const width = 720;
const height = 400;
const plot = { left: 70, right: 20, top: 104, bottom: 48 };
const plotWidth = width - plot.left - plot.right;
const plotHeight = height - plot.top - plot.bottom;
const colors = ['#2f6fde', '#e07b00', '#2a9d63', '#b0459e', '#8a6d3b', '#5b7083', '#c0392b', '#7a7a7a'];
const style = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .title { font-size: 16px; font-weight: 600; }
  .grid { stroke: #d0d7de; }
  .background { fill: #ffffff; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .grid { stroke: #3d444d; }
    .background { fill: #0d1117; }
  }`;

interface Scale {
  readonly ticks: readonly number[];
  /** Returns the vertical position of a value. */
  readonly y: (value: number) => number;
}

/** Draws a diagram. Returns the text of its SVG file. */
export function drawDiagram(diagram: Diagram): string {
  const { title, description, kind, axis } = diagram;
  const scale = scaleOf(diagram);
  const content = kind === 'lines' ? drawLines(diagram, scale) : drawBars(diagram, scale);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title description">
<title id="title">${escapeText(title)}</title>
<desc id="description">${escapeText(description)}</desc>
<style>${style}
</style>
<rect class="background" width="${width}" height="${height}"/>
${label(plot.left, 24, title, 'start', 'title')}
${label(plot.left, 44, axis)}
${drawLegend(diagram.series)}
${scale.ticks.map((tick) => drawTick(tick, scale.y(tick))).join('\n')}
${diagram.labels.map((text, index) => label(centerOf(diagram, index), height - plot.bottom + 22, text, 'middle')).join('\n')}
${content}
</svg>
`;
}

function scaleOf({ kind, isLogarithmic, labels, series }: Diagram): Scale {
  const tops =
    kind === 'stacked bars'
      ? labels.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0))
      : series.flatMap(({ values }) => values.filter((value) => value !== undefined));
  const top = Math.max(...tops, 0) || 1;
  const at = (share: number) => height - plot.bottom - share * plotHeight;
  if (isLogarithmic) {
    const lowest = Math.floor(Math.log10(Math.min(...tops.filter((value) => value > 0))));
    const highest = Math.max(lowest + 1, Math.ceil(Math.log10(top)));
    const ticks = Array.from({ length: highest - lowest + 1 }, (_, index) => 10 ** (lowest + index));
    return { ticks, y: (value) => at((Math.log10(value) - lowest) / (highest - lowest)) };
  }
  const step = stepOf(top);
  const ticks = Array.from({ length: Math.ceil(top / step) + 1 }, (_, index) => index * step);
  return { ticks, y: (value) => at(value / (ticks.at(-1) ?? top)) };
}

/** The distance of the ticks: 1, 2 or 5 times a power of ten, so that there are at most six. */
function stepOf(top: number): number {
  const power = 10 ** Math.floor(Math.log10(top / 5));
  return power * ([1, 2, 5].find((factor) => factor * power >= top / 5) ?? 10);
}

const slotOf = ({ labels }: Diagram) => plotWidth / labels.length;
const centerOf = (diagram: Diagram, index: number) => plot.left + (index + 0.5) * slotOf(diagram);
const colorOf = (index: number) => colors[index % colors.length];

function drawBars(diagram: Diagram, { y }: Scale): string {
  const { kind, labels, series } = diagram;
  const isStacked = kind === 'stacked bars';
  const group = slotOf(diagram) * 0.7;
  const bar = isStacked ? Math.min(group, 90) : Math.min(group / series.length, 60);
  const bars = labels.flatMap((_, slot) => {
    let below = 0;
    return series.map(({ values }, index) => {
      const value = values[slot];
      if (value === undefined) return '';
      const left = centerOf(diagram, slot) + (isStacked ? -bar / 2 : (index - series.length / 2) * bar);
      const bottom = isStacked ? y(below) : height - plot.bottom;
      const top = y(isStacked ? below + value : value);
      below += value;
      const box = `<rect x="${round(left)}" y="${round(top)}" width="${round(bar * 0.94)}" height="${round(Math.max(0, bottom - top))}" fill="${colorOf(index)}"/>`;
      return isStacked ? box : `${box}\n${label(left + bar * 0.47, top - 5, shorten(value), 'middle')}`;
    });
  });
  const totals = labels.map((_, slot) => series.reduce((sum, { values }) => sum + (values[slot] ?? 0), 0));
  const texts = totals.map((total, slot) =>
    label(centerOf(diagram, slot), y(total) - 5, shorten(total), 'middle'),
  );
  return [...bars, ...(isStacked ? texts : [])].filter((text) => text !== '').join('\n');
}

function drawLines(diagram: Diagram, { y }: Scale): string {
  return diagram.series
    .flatMap(({ values }, index) => {
      const points = values.flatMap((value, slot) =>
        value === undefined ? [] : [{ x: centerOf(diagram, slot), y: y(value), value }],
      );
      const path = points.map((point) => `${round(point.x)},${round(point.y)}`).join(' ');
      return [
        `<polyline points="${path}" fill="none" stroke="${colorOf(index)}" stroke-width="2.5"/>`,
        ...points.map(
          (point) => `<circle cx="${round(point.x)}" cy="${round(point.y)}" r="4" fill="${colorOf(index)}"/>`,
        ),
        ...points.map((point) => label(point.x, point.y - 10, shorten(point.value), 'middle')),
      ];
    })
    .join('\n');
}

/** Names the colors, in as many rows as needed. */
function drawLegend(series: readonly Series[]): string {
  if (series.length < 2) return '';
  let [left, top] = [plot.left, 58];
  return series
    .map(({ name }, index) => {
      const length = 34 + name.length * 7;
      if (left + length > width) [left, top] = [plot.left, top + 18];
      const entry = `<rect x="${round(left)}" y="${top}" width="11" height="11" fill="${colorOf(index)}"/>\n${label(left + 16, top + 10, name)}`;
      left += length;
      return entry;
    })
    .join('\n');
}

function drawTick(tick: number, y: number): string {
  const line = `<line class="grid" x1="${plot.left}" x2="${width - plot.right}" y1="${round(y)}" y2="${round(y)}"/>`;
  return `${line}\n${label(plot.left - 8, y + 4, shorten(tick), 'end')}`;
}

function label(x: number, y: number, text: string, anchor = 'start', name = ''): string {
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}"${name && ` class="${name}"`}>${escapeText(text)}</text>`;
}

/** A number with three significant digits, such as `1.23`, `556` or `12.5k`. */
function shorten(value: number): string {
  const format = (number: number) => String(Number(number.toPrecision(3)));
  if (value >= 1e6) return `${format(value / 1e6)}M`;
  return value >= 10_000 ? `${format(value / 1e3)}k` : format(value);
}

const round = (value: number) => Math.round(value * 10) / 10;

const escapeText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
