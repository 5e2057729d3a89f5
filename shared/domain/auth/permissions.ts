/**
 * Lists the permissions of API keys, and converts them to the bits that the account state stores. Each permission is
 * one bit, in the order of this list. Never change the order, because stored keys contain the bits.
 */
export const permissions = [
  'invoices:read',
  'invoices:write',
  'payments:read',
  'payments:write',
  'refunds:read',
  'refunds:write',
  'webhooks:read',
  'webhooks:write',
  'events:read',
  'audit:read',
  'keys:read',
  'keys:write',
  'customers:read',
  'customers:write',
  'clock:read',
  'clock:write',
  'account:read',
  'account:write',
  'products:read',
  'products:write',
  'statements:read',
  'statements:write',
  'exports:read',
  'exports:write',
] as const;

export type Permission = (typeof permissions)[number];

/** Returns the bits of a list of permissions. */
export function permissionBits(list: readonly Permission[]): number {
  return list.reduce((bits, permission) => bits | (1 << permissions.indexOf(permission)), 0);
}

/**
 * Whether `bits` include `permission`. Undefined bits include all permissions, also future ones, except those that a list
 * must name. So an unrestricted key that leaks cannot create other keys that outlive it, or change who issues the invoices of live mode.
 */
export function isPermitted(bits: number | undefined, permission: Permission): boolean {
  return bits === undefined
    ? !mustBeNamed(permission)
    : (bits & (1 << permissions.indexOf(permission))) !== 0;
}

/** What a request requires: a permission, or any one of several. */
export type RequiredPermission = Permission | readonly Permission[];

/** A further permission, which a request requires only if a field of its query or its body has one value. */
export interface ConditionalPermission {
  readonly permission: Permission;
  readonly in: 'query' | 'body';
  readonly field: string;
  readonly value: string;
}

/**
 * Returns what a request requires: all of the results.
 * @param input the valid query and body. Invalid ones are undefined: the request has no effect
 */
export function requirementsOf(
  { permission, alsoRequires: also }: Requirements,
  input: Readonly<Record<'query' | 'body', unknown>> | undefined,
): readonly RequiredPermission[] {
  const sent = also && (input?.[also.in] as Readonly<Record<string, unknown>> | undefined);
  return [
    ...(permission ? [permission] : []),
    ...(also && sent?.[also.field] === also.value ? [also.permission] : []),
  ];
}

/** What a route requires of an API key. */
interface Requirements {
  readonly permission?: RequiredPermission;
  readonly alsoRequires?: ConditionalPermission;
}

/** Returns the permissions of which one is enough. Undefined: none is required. */
export const alternativesOf = (required: RequiredPermission | undefined): readonly Permission[] =>
  [required ?? []].flat();

/** Whether a key has a permission only if the key's list of permissions names it: it is about API keys, or about both modes. */
export function mustBeNamed(permission: Permission): boolean {
  return permission.startsWith('keys:') || permission === 'account:write';
}

/** Returns the permissions in `bits`. */
export function permissionsIn(bits: number | undefined): Permission[] {
  return permissions.filter((permission) => isPermitted(bits, permission));
}
