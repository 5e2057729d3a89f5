/**
 * Lists the versions of the API. A version is a date.
 *
 * - The newest version is last. Handlers, transitions and stored records know only the newest one.
 */

/** All versions, oldest first. */
export const apiVersions = ['2026-11-21', '2026-11-23'] as const;

/** The message for a field with another value. */
export const apiVersionMessage = `apiVersion must be one of ${apiVersions.join(', ')}.`;

export type ApiVersion = (typeof apiVersions)[number];

/** The version of a key that names none when it is created, and of answers to requests without a valid key. It never gets another field. */
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

/** Returns the version of a stored key or webhook endpoint. If only a later release knows it, that is the newest one. */
export function storedApiVersion(stored: unknown): ApiVersion {
  return findApiVersion(stored) ?? newestApiVersion;
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
