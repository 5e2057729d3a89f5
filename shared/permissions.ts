/** The permissions that a key can have, and how a head keeps them: one bit each, in this order, which never changes. */
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

/** The bit set of a list of permissions. */
export function permissionBits(list: readonly Permission[]): number {
  return list.reduce((bits, permission) => bits | (1 << permissions.indexOf(permission)), 0);
}

/** Whether `bits` include `permission`; undefined bits include all, also permissions that come later. */
export function isPermitted(bits: number | undefined, permission: Permission): boolean {
  return bits === undefined || (bits & (1 << permissions.indexOf(permission))) !== 0;
}
