/** Tests on which days all records of a page are compared. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isPageDue } from '../../../shared/operations/reconciliation/full-schedule.ts';

const dayMs = 86_400_000;
const first = Date.parse('2027-01-01');
const dayOf = (number: number) => new Date(first + number * dayMs).toISOString().slice(0, 10);
const pageOf = (page: number) => ({ account: 'acct_1', mode: 'test', resource: 'invoice', page }) as const;

/** The days, up to `end`, on which a page is due that last changed on day `changed`. Comparisons run on all other days. */
function dueDays(page: number, changed: number, end: number, missed: readonly number[] = []): number[] {
  const due: number[] = [];
  let since = changed;
  for (let day = changed + 1; day <= end; day++) {
    if (missed.includes(day)) continue;
    const days = { since: dayOf(since), day: dayOf(day) };
    if (isPageDue(pageOf(page), first + changed * dayMs, days)) due.push(day);
    since = day;
  }
  return due;
}

/** The period of a page that has been quiet for so many days. */
const periodAfter = (quiet: number) => [168, 84].find((days) => quiet >= days) ?? 28;

test('a page is due every 28 days for 84 days after its last change, and then in periods of 84 and 168 days', () => {
  fc.assert(
    fc.property(fc.nat(5_000), fc.integer({ min: 1, max: 1_000 }), (page, changed) => {
      const days = dueDays(page, changed, changed + 1_500);
      for (const [index, day] of days.entries())
        expect(day - (days[index - 1] ?? changed)).toBeLessThanOrEqual(periodAfter(day - changed));
      for (const period of [28, 84, 168]) {
        const ofPeriod = days.filter((day) => periodAfter(day - changed) === period);
        expect(new Set(ofPeriod.map((day) => day % period)).size).toBeLessThanOrEqual(1);
      }
      expect(days.filter((day) => day < changed + 84).length).toBeGreaterThanOrEqual(2);
      expect(days.filter((day) => day >= changed + 84).length).toBeLessThanOrEqual(1 + 8);
    }),
  );
});

test('a page without a digest is due every 28 days', () => {
  fc.assert(
    fc.property(fc.nat(5_000), fc.nat(1_000), (page, start) => {
      const isDue = (day: number) =>
        isPageDue(pageOf(page), 0, { since: dayOf(start + day), day: dayOf(start + day + 1) });
      expect(Array.from({ length: 280 }, (_, day) => day).filter(isDue)).toHaveLength(10);
    }),
  );
});

test('if no comparison ends on the day of a page, the next one reads it', () => {
  fc.assert(
    fc.property(fc.nat(5_000), fc.integer({ min: 1, max: 1_000 }), fc.nat(5), (page, changed, length) => {
      const days = dueDays(page, changed, changed + 83);
      const [due = 0] = days;
      const missed = Array.from({ length: length + 1 }, (_, later) => due + later);
      expect(dueDays(page, changed, changed + 83, missed)).toEqual(
        days.map((day) => (missed.includes(day) ? due + length + 1 : day)),
      );
    }),
  );
});

test('the pages of an account are spread over the days', () => {
  const counts = new Map<number, number>();
  for (let page = 0; page < 2_800; page++) {
    const [due = 0] = dueDays(page, 1, 29);
    counts.set(due, (counts.get(due) ?? 0) + 1);
  }
  expect(counts.size).toBe(28);
  expect(Math.max(...counts.values())).toBeLessThan(200);
});
