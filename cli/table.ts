/** Tables as text: aligned, as wide as the terminal at most, with colours where there are any. */
import { styleText } from 'node:util';
import { visibleLine } from './visible.ts';

/** With `heads`, a list of alike things; without, the name and value of each row. */
export interface Table {
  readonly heads?: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Where it is shown. */
export interface Paper {
  /** Columns of the terminal; undefined: as many as it takes. */
  readonly width: number | undefined;
  readonly colours: boolean;
}

const gap = 2;
/** Columns that may be cut; ids, states and amounts are, where nothing else is left, and the first column never. */
const freeText = ['CUSTOMER', 'DESCRIPTION', 'REASON', 'NAME', 'URL', 'EVENTS', 'PERMISSIONS'];
const readable = 8;
/** What whoever reads the table decides by. */
const whole = ['STATUS', 'RULE'];

type Colour = 'green' | 'yellow' | 'red';

/** The colours of states, where a column or row of that name shows them. */
const colours: readonly (readonly [Colour, readonly string[]])[] = [
  ['green', ['active', 'enabled', 'paid', 'completed', 'processed', 'succeeded', 'open']],
  ['yellow', ['pending', 'skipped', 'expired', 'closing']],
  ['red', ['overdue', 'failed', 'disabled', 'revoked', 'closed']],
];

/** The table as lines. What stands in a cell cannot act on the terminal. */
export function renderTable({ heads, rows }: Table, { width, colours: hasColours }: Paper): string {
  const all = [...(heads ? [heads] : []), ...rows].map((row) => row.map(visibleLine));
  const natural: number[] = [];
  for (const row of all) {
    for (const [column, cell] of row.entries()) {
      natural[column] = Math.max(natural[column] ?? 0, widthOf(cell));
    }
  }
  // The values of a single thing are shown whole, in as many lines as the terminal needs.
  const widths = heads && width !== undefined ? fitted(heads, natural, width) : natural;
  const lines = all.map((row, place) =>
    row
      .map((cell, column) => {
        const shown = cut(cell, widths[column] ?? 0);
        const padding = ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(shown)));
        const isHead = heads ? place === 0 : column === 0;
        const style = hasColours ? styleOf(cell, isHead, heads ? heads[column] : row[0]) : undefined;
        return (style ? styleText(style, shown, { validateStream: false }) : shown) + padding;
      })
      .join(' '.repeat(gap))
      .trimEnd(),
  );
  return lines.join('\n');
}

/** @param name what the cell is the value of */
function styleOf(cell: string, isHead: boolean, name = ''): Colour | 'bold' | undefined {
  if (isHead) return 'bold';
  if (!/(^|\.)status$/i.test(name)) return undefined;
  return colours.find(([, words]) => words.includes(cell))?.[0];
}

/** Takes what is too much from free text, the last column first, and only then from the others. */
function fitted(heads: readonly string[], natural: readonly number[], width: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, each) => sum + each + gap, -gap) - width;
  const places = [...widths.keys()].slice(1).reverse();
  const texts = places.filter((column) => freeText.includes(heads[column] ?? ''));
  const takeFrom = (column: number, least: number) => {
    const present = widths[column] ?? 0;
    const taken = Math.max(0, Math.min(excess, present - least));
    widths[column] = present - taken;
    excess -= taken;
  };
  for (const column of texts) takeFrom(column, readable);
  const others = places.filter((column) => !whole.includes(heads[column] ?? ''));
  for (const column of [...texts, ...others]) takeFrom(column, 1);
  return widths;
}

const graphemes = new Intl.Segmenter();
const wide =
  /^(\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])/u;

/** How many columns a terminal takes to show a text. */
function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}

function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let shown = '';
  let left = width - 1;
  for (const { segment } of graphemes.segment(text)) {
    left -= widthOf(segment);
    if (left < 0) break;
    shown += segment;
  }
  return `${shown}…`;
}
