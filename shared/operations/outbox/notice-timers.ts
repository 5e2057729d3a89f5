/**
 * Finds the notices that follow from changes: from their events, and from what the audit log records of them.
 *
 * - Most settings belong to both modes, and each has an outbox item. The one of live mode has the notice.
 * - A sign-in has a notice only if its browser is new.
 */
import type { AuditAction } from '../../base/audit-origin.ts';
import { timeOfAuditEntry } from '../../base/ids.ts';
import { type NoticeKind, payoutSettings } from '../../domain/accounts/notice-settings.ts';
import { type AuditEntry, valueAfter } from '../../domain/audit/entry.ts';
import { auditEntryOf } from '../../domain/audit/outbox-entry.ts';
import { memberDetailOf, type NoticeReference, operatorName } from '../../domain/mails/notice.ts';
import { newBrowserField } from '../../domain/users/sign-in-entries.ts';
import type { OutboxItem } from '../../store/commit/outbox-item.ts';

/** What a notice says about a change. */
type Noticed = Pick<NoticeReference, 'about' | 'detail'>;

/** The kinds of the events that cause a notice. */
const kindsOfEvents: Readonly<Record<string, NoticeKind>> = {
  'invoice.paid': 'paid',
  'invoice.claimed': 'claimed',
  'payment.disputed': 'disputed',
  'schedule.failed': 'schedule',
};

interface Rule {
  readonly kind: NoticeKind;
  /** The operation belongs to the account, not to a mode of it. */
  readonly isOfAccount?: true;
  /** Undefined: nothing that the merchant must know of. */
  readonly notice: (entry: AuditEntry) => Noticed | undefined;
}

const ofResource = ({ resource }: AuditEntry): Noticed => ({ about: resource ?? '', detail: '' });

const ofKey: Rule = { kind: 'key', notice: ofResource };
const ofProvider: Rule = { kind: 'payout', notice: ofResource };

/** What happened to the member of a change. Invitations are none. */
function changedMember({ changes }: AuditEntry): Noticed | undefined {
  const changed = changes.find(({ field }) => field.startsWith('usr_'));
  if (!changed) return undefined;
  const { field: about, before, after } = changed;
  if (after === null) return { about, detail: memberDetailOf({ kind: 'removed' }) };
  return { about, detail: memberDetailOf({ kind: before === null ? 'joined' : 'changed', role: after }) };
}

/** The person and the role that an invitation adds. */
function invitedPerson({ changes }: AuditEntry): Noticed | undefined {
  const added = changes.find(({ before, after }) => before === null && after !== null);
  return added && { about: added.field, detail: added.after ?? '' };
}

const ofMember: Rule = { kind: 'member', isOfAccount: true, notice: changedMember };

const rules: Readonly<Partial<Record<AuditAction, Rule>>> = {
  'webhook.disable': {
    kind: 'endpoint',
    notice: (entry) => ({ about: entry.resource ?? '', detail: valueAfter(entry, 'disabledReason') }),
  },
  'key.create': ofKey,
  'key.roll_over': ofKey,
  'member.join': ofMember,
  'member.change': ofMember,
  'member.remove': ofMember,
  'member.invite': { kind: 'invitation', isOfAccount: true, notice: invitedPerson },
  'provider.connect': ofProvider,
  'provider.rotate': ofProvider,
  'provider.disconnect': ofProvider,
  'account.update': {
    kind: 'payout',
    isOfAccount: true,
    notice: ({ resource, changes }) => {
      const changed = payoutSettings.filter((name) => changes.some(({ field }) => field === name));
      return changed.length === 0 ? undefined : { about: resource ?? '', detail: changed.join(',') };
    },
  },
  'user.sign_in': {
    kind: 'sign_in',
    isOfAccount: true,
    notice: (entry) => (valueAfter(entry, newBrowserField) === '' ? undefined : ofResource(entry)),
  },
};

/** Returns the notices that follow from an outbox item. */
export function noticesFrom(item: OutboxItem): NoticeReference[] {
  const { account, mode, events, audited } = item;
  const owner = { account, mode };
  const ofEvents = events.flatMap(({ id, type, body }): NoticeReference[] => {
    const kind = kindsOfEvents[type];
    if (!kind) return [];
    const { data, timestamp } = JSON.parse(body) as { data: { id: string }; timestamp: string };
    return [{ ...owner, kind, at: Date.parse(timestamp), cause: id, about: data.id, detail: '', by: '' }];
  });
  const rule = audited && rules[audited.action];
  if (!rule || (rule.isOfAccount && mode !== 'live')) return ofEvents;
  const entry = auditEntryOf(item);
  const noticed = entry?.outcome === 'done' ? rule.notice(entry) : undefined;
  if (!entry || !noticed) return ofEvents;
  const { id: cause, actor } = entry;
  const by = nameOf(actor);
  return [...ofEvents, { ...owner, kind: rule.kind, at: timeOfAuditEntry(cause), cause, by, ...noticed }];
}

/** The identity of an operator, such as an ARN, stays in the audit log. */
function nameOf({ type, id }: AuditEntry['actor']): string {
  if (type === 'service') return '';
  return type === 'operator' ? operatorName : `${type}:${id ?? ''}`;
}
