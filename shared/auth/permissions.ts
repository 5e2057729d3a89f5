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
] as const;

export type Permission = (typeof permissions)[number];

/** Returns the bits of a list of permissions. */
export function permissionBits(list: readonly Permission[]): number {
  return list.reduce((bits, permission) => bits | (1 << permissions.indexOf(permission)), 0);
}

/** Whether `bits` include `permission`. Undefined bits include all permissions, also future ones. */
export function isPermitted(bits: number | undefined, permission: Permission): boolean {
  return bits === undefined || (bits & (1 << permissions.indexOf(permission))) !== 0;
}
