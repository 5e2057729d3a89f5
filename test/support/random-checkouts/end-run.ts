/**
 * Ends a run of random checkouts: lets all timers pass, lets the merchants decide what waits for them, and looks for money that
 * is lost, invoices that are locked, and differences that the reconciliation reports.
 */
import type { LocalDoubles } from '../../../infra/local/doubles.ts';
import type { Instant } from '../../../shared/base/time.ts';
import {
  type HostedProviderName,
  hostedProviderNames,
} from '../../../shared/domain/payments/provider/hosted-provider.ts';
import { type Api, apiOf } from '../api.ts';
import { differencesOfBooks } from '../checkout-books.ts';
import type { TestClock } from '../clock.ts';
import { inNewestVersion } from '../newest-version.ts';
import type { TestTable } from '../table.ts';
import type { StoryPerformance } from './actors.ts';
import type { KillableStack, NewMerchant } from './killable-stack.ts';
import { dayMs, minuteMs } from './stories.ts';

export interface EndedRun {
  readonly stack: KillableStack;
  readonly table: TestTable;
  readonly clock: TestClock;
  readonly doubles: LocalDoubles;
  readonly merchants: readonly (NewMerchant & { readonly provider: HostedProviderName })[];
  readonly performances: readonly StoryPerformance[];
  readonly begin: Instant;
}

/** Returns what is wrong, with the history of each checkout that it is about. */
export async function endRun(run: EndedRun): Promise<string[]> {
  const { stack, table, doubles, merchants, performances, begin } = run;
  const failures: string[] = [];
  const apis = merchants.map(({ apiKey }) => inNewestVersion(apiOf(stack.baseUrl, apiKey)));
  await stack.revive();
  await settleAll(run, apis);
  for (const { owner } of merchants) await stack.call('reconcileDay', owner);
  await settleAll(run, apis);
  for (const api of apis) failures.push(...(await returnUnneeded(table, api)));
  await settleAll(run, apis);
  for (const api of apis) {
    for (const { id } of await listAll(api, '/api/payments?status=pending&'))
      failures.push(`${id} is still pending`);
    failures.push(...(await cancelAll(api)));
  }
  for (const { owner, provider } of merchants) {
    failures.push(...(await differencesOfBooks(table, doubles[provider], owner)));
    failures.push(...(await stack.call('findDifferences', owner, begin)));
  }
  for (const provider of hostedProviderNames)
    failures.push(...unknownMoney(doubles, provider, await table.all('co_')));
  const told = performances.flatMap(({ faults, story }) =>
    faults.map((fault) => `story ${story.number}: ${fault}`),
  );
  return Promise.all([...failures, ...told].map((failure) => tell(failure, run)));
}

/** The clock advances from timer to timer, and at least this much. */
const shortestStepMs = 30 * minuteMs;
/** How many steps of the clock the merchants wait before they decide again. */
const stepsToDecision = 10;

/** Advances the clock from timer to timer until only reviews of processed refunds are left. The merchants decide meanwhile. */
async function settleAll(run: EndedRun, apis: readonly Api[]): Promise<void> {
  const { stack, clock, table } = run;
  for (let step = 0; step < 400; step++) {
    if (step % stepsToDecision === 0) await Promise.all(apis.map(decide));
    const { left, next } = await stack.call('work');
    if (left === 0) return;
    clock.advance(Math.max(shortestStepMs, (next ?? 0) - clock.now()));
    await stack.call('advanceTo', clock.now());
  }
  const left = (await table.all('TIMER#')).filter(({ due }) => due < clock.now() + dayMs);
  const [first] = await Promise.all(left.map(({ reference }) => tell(`${reference} still has a timer`, run)));
  throw new Error(`${left.length} timers of checkouts or refunds are left. ${first}`);
}

// biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
async function listAll(api: Api, path: string): Promise<any[]> {
  const all = [];
  for (let offset = 0; ; offset += 100) {
    const { data } = (await api.get(`${path}limit=100&offset=${offset}`)).json;
    all.push(...data);
    if (data.length < 100) return all;
  }
}

/** Decides about each payment that waits for the merchant: accepts it, or refunds it if its invoice is paid or has changed. */
async function decide(api: Api): Promise<void> {
  for (const { id, pendingReason } of await listAll(api, '/api/payments?status=pending&')) {
    if (pendingReason !== 'amount_differs') continue;
    const path = `/api/payments/${id}/resolve`;
    if ((await api.post(path, { action: 'accept' })).status !== 200)
      await api.post(path, { action: 'refund' });
  }
}

/** Refunds again what a provider has refused to return. */
async function returnUnneeded(table: TestTable, api: Api): Promise<string[]> {
  const failures: string[] = [];
  const payments = await listAll(api, '/api/payments?');
  const receipts = new Set((await table.all('inv_')).map(({ receipt }) => receipt?.paymentId));
  for (const { id, status, amount, amountRefunded, method, failureCode } of payments) {
    const isTaken = status === 'completed' || failureCode === 'amount_differs';
    if (method !== 'provider' || !isTaken || receipts.has(id) || amountRefunded === amount) continue;
    const { status: answered, text } = await api.post('/api/refunds', { paymentId: id });
    if (answered !== 201) failures.push(`${id} cannot be refunded: ${text}`);
  }
  return failures;
}

/** Cancels each invoice that is not paid. None may be locked. */
async function cancelAll(api: Api): Promise<string[]> {
  const failures: string[] = [];
  for (const { id, status } of await listAll(api, '/api/invoices?')) {
    if (status !== 'pending' && status !== 'overdue') continue;
    const { status: answered, text } = await api.delete(`/api/invoices/${id}`);
    if (answered !== 200) failures.push(`${id} is locked: ${text}`);
  }
  return failures;
}

/** Money whose checkout this service does not have. */
function unknownMoney(
  doubles: LocalDoubles,
  provider: HostedProviderName,
  checkouts: readonly { readonly pk?: string }[],
): string[] {
  const known = new Set(checkouts.map(({ pk }) => pk));
  const unknown = doubles[provider].books().filter(({ key }) => !known.has(key));
  return unknown.map(({ reference }) => `${reference} has no checkout`);
}

/** Adds the history of the checkout that a failure names, and its records. */
async function tell(failure: string, { table, performances }: EndedRun): Promise<string> {
  const named = /\b(?:inv|co|pay|ref|pi|rfnd|re)_\w+/.exec(failure)?.[0];
  const number = /^story (\d+):/.exec(failure)?.[1];
  const records = await table.all('');
  const isAbout = (item: (typeof records)[number]) =>
    item.pk === named || item.providerReference === named || item.reference === named;
  const about = records.find((item) => isAbout(item) && /^(inv|co|pay|ref)_/.test(item.pk));
  const invoiceId = about?.invoiceId ?? about?.pk;
  const performance = performances.find(
    ({ story, invoice }) => String(story.number) === number || invoice?.id === invoiceId,
  );
  if (!performance) return failure;
  const id = performance.invoice?.id;
  const own = records.filter(
    ({ pk, invoiceId: of }) => /^(inv|co|pay|ref)_/.test(pk) && (pk === id || of === id),
  );
  return [
    failure,
    `story ${performance.story.number} at ${performance.story.provider}`,
    ...performance.history,
    ...own.map((item) => JSON.stringify(item)),
  ].join('\n  ');
}
