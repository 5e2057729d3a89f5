/** Says how an audit log can differ from what was written. Loads no client of AWS, so a command can show the rules at once. */

/** How an audit log is not as it was written. */
export const auditRules = {
  audit_entry_missing: 'an entry of the audit log is missing',
  audit_entry_altered: 'an entry of the audit log is not as it was sealed',
  audit_head_altered: 'the last number of the audit log is not as it was sealed',
} as const;

export type AuditRule = keyof typeof auditRules;
