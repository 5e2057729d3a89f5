/** Creates an account with many paid invoices. Writes the items that the service would have written to the table. */
import type { Stack } from '../../infra/local/stack.ts';
import { type Owner, type Resource, recordId } from '../../shared/base/ids.ts';
import { accountStateAttributes, IdKeys } from '../../shared/store/account-state.ts';
import { pageSize, tableKeys } from '../../shared/store/keys.ts';
import { type Api, invoiceBody, newAccount } from './api.ts';
import { type TestItem, tableOf } from './table.ts';

export interface PaidInvoices {
  readonly owner: Owner;
  readonly api: Api;
  /** The key of the record with this number. */
  keyOf(resource: Resource, seq: number): { pk: string; sk: string };
}

/**
 * Creates an account with `count` invoices of `customers` customers. Each is paid by one offline payment, which has the
 * same number as its invoice.
 */
export async function newPaidInvoices(
  stack: Stack,
  { count, customers }: { readonly count: number; readonly customers: number },
): Promise<PaidInvoices> {
  const { createInvoice } = await import('../../shared/domain/invoices/transitions.ts');
  const { customerFilterKey, invoiceType } = await import('../../shared/domain/invoices/record.ts');
  const { recordOffline } = await import('../../shared/domain/payments/transitions.ts');
  const { paymentType } = await import('../../shared/domain/payments/record.ts');
  const { toItem } = await import('../../shared/store/records.ts');
  const table = tableOf(stack);
  const { accountId, test: api } = await newAccount(stack.baseUrl);
  const owner: Owner = { account: accountId, mode: 'test' };
  const state = (await table.get(tableKeys.accountState(owner))) ?? {};
  const idKeys = new IdKeys(state);
  const idOf = (resource: Resource, seq: number) => recordId(idKeys.of(seq), { ...owner, resource }, seq);
  const at = Date.now() - 86_400_000;
  const items: TestItem[] = [];
  const pages = new Map<string, TestItem>();
  const list = (resource: Resource, { seq, filterKeys }: { seq: number; filterKeys: readonly string[] }) => {
    // An invoice was pending before it was paid.
    const sets = resource === 'invoice' ? ['c', 'p'] : ['p'];
    for (const filterKey of ['', ...filterKeys]) {
      const key = tableKeys.indexPage(owner, resource, filterKey, Math.floor(seq / pageSize));
      const page = pages.get(`${key.pk} ${key.sk}`) ?? { ...key };
      for (const set of sets) page[set] = new Set([...(page[set] ?? []), Uint8Array.of(seq % pageSize)]);
      pages.set(`${key.pk} ${key.sk}`, page);
    }
  };
  for (let seq = 1; seq <= count; seq++) {
    const customerId = `cust_${seq % customers}`;
    const id = idOf('invoice', seq);
    const filterKeys = [await customerFilterKey(customerId)];
    const identity = { ...owner, id, seq, filterKeys, paymentUrl: '' };
    const { record } = createInvoice(identity, invoiceBody({ customerId }) as never, at);
    const offline = { amount: undefined, reference: null };
    const paid = recordOffline({ ...owner, id: idOf('payment', seq), seq }, record, offline, at);
    items.push(toItem(paymentType, paid[0].record, 'seeded'), toItem(invoiceType, paid[1].record, 'seeded'));
    list('payment', paid[0].record);
    list('invoice', paid[1].record);
  }
  await table.putAll([...items, ...pages.values()]);
  const { invoice, payment } = accountStateAttributes.seq;
  await table.put({ ...state, [invoice]: count, [payment]: count });
  return { owner, api, keyOf: (resource, seq) => tableKeys.record(idOf(resource, seq)) };
}
