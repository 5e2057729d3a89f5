/** Tests the append of events by random interleavings, and that the check finds a rule that is not kept. */
import { expect, test } from '@jest/globals';
import { isExhaustive } from '../../support/run.ts';
import { type PlantedBug, runLogModel } from './log-model.ts';

const seeds = Array.from({ length: 400 }, (_, seed) => seed);
const seedsOfRun = isExhaustive ? seeds : seeds.slice(0, 100);

test('whatever the order of calls, crashes and repetitions, each event has one position, and the log has no gap', async () => {
  for (const seed of seedsOfRun)
    expect({ seed, violations: await runLogModel(seed) }).toEqual({ seed, violations: [] });
});

test.each<PlantedBug>([
  'put replaces an event',
  'reserve replaces a pointer',
  'move replaces any position',
  'put with pointer replaces an event',
  'put with pointer replaces a pointer',
  'transaction replaces an event',
  'transaction replaces a pointer',
  'transaction ignores the cursor',
  'cursor is never raised',
])('the check finds that %s', async (bug) => {
  let found = 0;
  for (const seed of seeds) {
    const violations = await runLogModel(seed, bug).catch((error) => [String(error)]);
    if (violations.length > 0) found += 1;
    if (found > 0) break;
  }
  expect(found).toBeGreaterThan(0);
});
