/** A change with one field for each place in which a version can add one. */
import type { VersionChange } from '../../../shared/domain/versions/version-change.ts';

const nothing = { invoices: {}, payments: {}, refunds: {}, webhooks: {}, keys: {}, events: {} };

export const sampleChanges: readonly VersionChange[] = [
  {
    version: '2026-11-23',
    fields: { ...nothing, invoices: { color: {}, size: null }, events: { former: undefined } },
    parameters: {
      ...nothing,
      invoices: { color: true, status: (value) => typeof value === 'string' && value.includes(',') },
    },
  },
];
