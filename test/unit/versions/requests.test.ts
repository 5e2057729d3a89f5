/** Tests which parts of a request later versions added, and what a client of an earlier version learns about them. */
import { describe, expect, test } from '@jest/globals';
import { versionChanges } from '../../../shared/domain/versions/changes.ts';
import { laterFields } from '../../../shared/domain/versions/requests.ts';
import {
  apiVersions,
  findApiVersion,
  firstApiVersion,
  newestApiVersion,
  storedApiVersion,
} from '../../../shared/domain/versions/versions.ts';
import { sampleChanges } from './sample-change.ts';

const since = '2026-11-23';
const named = (field: string, isValueOnly = false) => ({ field, since, isValueOnly });
const laterIn = (
  part: 'query' | 'body',
  sent: object,
  version = apiVersions[0] as (typeof apiVersions)[number],
) => laterFields(version, 'invoices', part, sent, sampleChanges);

describe('what a request of the first version must not have', () => {
  test('an added field of the body', () => {
    expect(laterIn('body', { amount: 1, size: 2 })).toEqual([named('size')]);
    expect(laterIn('body', { amount: 1 })).toEqual([]);
  });
  test('an added parameter, and an added value of a parameter', () => {
    expect(laterIn('query', { color: '1', status: 'a,b' })).toEqual([named('color'), named('status', true)]);
    expect(laterIn('query', { status: 'a' })).toEqual([]);
  });
  test('nothing that the object inherits', () => {
    expect(laterIn('body', Object.create({ size: 1 }))).toEqual([]);
  });
  test('the second version may have all of them', () => {
    expect(laterIn('body', { size: 2 }, since)).toEqual([]);
    expect(laterIn('query', { color: '1', status: 'a,b' }, since)).toEqual([]);
  });
});

test('each version but the first has one change, in their order', () => {
  expect(versionChanges.map(({ version }) => version)).toEqual(apiVersions.slice(1));
  expect([...apiVersions].sort()).toEqual(apiVersions);
  expect([firstApiVersion, newestApiVersion]).toEqual([apiVersions[0], apiVersions.at(-1)]);
  // An event names the version of its form.
  expect(versionChanges.map(({ fields }) => fields.events.apiVersion)).toEqual(apiVersions.slice(1));
});

test('a version is found by its exact name only', () => {
  expect(apiVersions.map(findApiVersion)).toEqual(apiVersions);
  for (const name of ['', '2020-01-01', '2026-11-21 ', '__proto__', 'length', '0', undefined, null, 0])
    expect(findApiVersion(name)).toBeUndefined();
});

test('a stored version that only a later release knows is the newest one', () => {
  expect(apiVersions.map(storedApiVersion)).toEqual(apiVersions);
  expect(storedApiVersion('2999-01-01')).toBe(newestApiVersion);
});
