/** Describes the fields of the audit log. */
import { cursor, type FieldTexts } from './common-field-texts.ts';

export const auditFieldTexts: Pick<
  FieldTexts,
  'AuditEntry' | 'AuditActor' | 'AuditSettingChange' | 'AuditLog'
> = {
  AuditEntry: {
    id: 'The ID of the entry.',
    timestamp: 'The time of the request or command.',
    actor: 'Who did the operation.',
    action: 'The operation.',
    outcome:
      'Whether the operation took effect: `done`, or for operations of many steps also `started` and `failed`. Such an operation can have taken effect in part.',
    resource: 'The ID of the resource that the operation was about. Null if it was about no single resource.',
    requestId:
      'The ID of the request, as in the header `X-Request-Id`. The entries of one command share an ID.',
    source:
      'A keyed hash of the address that the request came from. Equal addresses have equal hashes. Null for commands and for sign-ins.',
    changes: 'The settings that the operation changed. Secrets and personal data are never among them.',
  },
  AuditActor: {
    type: 'The kind of actor: `key` (an API key), `user` (a user of the dashboard), `operator` (an operator of the service) or `service` (the service itself).',
    id: 'The ID of the API key or user, the identity of the operator, or the part of the service. Null if it is unknown.',
  },
  AuditSettingChange: {
    field: 'The name of the setting.',
    before: 'The value before the operation. Null if it was not set.',
    after: 'The value after the operation. Null if it is not set any more.',
  },
  AuditLog: { data: 'The entries, newest first.', cursor },
};
