/** Checks properties of the conversion between versions for random resources. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { eventBodyIn, showIn } from '../../../shared/domain/versions/convert.ts';
import { versionedResources } from '../../../shared/domain/versions/version-change.ts';
import { apiVersions } from '../../../shared/domain/versions/versions.ts';
import { sampleChanges } from './sample-change.ts';

const added = ['color', 'size', 'former'];
const names = fc.oneof(fc.constantFrom(...added, '__proto__', 'constructor', 'id'), fc.string());
const resources = fc
  .dictionary(names, fc.jsonValue(), { noNullPrototype: true })
  // A list is recognized by its `data`.
  .map(({ data: _, ...resource }) => resource);
const anyCase = fc.record({
  version: fc.constantFrom(...apiVersions),
  name: fc.constantFrom(...versionedResources.filter((name) => name !== 'events')),
  resource: resources,
});
const others = (value: object) => Object.entries(value).filter(([field]) => !added.includes(field));

test('a conversion is idempotent, changes no other field, and leaves its argument as it is', () => {
  fc.assert(
    fc.property(anyCase, ({ version, name, resource }) => {
      const before = JSON.stringify(resource);
      const shown = showIn(version, name, resource, sampleChanges);
      expect(JSON.stringify(resource)).toBe(before);
      expect(JSON.stringify(others(shown))).toBe(JSON.stringify(others(resource)));
      expect(JSON.stringify(showIn(version, name, shown, sampleChanges))).toBe(JSON.stringify(shown));
      expect(Object.getPrototypeOf(shown)).toBe(Object.prototype);
    }),
  );
});

test('the first version shows the same with and without what the second added', () => {
  fc.assert(
    fc.property(resources, fc.jsonValue(), (resource, value) => {
      const [first] = apiVersions;
      const { color: _, size: __, ...old } = resource;
      expect(showIn(first, 'invoices', { ...old, color: value, size: value }, sampleChanges)).toEqual(
        showIn(first, 'invoices', old, sampleChanges),
      );
    }),
  );
});

test('an event that a version shows, shown again in that version, has the same bytes', () => {
  fc.assert(
    fc.property(fc.constantFrom(...apiVersions), resources, (version, data) => {
      const body = JSON.stringify({ id: 'evt_1', type: 'invoice.paid', data });
      const shown = eventBodyIn(version, body, sampleChanges);
      expect(eventBodyIn(version, shown, sampleChanges)).toBe(shown);
    }),
  );
});
