/** Tests how tables use the width of a terminal. */
import { expect, test } from '@jest/globals';
import { renderTextTable } from '../../../cli/table.ts';

const id = `inv_${'7'.repeat(20)}`;
const payment = `pay_${'3'.repeat(20)}`;
const table = {
  headers: ['INVOICE', 'STATUS', 'AMOUNT', 'PAYMENT', 'CREATED', 'DESCRIPTION'],
  rows: [[id, 'pending', 'Nu. 2,500.00', payment, '2027-01-31T12:00:00.000Z', 'A design for the website']],
};
const render = (width: number | undefined) => renderTextTable(table, { width, colors: false }).split('\n');

test('without a terminal, all cells are complete', () => {
  const [, row] = render(undefined);
  expect(row).toBe(table.rows[0]?.join('  '));
});

test('a terminal that is wide enough shows complete cells', () => {
  expect(render(200)).toEqual(render(undefined));
});

test('free text is narrowed before times, and IDs, statuses and amounts are complete', () => {
  expect(render(115)[1]).toBe(
    `${id}  pending  Nu. 2,500.00  ${payment}  2027-01-31T12:00:00.000Z  A design for …`,
  );
  const [header, row] = render(100);
  expect(row).toBe(`${id}  pending  Nu. 2,500.00  ${payment}  2027-01-31T12:00…  A des…`);
  expect(header).toMatch(/^INVOICE .* DESCR…$/);
});

test('if the columns do not fit, each record becomes a block of complete values', () => {
  const { headers, rows } = table;
  const two = { headers, rows: [...rows, ...rows] };
  const blocks = renderTextTable(two, { width: 60, colors: false }).split('\n\n');
  expect(blocks).toHaveLength(2);
  expect(blocks[0]?.split('\n')).toEqual(
    headers.map((header, column) => `${header.padEnd(13)}${rows[0]?.[column]}`),
  );
});

test('a list without records shows its columns on any terminal', () => {
  expect(renderTextTable({ ...table, rows: [] }, { width: 10, colors: false })).toMatch(/^INVOICE/);
});
