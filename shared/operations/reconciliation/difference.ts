/**
 * Defines a difference: a record that breaks a rule, alone or together with the records and lists that belong to it.
 *
 * - A difference never contains a customer's data, because it is logged and kept in reports.
 */
import { createHash } from 'node:crypto';
import type { Owner, Resource } from '../../base/ids.ts';
import type { AuditRule } from '../../domain/audit/rules.ts';

/** The rules that every record obeys when no change is in progress. Each sentence says how the rule is broken. */
export const rules = {
  index_behind: 'a list does not contain the record, or shows an earlier status of it',
  index_ahead:
    'a list shows a status that the record has not reached, or contains a record that does not belong there',
  record_malformed:
    'the record cannot be read, because an attribute is missing or has another form. It is left as it is',
  record_missing: 'lists show a record that does not exist',
  number_not_allocated: 'the record has a sequence number that its account will allocate again',
  invoice_without_payment: 'the invoice is paid, but not by a completed payment',
  amount_paid_differs: 'the completed payments of the invoice do not add up to what it counts as paid',
  paid_above_amount: 'the invoice counts more as paid than its amount',
  paid_too_early: 'the invoice is paid although something is due, or open although nothing is',
  replacement_differs:
    'the invoice and the one that replaces it, or that it replaces, do not name each other',
  invoice_missing: 'the invoice does not exist',
  payment_missing: 'the payment does not exist',
  payment_in_progress: 'the invoice and the payment disagree on whether the payment is in progress',
  payment_for_nothing: 'the payment is completed, but it did not pay its invoice and was not refunded',
  voided_payment_counts: 'the payment is voided, but its invoice counts it, or it has refunds',
  row_differs:
    'the payment and the row of a bank statement that made it disagree on its amount, or on whether it counts',
  credit_differs:
    'the payment and the one whose credit it uses disagree on its amount, or on whether it counts, or more is used than there is',
  payment_not_completed: 'the payment has refunds, but it is not completed',
  amount_differs: 'the amount differs from the amount of the invoice',
  currency_differs: 'the currency differs from the currency of the invoice or of the payment',
  invoice_differs: 'the refund and its payment name different invoices',
  refunded_sum_differs: 'the processed refunds do not add up to the refunded amount of the payment',
  reserved_sum_differs: 'the pending refunds do not add up to the amount that the payment reserves for them',
  refunded_above_amount: 'the refunds exceed the amount of the payment',
  refund_not_in_payment: 'the payment does not count the refund',
  refund_not_in_invoice: 'the invoice does not count the refund',
  refund_note_differs: 'the processed refunds do not add up to the refunded amount of the invoice',
} as const;

/** The rules that API keys obey. The first ones are about entries, which a repair corrects. */
export const keyRules = {
  key_unknown: 'the account state has an entry for an API key that was never created',
  key_revoked: 'the API key is revoked, but it still has an entry',
  key_entry_missing: 'the API key is usable, but it has no entry until its next use',
  key_expiry_differs: 'the entry of the API key does not have the expiry of the key',
  key_addresses_differ: 'the entry of the API key does not have the address ranges of the key',
  key_item_missing: 'the API key is listed, but it has no item of its own, so it does not work',
  key_malformed: 'an item of the API key cannot be read, so the key does not work, or is not listed',
  key_unlisted: 'the API key has an item of its own, but is not listed',
  key_items_differ: 'the list shows other settings of the API key than its own item has',
} as const;

/** The rule that the items obey that belong to an account and to no list of records. */
export const itemRules = {
  item_malformed:
    'an item of the account, such as a webhook endpoint, a delivery or an event, cannot be read. It is left as it is',
} as const;

/** The rules that the journal and its sums obey. */
export const journalRules = {
  journal_unbalanced: 'the lines of the entry of the journal do not add up to 0',
  journal_records_differ:
    'the balance of the account of the journal is not that of all invoices and payments',
  journal_sums_differ: 'the stored sum is not the sum of the entries of the journal',
} as const;

/** The rules that issued documents obey. */
export const documentRules = {
  document_altered: 'the document is not as it was issued: its hash, or what lists show of it, differs',
  document_sums_differ: 'the lines, taxes and totals of the document do not add up',
  document_missing: 'numbers of a series have no document',
  document_number_twice: 'two documents have the same number',
  document_number_ahead: 'the document has a number that its series will give again',
  document_invoice_missing: 'the invoice of a credit note does not count it',
  credited_sum_differs: 'the credit notes do not add up to what the invoice counts as credited',
  credited_above_invoice: 'the credit notes exceed their invoice',
} as const;

/** The rules that payments and the books of payment providers obey. */
export const providerRules = {
  provider_payment_unknown:
    'the provider received a payment that the service does not have, and did not return it',
  provider_payment_missing: 'the payment is completed, but the provider does not have it',
  provider_amount_differs: 'the provider received another amount or currency than the payment has',
  provider_refunds_differ: 'the provider returned another amount than the refunds of the payment add up to',
} as const;

/** An entry of the audit log that is missing or not as it was written. Its sequence number is its number in the log. */
export interface AuditDifference extends Omit<Difference, 'resource' | 'rule'> {
  readonly resource: 'audit_log';
  readonly rule: AuditRule;
}

export type Rule = keyof typeof rules;
export type DocumentRule = keyof typeof documentRules;
export type KeyRule = keyof typeof keyRules;
export type ProviderRule = keyof typeof providerRules;

export interface Difference extends Owner {
  readonly resource: Resource;
  /** The record's sequence number. */
  readonly seq: number;
  readonly id: string;
  readonly rule: Rule;
  /** An amount in the smallest unit of the currency, a status or an id. */
  readonly expected: string | number;
  readonly found: string | number;
  /**
   * The versions of the records that disagree. Records are not read at one moment. But if two checks find the same
   * versions, all of these versions existed at the same time between the checks.
   */
  readonly evidence: string;
}

/** An entry of an API key that differs from the key's own item. Its sequence number is 0, and it has no evidence. */
export interface KeyDifference extends Omit<Difference, 'resource' | 'rule'> {
  readonly resource: 'api_key';
  readonly rule: KeyRule;
}

/** An item that cannot be read. Its sequence number is 0, and it has no evidence. */
export interface ItemDifference extends Omit<Difference, 'resource' | 'rule'> {
  readonly resource: 'item';
  readonly rule: keyof typeof itemRules;
}

/** An entry of the journal, or a sum of it. Its sequence number is 0, and it has no evidence. */
export interface JournalDifference extends Omit<Difference, 'resource' | 'rule'> {
  readonly resource: 'journal';
  readonly rule: keyof typeof journalRules;
}

/** A document, or numbers without one. Its sequence number is the count in its series, and it has no evidence. */
export interface DocumentDifference extends Omit<Difference, 'resource' | 'rule'> {
  readonly resource: 'document';
  readonly rule: DocumentRule;
}

/** A payment that differs from the books of its provider. Its sequence number is 0, and it has no evidence. */
export interface ProviderDifference extends Omit<Difference, 'resource' | 'rule'> {
  readonly resource: 'provider_payment';
  readonly rule: ProviderRule;
}

/** Returns a hash that is the same each time that the same difference is found. */
export function identityOf(difference: Difference): string {
  const { resource, id, rule, expected, found, evidence } = difference;
  const text = JSON.stringify([resource, id, rule, expected, found, evidence]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}
