/** Parses the form of the pay button, and starts the reads that it allows to start at once. */

import type { PageRequest } from '../../api/http/page.ts';
import { isAccountId, modes, type Owner } from '../../base/ids.ts';
import { readCurrentPageSettings } from '../../domain/accounts/account-store.ts';
import { readInvoiceOfAnyAccount } from '../../domain/invoices/invoice-store.ts';
import { isWithinAttemptLimits } from '../../domain/payments/attempt-limits.ts';
import type { SeenInvoice } from '../../domain/payments/checkouts/begin-checkout.ts';
import { readConnections } from '../../domain/payments/connections/connection-store.ts';
import { openProvider } from '../../domain/payments/connections/open-provider.ts';
import {
  type HostedProviderName,
  hostedProviderNames,
} from '../../domain/payments/provider/hosted-provider.ts';
import { readVisit } from '../../domain/payments/visit.ts';

/** The fields of the form. The owner and the provider are only used if they are those of the invoice. */
interface SentCheckout extends SeenInvoice {
  readonly owner: Owner;
  readonly provider: HostedProviderName;
  readonly visit: string;
  /** The amount that the payer typed, in units of the currency. */
  readonly typedPart: string;
}

/** Parses the form. Returns undefined if it is not the form of the pay button, or was changed. */
function parseCheckoutForm(fields: ReadonlyMap<string, string>): SentCheckout | undefined {
  const provider = hostedProviderNames.find((name) => name === fields.get('provider'));
  const mode = modes.find((name) => name === fields.get('mode'));
  const account = fields.get('account') ?? '';
  const [contentVersion, amount] = ['version', 'amount'].map((name) => integerOf(fields.get(name)));
  if (!provider || !mode || !isAccountId(account)) return undefined;
  if (contentVersion === undefined || amount === undefined) return undefined;
  return {
    owner: { account, mode },
    provider,
    contentVersion,
    amount,
    visit: fields.get('visit') ?? '',
    typedPart: fields.get('part') ?? '',
  };
}

const integerOf = (text = '') => (/^\d{1,15}$/.test(text) ? Number(text) : undefined);

/** A form of the pay button, with what was read for it. */
export type ReadCheckout = Awaited<ReturnType<typeof readForCheckout>>;

/** Reads all that the pay button needs if a request has its form. Returns undefined for other forms. */
export async function readSentCheckout(request: PageRequest): Promise<ReadCheckout | undefined> {
  const sent = parseCheckoutForm(request.form);
  return sent && readForCheckout(request.params.id ?? '', sent, request);
}

/** Reads everything in parallel, and counts the attempt. */
async function readForCheckout(
  invoiceId: string,
  sent: SentCheckout,
  { sourceIp, now }: Pick<PageRequest, 'sourceIp' | 'now'>,
) {
  const { owner } = sent;
  const counting = readVisit(invoiceId, sent.visit, now).then((visit) =>
    isWithinAttemptLimits({ invoiceId, sourceIp, visit }, now),
  );
  const [invoice, settings, connections, provider, isWithinLimits] = await Promise.all([
    readInvoiceOfAnyAccount(invoiceId),
    // The form can name an account that does not exist.
    readCurrentPageSettings(owner.account).catch(() => undefined),
    readConnections(owner),
    openProvider(owner, sent.provider),
    counting,
  ]);
  return { sent, invoice, settings, connections, provider, isWithinLimits };
}
