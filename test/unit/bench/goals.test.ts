import { expect, test } from '@jest/globals';
import { type GoalResult, goals, toGoalTable } from '../../../bench/goals.ts';

const figure = 'warm server CPU of get, against the usual build';
const resultOf = (row: string, share: number): GoalResult => ({
  figure,
  row,
  measured: `${(share * 2).toFixed(2)}×`,
  shares: [share],
});
const rowsOf = (table: string, name: string = figure) =>
  table
    .split('\n')
    .filter((line) => line.startsWith(`| ${name} |`))
    .map((line) => line.split(' | ').slice(1, -1));

test('a goal has all of its rows, the worst first', () => {
  const results = [
    resultOf('1 invoice', 0.96),
    resultOf('10,000 invoices', 1.01),
    resultOf('100,000 invoices', 1),
  ];
  expect(rowsOf(toGoalTable('', results, '2027-01-31'))).toEqual([
    ['10,000 invoices', '≤ 2×', '2.02×', 'no', '2027-01-31'],
    ['100,000 invoices', '≤ 2×', '2.00×', 'yes', '2027-01-31'],
    ['1 invoice', '≤ 2×', '1.92×', 'yes', '2027-01-31'],
  ]);
});

test('rows that miss a goal equally are in the order of their other values', () => {
  const list = (row: string, units: number): GoalResult => ({
    figure: 'list at 10,000,000 invoices',
    row,
    measured: '',
    shares: [units / 600, 3 / 3],
  });
  const table = toGoalTable('', [list('first', 54), list('second', 62)], '2027-01-31');
  expect(rowsOf(table, 'list at 10,000,000 invoices').map(([row]) => row)).toEqual(['second', 'first']);
});

test('a goal that was not measured again keeps its rows, and another one loses the rows of before', () => {
  const other = 'server CPU a delivery';
  const results = [resultOf('1 invoice', 0.5), resultOf('10,000 invoices', 0.6)];
  const delivery: GoalResult = { figure: other, row: '50 events/s', measured: '3.0 ms', shares: [0.4] };
  const before = toGoalTable('', [...results, delivery], '2027-01-31');
  const after = toGoalTable(before, [resultOf('100 invoices', 0.7)], '2027-02-28');
  expect(rowsOf(after)).toEqual([['100 invoices', '≤ 2×', '1.40×', 'yes', '2027-02-28']]);
  expect(rowsOf(after, other)).toEqual(rowsOf(before, other));
  expect(toGoalTable(after, [], '2027-03-31')).toBe(after);
});

test('a goal that nobody has measured says so', () => {
  const table = toGoalTable('', [], '2027-01-31');
  for (const [name, { goal }] of Object.entries(goals))
    expect(rowsOf(table, name)).toEqual([['', goal, 'not measured yet', '', '']]);
});
