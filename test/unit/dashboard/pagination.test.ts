/** Tests which pages of a list have links. Takes less than a second. */
import { expect, test } from '@jest/globals';
import type { ListOrder } from '../../../shared/store/lists/pages/index-view.ts';
import { renderPagination } from '../../../shared/web/dashboard/elements.ts';

/** Returns the numbers, gaps and links that are shown for a list with 20 rows a page. */
function shownAt(offset: number, total: number, order?: ListOrder): string {
  const shown = Math.max(0, Math.min(20, total - offset));
  const orders = order && { is: order, linkToOther: '?other' };
  const markup = String(
    renderPagination({ offset, limit: 20, shown, total }, (to) => `?offset=${to}`, orders),
  );
  const [, other] = /<a href="\?other">([^<]*)</.exec(markup) ?? [];
  expect(other).toBe(order && (order === 'oldest' ? 'Newest first' : 'Oldest first'));
  const [, buttons = ''] = /<span class="buttons">([\s\S]*)<\/span>/.exec(markup) ?? [];
  return buttons
    .replace(/<a href="\?offset=(\d+)"[^>]*>([^<]*)<\/a>/g, ' $2:$1')
    .replace(/<strong aria-current="page"[^>]*>(\d+)<\/strong>/g, ' [$1]')
    .replace(/<span class="soft">…<\/span>/g, ' …')
    .trim();
}

test('a list with the oldest records first leads to older ones before, and to newer ones after', () => {
  expect(shownAt(20, 60, 'oldest')).toBe('Older:0 1:0 [2] 3:40 Newer:40');
  expect(shownAt(20, 60, 'newest')).toBe('Newer:0 1:0 [2] 3:40 Older:40');
});

test.each([
  [0, 0, ''],
  [0, 20, ''],
  [0, 21, '[1] 2:20 Older:20'],
  [20, 21, 'Newer:0 1:0 [2]'],
  [0, 1_000, '[1] 2:20 … 50:980 Older:20'],
  [500, 1_000, 'Newer:480 1:0 … 25:480 [26] 27:520 … 50:980 Older:520'],
  [980, 1_000, 'Newer:960 1:0 … 49:960 [50]'],
  // Rows that do not begin with a page, and a page behind the last one.
  [7, 1_000, 'Newer:0 Older:27'],
  [1_000, 1_000, 'Newer:980'],
])('offset %p of %p: %s', (offset, total, shown) => {
  expect(shownAt(offset, total)).toBe(shown);
});
