/** Tests on which days all records of an owner are compared. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isFullDue } from '../../../shared/reconciliation/full-schedule.ts';

const dayMs = 86_400_000;
const first = Date.parse('2027-01-01');
const dayOf = (number: number) => new Date(first + number * dayMs).toISOString().slice(0, 10);
const ownerOf = (number: number) => ({ account: `acct_${number}`, mode: 'test' }) as const;

test('a full comparison is due at the first comparison, and then on one day of every 28', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(1000), (account, start) => {
      const owner = ownerOf(account);
      expect(isFullDue(owner, undefined, dayOf(start))).toBe(true);
      let last = start;
      const days: number[] = [];
      for (let day = start + 1; day <= start + 280; day++) {
        if (!isFullDue(owner, dayOf(last), dayOf(day))) continue;
        days.push(day);
        last = day;
      }
      expect(days).toHaveLength(10);
      expect(new Set(days.map((day) => day % 28)).size).toBe(1);
    }),
  );
});

test('if no comparison runs on its day, the next one is full', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(1000), fc.integer({ min: 28, max: 300 }), (account, start, gap) => {
      expect(isFullDue(ownerOf(account), dayOf(start), dayOf(start + gap))).toBe(true);
    }),
  );
});

test('the owners are spread over the days', () => {
  const counts = new Map<number, number>();
  for (let account = 0; account < 2_800; account++) {
    const days = Array.from({ length: 28 }, (_, day) => day + 1);
    const due = days.find((day) => isFullDue(ownerOf(account), dayOf(0), dayOf(day))) ?? 0;
    counts.set(due, (counts.get(due) ?? 0) + 1);
  }
  expect(counts.size).toBe(28);
  expect(Math.max(...counts.values())).toBeLessThan(200);
});
