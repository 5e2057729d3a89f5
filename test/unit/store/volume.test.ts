/** Tests the stored form of volumes: any content is read back, and usual content is small. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { volumeSize } from '../../../shared/store/keys.ts';
import {
  packCodes,
  packTimes,
  unpackCodes,
  unpackTimes,
} from '../../../shared/store/lists/volumes/volume.ts';
import { packedStatesOf } from '../../../shared/store/lists/volumes/volume-items.ts';
import { seededRandom } from '../../support/seeded-random.ts';

test('codes are read back', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(volumeSize - 1), fc.nat(15)), { maxLength: 300, size: 'max' }),
      fc.nat(15),
      (some, all) => {
        const codes = new Uint8Array(volumeSize).fill(all);
        for (const [low, code] of some) codes[low] = code;
        expect(Buffer.from(unpackCodes(packCodes(codes))).equals(codes)).toBe(true);
        const doubled = Array.from({ length: 16 }, (_, code) => 2 * code);
        expect(unpackCodes(packCodes(codes), doubled)[77]).toBe(2 * (codes[77] ?? 0));
      },
    ),
    { numRuns: 50 },
  );
});

test('the remembered statuses of a volume do not outlive its content, and callers may change what they got', () => {
  const statesOf = (sets: string, status: number, sk = 'V#1') => {
    const data = packCodes(new Uint8Array(volumeSize).fill(status)).toString('base64');
    const item = {
      pk: { S: 'list' },
      sk: { S: sk },
      sets: { S: sets },
      counts: { S: '0,0' },
      data: { B: data },
    };
    const states = packedStatesOf('invoice', item);
    if (!states) throw new Error('The volume is malformed.');
    return states;
  };
  const first = statesOf('cp', 1).unpack();
  expect(first[5]).toBe(1);
  first.fill(9);
  expect(statesOf('cp', 1).unpack()[5]).toBe(1);
  expect(statesOf('cp', 2).unpack()[5]).toBe(3);
  expect(statesOf('cx', 2).unpack()[5]).toBe(4);
  for (let volume = 2; volume < 300; volume++) statesOf('cp', 2, `V#${volume}`).unpack();
  expect(statesOf('cp', 1).unpack()[5]).toBe(1);
});

test('creation times are read back, in any order and with gaps', () => {
  const someTime = fc.oneof(
    fc.constant(0),
    fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 }),
    fc.integer({ min: 1, max: 200 }),
  );
  fc.assert(
    fc.property(fc.array(someTime, { maxLength: 1024, size: 'max' }), (some) => {
      const times = new Float64Array(1024);
      times.set(some);
      expect([...unpackTimes(packTimes(times))]).toEqual([...times]);
    }),
    { numRuns: 100 },
  );
});

test('a volume with a usual mix of statuses takes at most 2.3 KB, and one with few records 0.7 KB', () => {
  const random = seededRandom('mix');
  const ofMix = (shares: readonly number[]) => {
    const codes = Uint8Array.from({ length: volumeSize }, () => {
      let chance = random.next();
      return shares.findIndex((share) => {
        chance -= share;
        return chance < 0;
      });
    });
    return packCodes(codes).length;
  };
  expect(ofMix([0, 0.1, 0.05, 0.8, 0.05])).toBeLessThan(2_300);
  expect(ofMix([0.98, 0.002, 0.001, 0.016, 0.001])).toBeLessThan(700);
  expect(ofMix([0, 0, 0, 1])).toBeLessThan(50);
});
