/** Converts resources and events between the versions of the API. Pure. */
import { versionChanges } from './changes.ts';
import {
  type AddedFields,
  Derived,
  type EarlierValue,
  type VersionChange,
  type VersionedResource,
  versionedResources,
} from './version-change.ts';
import { type ApiVersion, isOlder } from './versions.ts';

type Changes = readonly VersionChange[];
type Json = Readonly<Record<string, unknown>>;

/**
 * Returns an answer as `version` shows it: without the fields of later versions, and with all fields of its own, because a
 * stored answer can lack them.
 * @param answer a resource, an event, or a list with these in `data`
 */
export function showIn(
  version: ApiVersion,
  resource: VersionedResource,
  answer: object,
  changes: Changes = versionChanges,
): object {
  const { data } = answer as Json;
  const show = conversionTo(version, resource, changes);
  return Array.isArray(data) ? { ...answer, data: data.map((each) => show(each)) } : show(answer as Json);
}

/** Returns the stored body of an event as `version` shows it. The same arguments give the same text. */
export function eventBodyIn(version: ApiVersion, body: string, changes: Changes = versionChanges): string {
  return JSON.stringify(showIn(version, 'events', JSON.parse(body), changes));
}

/** Returns a resource or a body without the fields that later versions than `version` added. */
export function withoutLaterFields(
  version: ApiVersion,
  resource: VersionedResource,
  value: object,
  changes: Changes = versionChanges,
): object {
  const later = addedFields(
    resource,
    changes.filter((change) => isOlder(version, change.version)),
  );
  return Object.fromEntries(Object.entries(value).filter(([field]) => !Object.hasOwn(later, field)));
}

/** Returns the function that shows one resource, or one event with its resource, in `version`. */
function conversionTo(
  version: ApiVersion,
  resource: VersionedResource,
  changes: Changes,
): (value: Json) => Json {
  const show = fieldsIn(version, resource, changes);
  if (resource !== 'events') return show;
  return (event) => {
    const inner = resourceOfEvent(event.type);
    return inner
      ? { ...show(event), data: fieldsIn(version, inner, changes)(event.data as Json) }
      : show(event);
  };
}

/** The functions that `fieldsIn` has made: by their changes, and by version and resource. */
const knownFunctions = new WeakMap<Changes, Map<string, (value: Json) => Json>>();

/** Returns the function of `makeFieldsIn`, which is made once for the same arguments. */
function fieldsIn(version: ApiVersion, resource: VersionedResource, changes: Changes): (value: Json) => Json {
  const known = knownFunctions.get(changes) ?? new Map<string, (value: Json) => Json>();
  const name = `${version} ${resource}`;
  const show = known.get(name) ?? makeFieldsIn(version, resource, changes);
  knownFunctions.set(changes, known.set(name, show));
  return show;
}

/**
 * Returns the function that shows the fields of one resource in `version`. The added fields are last, in the order of the
 * tables. So a stored answer and a new one have the same order.
 */
function makeFieldsIn(
  version: ApiVersion,
  resource: VersionedResource,
  changes: Changes,
): (value: Json) => Json {
  const all = addedFields(resource, changes);
  const own = Object.entries(
    addedFields(
      resource,
      changes.filter((change) => !isOlder(version, change.version)),
    ),
  );
  const earlier = Object.assign(
    {},
    ...changes
      .filter((change) => isOlder(version, change.version))
      .map(({ earlierValues }) => earlierValues?.[resource]),
  ) as Readonly<Record<string, EarlierValue>>;
  return (value) => {
    const shown: [field: string, value: unknown][] = [];
    for (const [field, each] of Object.entries(value))
      if (!Object.hasOwn(all, field))
        shown.push([field, Object.hasOwn(earlier, field) ? earlier[field]?.(each, value) : each]);
    for (const [field, filled] of own) {
      const each = Object.hasOwn(value, field) ? value[field] : filledValue(filled, value);
      if (each !== undefined) shown.push([field, each]);
    }
    return Object.fromEntries(shown);
  };
}

const filledValue = (filled: unknown, resource: Json) =>
  filled instanceof Derived ? filled.from(resource) : filled;

function addedFields(resource: VersionedResource, changes: Changes): AddedFields {
  return Object.assign({}, ...changes.map(({ fields }) => fields[resource]));
}

/** Returns the resource in the `data` of an event: `invoices` for `invoice.paid`. Undefined if versions do not change it. */
function resourceOfEvent(type: unknown): VersionedResource | undefined {
  const name = `${String(type).split('.')[0]}s`;
  return versionedResources.find((resource) => resource === name);
}
