/** Verifies the audit log of an account and mode, as a part of the daily reconciliation. */

import type { Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import { auditScopeOf } from '../../domain/audit/audit-store.ts';
import { verifyRecentEntries } from '../../domain/audit/verify.ts';
import type { AuditDifference } from './difference.ts';

/** Returns what is missing or not as it was written: see `verifyRecentEntries`. */
export async function findAuditDifferences(owner: Owner, now: Instant): Promise<AuditDifference[]> {
  const { faults } = await verifyRecentEntries(auditScopeOf(owner), now);
  return faults.map(({ rule, number, id }) => ({
    ...owner,
    resource: 'audit_log',
    seq: number,
    id: id ?? `number ${number}`,
    rule,
    expected: 'sealed',
    found: rule === 'audit_entry_missing' ? 'nothing' : 'another seal',
    evidence: '',
  }));
}
