/**
 * Renders tables as text: with aligned columns, at most as wide as the terminal, and with colors on a terminal.
 * - Only a terminal has a width, so output in a pipe is complete.
 * - IDs, statuses and amounts are never truncated, because the reader needs their exact value.
 * - If the terminal is too narrow for the columns, each record becomes a block with a line for each field.
 */
import { styleText } from 'node:util';
import { escapeToOneLine } from './escape-control-characters.ts';

/** With `headers`: a list with one item per row. Without: one item, with the name and value of a field per row. */
export interface TextTable {
  readonly headers?: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** What the output device can show. */
export interface TerminalCapabilities {
  /** The width in columns; undefined: unlimited. */
  readonly width: number | undefined;
  readonly colors: boolean;
}

const columnGap = 2;
/** The columns that are truncated first. Other columns follow only if necessary. */
const freeTextColumns = ['CUSTOMER', 'DESCRIPTION', 'REASON', 'NAME', 'URL', 'EVENTS', 'PERMISSIONS'];
/** The smallest width of a column of free text. */
const minTextWidth = 6;
/** The smallest width of other columns, which shows the day of a time. */
const minOtherWidth = 11;
/** The columns that are never truncated. The first column and columns of IDs are not truncated either. */
const fullColumns = ['STATUS', 'RULE', 'AMOUNT', 'MODE'];
const idPattern = /^[a-z]+_[0-9A-Za-z]+$/;

type Color = 'green' | 'yellow' | 'red';

/** The color of each status, in columns and rows with the name `status`. */
const statusColors: readonly (readonly [Color, readonly string[]])[] = [
  ['green', ['active', 'enabled', 'paid', 'completed', 'processed', 'succeeded', 'open']],
  ['yellow', ['pending', 'skipped', 'expired', 'closing']],
  ['red', ['overdue', 'failed', 'disabled', 'revoked', 'closed']],
];

/** Renders the table as lines. Control characters in cells are escaped. */
export function renderTextTable({ headers, rows }: TextTable, capabilities: TerminalCapabilities): string {
  const { width, colors: hasColors } = capabilities;
  const all = [...(headers ? [headers] : []), ...rows].map((row) => row.map(escapeToOneLine));
  const natural: number[] = [];
  for (const row of all) {
    for (const [column, cell] of row.entries()) {
      natural[column] = Math.max(natural[column] ?? 0, widthOf(cell));
    }
  }
  // The values of a single item are never truncated. The terminal wraps long lines.
  const fitted = headers && width !== undefined ? fitWidths(headers, rows, natural, width) : natural;
  if (headers && !fitted && rows.length > 0) {
    const blocks = rows.map((row) => headers.map((header, column) => [header, row[column] ?? '']));
    return blocks.map((block) => renderTextTable({ rows: block }, capabilities)).join('\n\n');
  }
  const widths = fitted ?? natural;
  const lines = all.map((row, index) =>
    row
      .map((cell, column) => {
        const columnWidth = widths[column] ?? 0;
        const shown = truncate(cell, columnWidth);
        const padding = ' '.repeat(Math.max(0, columnWidth - widthOf(shown)));
        const isHeader = headers ? index === 0 : column === 0;
        const style = hasColors ? styleOf(cell, isHeader, headers ? headers[column] : row[0]) : undefined;
        return (style ? styleText(style, shown, { validateStream: false }) : shown) + padding;
      })
      .join(' '.repeat(columnGap))
      .trimEnd(),
  );
  return lines.join('\n');
}

/** @param name the header of the cell's column, or the name of its row */
function styleOf(cell: string, isHeader: boolean, name = ''): Color | 'bold' | undefined {
  if (isHeader) return 'bold';
  if (!/(^|\.)status$/i.test(name)) return undefined;
  return statusColors.find(([, statuses]) => statuses.includes(cell))?.[0];
}

/**
 * Returns widths that fit into `width`. Narrows the columns of free text first, from the last to the first. Returns undefined
 * if the columns do not fit.
 */
function fitWidths(
  headers: readonly string[],
  rows: TextTable['rows'],
  natural: readonly number[],
  width: number,
): number[] | undefined {
  const widths = [...natural];
  let excess = widths.reduce((sum, each) => sum + each + columnGap, -columnGap) - width;
  const isFull = (column: number) =>
    fullColumns.includes(headers[column] ?? '') || rows.some((row) => idPattern.test(row[column] ?? ''));
  const isText = (column: number) => freeTextColumns.includes(headers[column] ?? '');
  const columns = [...widths.keys()].slice(1).reverse();
  const narrow = (column: number, minWidth: number) => {
    const current = widths[column] ?? 0;
    const removed = Math.max(0, Math.min(excess, current - minWidth));
    widths[column] = current - removed;
    excess -= removed;
  };
  for (const column of columns.filter(isText)) narrow(column, minTextWidth);
  for (const column of columns.filter((each) => !isText(each) && !isFull(each)))
    narrow(column, minOtherWidth);
  return excess > 0 ? undefined : widths;
}

const graphemes = new Intl.Segmenter();
const wide =
  /^(\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])/u;

/** Returns the number of terminal columns that a text needs. */
function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}

function truncate(text: string, width: number): string {
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
