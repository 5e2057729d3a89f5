/**
 * Signs visits. A visit says when a payer opened the payment page of an invoice. The page's form carries it, so the
 * limits of attempts can tell an early payer from a stranger who came later. It allows nothing else.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { base32 } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import { hmacCurrent, hmacVersion } from '../../platform/secrets/deployment-secret.ts';

export interface Visit {
  /** Unique for each opened page. The page of a further attempt keeps it. */
  readonly id: string;
  readonly openedAt: Instant;
}

/** A payer can leave the page open for this long and keep the visit. */
const maxAgeMs = 24 * 60 * 60 * 1000;

const pattern = /^(\d{1,6})\.(\d{1,15})\.([0-9a-z]{26})\.([\w-]{22})$/;

/** Begins a visit of an invoice's page. Returns its text for the form. */
export async function beginVisit(invoiceId: string, now: Instant): Promise<string> {
  const id = base32(randomBytes(17), 26);
  const { version, digest } = await hmacCurrent('visit', signedTextOf(invoiceId, { id, openedAt: now }));
  return `${version}.${now}.${id}.${signatureOf(digest)}`;
}

/** Reads the text of a visit. Returns undefined if the text was not made for this invoice, or is older than a day. */
export async function readVisit(invoiceId: string, text: string, now: Instant): Promise<Visit | undefined> {
  const [, version = '', openedAtText, id = '', signature = ''] = pattern.exec(text) ?? [];
  const visit = { id, openedAt: Number(openedAtText) };
  if (!signature || now - visit.openedAt > maxAgeMs) return undefined;
  const digest = await hmacVersion('visit', version, signedTextOf(invoiceId, visit));
  if (!digest) return undefined;
  return timingSafeEqual(Buffer.from(signatureOf(digest)), Buffer.from(signature)) ? visit : undefined;
}

const signedTextOf = (invoiceId: string, { id, openedAt }: Visit) => `${invoiceId}.${openedAt}.${id}`;
const signatureOf = (digest: Buffer) => digest.subarray(0, 16).toString('base64url');
