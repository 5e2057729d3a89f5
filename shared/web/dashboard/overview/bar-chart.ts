/**
 * Draws bars as SVG, without a script. Pure.
 *
 * - Colors come from the classes of the stylesheet, so the chart follows the color scheme.
 * - The page shows the same numbers in a table. So screen readers get a title for the chart, and not each bar.
 */
import { html } from 'hono/html';
import type { Markup } from '../../pages/markup.ts';

/** The bars of one place of the chart. Values are from 0 on. */
interface BarGroup {
  readonly label: string;
  readonly bars: readonly { readonly value: number; readonly title: string }[];
}

/** The size in the units of the drawing, which fill the width of a phone. */
const width = 420;
const height = 190;
const plot = { left: 66, right: 8, top: 8, bottom: 28 };
/** What a group leaves free, as a part of its width. */
const gap = 0.28;

/**
 * Draws groups of bars.
 * @param id is unique within the page
 * @param title says what the chart shows, for screen readers
 * @param format returns the text of a value at the axis
 */
export function renderBarChart(
  id: string,
  title: string,
  groups: readonly BarGroup[],
  format: (value: number) => string,
): Markup {
  const ticks = niceTicks(Math.max(0, ...groups.flatMap(({ bars }) => bars.map(({ value }) => value))));
  const top = ticks.at(-1) ?? 1;
  const plotHeight = height - plot.top - plot.bottom;
  const y = (value: number) => round(plot.top + plotHeight * (1 - value / top));
  const groupWidth = (width - plot.left - plot.right) / Math.max(1, groups.length);
  const lines = ticks.map(
    (tick) =>
      html`<line class="grid-line" x1="${plot.left}" x2="${width - plot.right}" y1="${y(tick)}" y2="${y(tick)}"></line><text class="tick" text-anchor="end" x="${plot.left - 8}" y="${round(y(tick) + 4)}">${format(tick)}</text>`,
  );
  const drawn = groups.map(({ label, bars }, index) => {
    const left = plot.left + index * groupWidth;
    const barWidth = (groupWidth * (1 - gap)) / Math.max(1, bars.length);
    const rects = bars.map(
      ({ value, title: name }, place) =>
        html`<rect class="bar-${place + 1}" x="${round(left + (groupWidth * gap) / 2 + place * barWidth)}" width="${round(barWidth)}" y="${y(value)}" height="${round(y(0) - y(value))}"><title>${name}</title></rect>`,
    );
    return html`${rects}<text class="tick" text-anchor="middle" x="${round(left + groupWidth / 2)}" y="${height - 8}">${label}</text>`;
  });
  return html`<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}"><title id="${id}">${title}</title>${lines}${drawn}</svg>`;
}

/**
 * Returns the ticks of an axis from 0 on: at most six, with steps of 1, 2 or 5 times a power of ten. The last one is not below `max`.
 * @param max 0 or more
 */
export function niceTicks(max: number): readonly number[] {
  if (max <= 0) return [0, 1];
  const power = 10 ** Math.floor(Math.log10(max / 5));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => max / size <= 5) ?? max;
  const count = Math.ceil(max / step);
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

const round = (value: number): number => Math.round(value * 100) / 100;
