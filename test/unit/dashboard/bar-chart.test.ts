/** Tests the charts of the overview. */
import { expect, test } from '@jest/globals';
import { niceTicks, renderBarChart } from '../../../shared/web/dashboard/overview/bar-chart.ts';

test.each([
  [0, [0, 1]],
  [1, [0, 0.2, 0.4, 0.6000000000000001, 0.8, 1]],
  [7, [0, 2, 4, 6, 8]],
  [100, [0, 20, 40, 60, 80, 100]],
  [1_234, [0, 500, 1_000, 1_500]],
  [99_999, [0, 20_000, 40_000, 60_000, 80_000, 100_000]],
])('the ticks up to %d are round', (max, ticks) => {
  expect(niceTicks(max)).toEqual(ticks);
});

test('at most six ticks reach every maximum', () => {
  for (let max = 1; max < 1e13; max = Math.ceil(max * 1.37)) {
    const ticks = niceTicks(max);
    expect(ticks.length).toBeLessThanOrEqual(6);
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(max);
  }
});

test('a chart has a bar for each value, in proportion, and escapes its texts', () => {
  const bars = [
    { value: 50, title: '<b>' },
    { value: 100, title: 'all' },
  ];
  const svg = String(renderBarChart('id', 'Money & more', [{ label: 'Nov', bars }], String));
  const heights = [...svg.matchAll(/<rect[^>]* height="([\d.]+)"/g)].map(([, height]) => Number(height));
  expect(heights).toEqual([77, 154]);
  expect(svg).toContain('<title id="id">Money &amp; more</title>');
  expect(svg).toContain('<title>&lt;b&gt;</title>');
});
