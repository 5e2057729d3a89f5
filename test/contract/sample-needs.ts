/** Makes what the samples of the reference need and no sample above them on the page creates. */
import type { Stack } from '../../infra/local/stack.ts';
import { claimExample } from '../../shared/api/openapi/invoice-field-texts.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { type Api, invoiceBody } from '../support/api.ts';
import { createStatement } from '../support/statements.ts';
import { tableOf } from '../support/table.ts';
import { storeExampleFile } from '../support/upload-file.ts';
import { waitUntil } from '../support/wait-until.ts';
import type { WebhookReceiver } from '../support/webhook-receiver.ts';
import {
  createClaimed,
  createClaimedPart,
  createDocument,
  createHeldPayment,
  createPartPayment,
} from './examples.ts';

/** The account in whose test mode the samples run. */
interface SampleAccount {
  readonly accountId: string;
  readonly api: Api;
  readonly stack: Stack;
  /** Receives the webhooks in the place of the host of the samples. */
  readonly receiver: WebhookReceiver;
}

/** Makes what the sample of an operation needs. Each run of a sample needs it again. */
export async function prepareSample(operationId: string, account: SampleAccount): Promise<void> {
  await needs[operationId]?.(account);
}

const needs: Readonly<Record<string, (account: SampleAccount) => Promise<unknown>>> = {
  redeliver: createDelivery,
  getDocument: ({ api }) => createDocument(api),
  sendInvoice: ({ api }) => api.patch('/api/account', { mail: { invoice: true } }),
  resolvePayment: ({ api }) => createHeldPayment(api, 250_000),
  // The refund is of the newest completed payment, which must not be voided.
  voidPayment: ({ api }) => createPartPayment(api),
  createRefund: ({ api }) => createPartPayment(api),
  confirmClaim: async (account) => nameClaim((await createClaimedPart(account.api)).id, account),
  rejectClaim: async (account) => nameClaim((await createClaimed(account.api)).id, account),
  // The sample names the file of the examples.
  previewStatementFile: ({ accountId }) => storeExampleFile(accountId),
  // Each sample decides about the only row of the newest statement.
  matchStatementRow: createRow,
  ignoreStatementRow: createRow,
};

async function createDelivery({ api, receiver }: SampleAccount): Promise<void> {
  const { json } = await api.post('/api/webhooks', { url: receiver.urlOf('/new'), events: ['*'] });
  await api.post('/api/invoices', invoiceBody());
  const path = `/api/webhooks/${json.id}/deliveries`;
  await waitUntil('a delivery', async () => (await api.get(path)).json.data.length > 0);
}

/** Gives the claim of an invoice the ID of the examples, which the samples name. */
async function nameClaim(invoiceId: string, { stack }: SampleAccount): Promise<void> {
  const item = await tableOf(stack).get(tableKeys.record(invoiceId));
  await tableOf(stack).put({ ...item, claim: { ...(item?.claim as object), id: claimExample.id } });
}

async function createRow({ api }: SampleAccount): Promise<void> {
  await createStatement(api, { amount: 250_000 }, 'BTN');
}
