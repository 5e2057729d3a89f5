/**
 * Lists the versions of the API. A version is a date.
 *
 * - The newest version is last. Handlers, transitions and stored records know only the newest one.
 * - A stored position in this list never changes its meaning, so versions are only added at the end.
 */

/** All versions, oldest first. */
export const apiVersions = ['2026-11-21', '2026-11-23'] as const;

/** The message for a field with another value. */
export const apiVersionMessage = `apiVersion must be one of ${apiVersions.join(', ')}.`;

export type ApiVersion = (typeof apiVersions)[number];

/**
 * The version of every key, webhook endpoint and stored record without a version, and of answers to requests without a valid
 * key. It never gets another field.
 */
export const firstApiVersion = apiVersions[0];

/**
 * The version that handlers, transitions and stored records know. API keys and webhook endpoints that people create have it,
 * unless they choose another one.
 */
export const newestApiVersion = '2026-11-23' as const satisfies ApiVersion;

/** Returns the version with this exact name, or undefined. */
export function findApiVersion(name: unknown): ApiVersion | undefined {
  return apiVersions.find((version) => version === name);
}

/** Returns a stored version. A record without one has the first version. */
export function storedApiVersion(stored: unknown): ApiVersion {
  return findApiVersion(stored) ?? firstApiVersion;
}

/** Returns a stored version as the audit log shows it. The first one is not shown, as before there were versions. */
export function auditedApiVersion(stored: unknown): ApiVersion | undefined {
  const version = storedApiVersion(stored);
  return version === firstApiVersion ? undefined : version;
}

/** Whether `version` is older than `other`. */
export function isOlder(version: ApiVersion, other: ApiVersion): boolean {
  return version < other;
}

/** Returns the version at a stored position in the list. A release that does not know the position uses its newest one. */
export function apiVersionAt(position: number | undefined): ApiVersion {
  return apiVersions[position ?? 0] ?? newestApiVersion;
}

/** Returns the position that stores a version. Undefined for the first one, which needs no attribute. */
export function positionOfApiVersion(version: ApiVersion): number | undefined {
  return apiVersions.indexOf(version) || undefined;
}
