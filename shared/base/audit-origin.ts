/** Names who makes a change that the audit log records, and through which request. */

export const actorTypes = ['key', 'user', 'operator', 'service'] as const;

/** Who makes a change: an API key, a user of the dashboard, an operator with access to the table, or the service. */
export interface Actor {
  readonly type: (typeof actorTypes)[number];
  /** The id of the key or user, the identity of the operator, or the name of the part of the service. */
  readonly id: string | null;
}

/** Every operation that the audit log records. The first part of a name is the resource that the operation is about. */
export const auditActions = [
  'invoice.create',
  'invoice.update',
  'invoice.cancel',
  'invoice.replace',
  'invoice.send',
  'invoice.confirm_claim',
  'invoice.reject_claim',
  'mail.allow_address',
  'payment.create',
  'payment.resolve',
  'payment.void',
  'refund.create',
  'customer.create',
  'customer.update',
  'customer.delete',
  'product.create',
  'product.update',
  'product.delete',
  'draft.create',
  'draft.update',
  'draft.delete',
  'draft.finalize',
  'schedule.create',
  'schedule.update',
  'schedule.skip',
  'schedule.run',
  'statement.create',
  'statement.match',
  'statement.ignore',
  'export.create',
  'webhook.create',
  'webhook.update',
  'webhook.delete',
  'webhook.rotate_secret',
  'webhook.test',
  'webhook.recover',
  'webhook.disable',
  'delivery.redeliver',
  'clock.move',
  'clock.reset',
  'account.create',
  'account.update',
  'account.set_plan',
  'account.reset_limit',
  'account.close',
  'account.delete',
  'key.create',
  'key.update',
  'key.roll_over',
  'key.revoke',
  'member.invite',
  'member.withdraw',
  'member.change',
  'member.remove',
  'member.join',
  'user.sign_in',
  'user.step_up',
  'provider.connect',
  'provider.rotate',
  'provider.disconnect',
  'customer.erase',
  'canary.enable',
  'difference.repair',
  'number.skip',
  'work.retry',
  'work.drop',
  'maintenance.start',
  'maintenance.end',
  'secret.rotate',
  'secret.apply',
  'secret.remove',
] as const;

export type AuditAction = (typeof auditActions)[number];

/**
 * `done`: the operation took effect. `started` and `failed`: an operation of many writes began, or ended early. Such an
 * operation may have taken effect in part.
 */
export const auditOutcomes = ['started', 'done', 'failed'] as const;
export type AuditOutcome = (typeof auditOutcomes)[number];

/** Who started an operation, and how. */
export interface AuditOrigin {
  readonly actor: Actor;
  readonly action: AuditAction;
  /** The id of the request, or of the run of an operator's command. */
  readonly requestId: string | null;
  /** A keyed hash of the address that the request came from. Equal addresses have equal hashes. */
  readonly source: string | null;
}

/** A setting before and after an operation, as texts. Null: it was not set. */
export interface SettingChange {
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The values of settings, by name. Undefined and null: not set. */
export type SettingValues = Readonly<
  Record<string, string | number | boolean | readonly string[] | null | undefined>
>;

/** Returns the settings that differ. @param before undefined if nothing existed before; the same for `after` */
export function changedSettings(
  before: SettingValues | undefined,
  after: SettingValues | undefined,
): SettingChange[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return fields
    .map((field) => ({ field, before: textOf(before?.[field]), after: textOf(after?.[field]) }))
    .filter((change) => change.before !== change.after);
}

function textOf(value: SettingValues[string]): string | null {
  if (value === undefined || value === null) return null;
  return Array.isArray(value) ? value.join(', ') : String(value);
}
