/** The texts of the page of the audit log. */
import type { Actor, auditOutcomes } from '../../../base/audit-origin.ts';

export const auditLogTexts = {
  title: 'Audit log',
  about:
    'Who changed what in this mode, for 400 days. Nobody can change or delete an entry. Equal addresses have equal codes.',
  empty: 'Nothing was changed in this mode yet.',
  noMatch: 'None of the newest entries is of this kind. Older entries may be.',
  newest: 'Newest',
  older: 'Older',
  columns: {
    time: 'Time',
    actor: 'Who',
    action: 'Action',
    resource: 'Resource',
    changes: 'Changes',
    source: 'From',
  },
  actors: {
    key: 'API key',
    user: 'User',
    operator: 'Operator',
    service: 'Service',
  } satisfies Record<Actor['type'], string>,
  outcomes: { started: 'Started', done: 'Done', failed: 'Failed' } satisfies Record<
    (typeof auditOutcomes)[number],
    string
  >,
} as const;
