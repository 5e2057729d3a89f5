/** Finds out whether a request uses what later versions than its own added. Pure. */
import { versionChanges } from './changes.ts';
import type { VersionChange, VersionedResource } from './version-change.ts';
import { type ApiVersion, isOlder } from './versions.ts';

/** A field or query parameter of a request that the version of the request does not have. */
export interface LaterField {
  readonly field: string;
  /** The version that added it. */
  readonly since: ApiVersion;
  /** The version of the request has the parameter, but not this value. */
  readonly isValueOnly: boolean;
}

/** The part of a request that a schema describes. */
export type RequestPart = 'query' | 'body';

/**
 * Returns the fields of a query or body that later versions than `version` added. A request without them means the same in
 * all later versions, so it needs no other conversion.
 * @param sent the query or body as the client sent it
 */
export function laterFields(
  version: ApiVersion,
  resource: VersionedResource,
  part: RequestPart,
  sent: object,
  changes: readonly VersionChange[] = versionChanges,
): readonly LaterField[] {
  const later = changes.filter((change) => isOlder(version, change.version));
  return later.flatMap(({ version: since, fields, parameters }) =>
    Object.entries(part === 'body' ? fields[resource] : parameters[resource])
      .filter(([field]) => Object.hasOwn(sent, field))
      .map(([field, added]) => ({ field, since, added }))
      .filter(({ field, added }) => typeof added !== 'function' || added(sent[field as keyof typeof sent]))
      .map(({ field, since, added }) => ({ field, since, isValueOnly: typeof added === 'function' })),
  );
}

/**
 * Returns the query parameters that later versions than `version` added to the list of a resource.
 * @param kind whether the parameter is new, or only some of its values are
 */
export function laterParameters(
  version: ApiVersion,
  resource: VersionedResource,
  kind: 'parameter' | 'values' = 'parameter',
): readonly string[] {
  return versionChanges
    .filter((change) => isOlder(version, change.version))
    .flatMap(({ parameters }) => Object.entries<unknown>(parameters[resource]))
    .flatMap(([name, added]) => ((added === true) === (kind === 'parameter') ? [name] : []));
}

/** Returns the fields of the body to create a resource that `version` requires and the newest one does not. */
export function requiredFields(version: ApiVersion, resource: VersionedResource): readonly string[] {
  const later = versionChanges.filter((change) => isOlder(version, change.version));
  return later.flatMap(({ requiredBefore }) => requiredBefore?.[resource] ?? []);
}
