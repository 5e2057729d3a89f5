/**
 * Checks a history against the sequential model: no answered write lost, no effect twice, every answer consistent
 * with an order that respects real time. The states that invoices have had come from the table's events.
 */
import type { Chain, ShownInvoice } from './audit-table.ts';
import { type Call, codeOf, type History, isDone, type ListAnswer } from './history.ts';
import { dimensionOf, type Listed, listFaults } from './history-lists.ts';
import { keyFaults, type Operation, operationsOf } from './history-operations.ts';
import { type Moments, momentsOf, orderFaults, type Sight, versionOf } from './history-order.ts';
import { chainFaults, creationFaults, makersOf } from './history-versions.ts';

/** All that is wrong, in words; nothing if the history can be explained. */
export function checkHistory(
  history: History,
  chainsByOwner: ReadonlyMap<string, readonly Chain[]>,
): string[] {
  const byOwner = Map.groupBy(history.calls, ({ owner }) => owner);
  return [...chainsByOwner].flatMap(([owner, chains]) =>
    checkOwner({ ...history, calls: byOwner.get(owner) ?? [] }, chains),
  );
}

function checkOwner(history: History, chains: readonly Chain[]): string[] {
  const { calls } = history;
  const operations = operationsOf(calls);
  const faults = [...keyFaults(operations), ...creationFaults(chains, operations)];
  const known = new Map(chains.map((chain) => [chain.id, chain]));
  const { sights, faults: unseen } = sightsOf(calls, known);
  faults.push(...unseen, ...calls.flatMap((call) => errorFaults(call, known)));

  const byDescription = Map.groupBy(operations, ({ first }) => String(first.body?.description ?? ''));
  const byInvoice = Map.groupBy(operations, ({ first }) => first.invoice ?? '');
  const listed = chains.map((chain): Listed => {
    const creations = byDescription.get(chain.versions[0]?.invoice.description ?? '') ?? [];
    const own = [
      ...creations.filter(({ first }) => first.kind === 'create'),
      ...(byInvoice.get(chain.id) ?? []),
    ];
    const makers = makersOf(chain, own, history);
    const seen = sights.get(chain.id) ?? [];
    const moments = momentsOf(chain, makers.makings, seen, history.settled);
    faults.push(...chainFaults(chain), ...makers.faults, ...orderFaults(chain, moments));
    const from = listedFrom(chain, own, moments);
    return { chain, moments, listedFrom: { all: from, customer: [...from] } };
  });
  listed.sort((a, b) => b.chain.seq - a.chain.seq);
  const lists = calls.filter((call) => call.kind === 'list' && isDone(call));
  addListed(listed, lists);
  return [...faults, ...lists.flatMap((call) => listFaults(call, listed))];
}

/** What each call saw of which invoice. */
function sightsOf(
  calls: readonly Call[],
  known: ReadonlyMap<string, Chain>,
): { sights: Map<string, Sight[]>; faults: string[] } {
  const sights = new Map<string, Sight[]>();
  const faults: string[] = [];
  const add = (id: string, version: number, { begin, end, label, kind }: Call) =>
    sights.set(id, [...(sights.get(id) ?? []), { version, begin, end, by: `${kind} ${label}` }]);
  for (const call of calls) {
    for (const shown of shownBy(call)) {
      const chain = known.get(shown.id);
      const version = chain ? versionOf(chain, shown) : -1;
      if (version === -1)
        faults.push(`${call.kind} ${call.label} shows what never was: ${JSON.stringify(shown)}`);
      // What a replay shows was so when its first request took effect, not now.
      else add(shown.id, version, call.answer?.replayed ? { ...call, begin: 0 } : call);
    }
    const chain = known.get(call.invoice ?? '');
    if (!chain) continue;
    const seen = stateSeen(call, chain);
    // An error tells that the invoice had come so far, not that it had come no further.
    if (seen !== undefined) add(chain.id, seen, seen > 0 ? { ...call, begin: 0 } : call);
  }
  return { sights, faults };
}

/** The invoices in an answer, in full. */
function shownBy(call: Call): readonly ShownInvoice[] {
  if (!isDone(call) || call.kind === 'cancel') return [];
  const json = JSON.parse(call.answer?.text ?? '');
  return call.kind === 'list' ? (json as ListAnswer).data : [json as ShownInvoice];
}

/** The version that a cancellation or an error answer tells of: at least that one. */
function stateSeen(call: Call, { versions }: Chain): number | undefined {
  const first = (wanted: (status: string) => boolean) =>
    versions.findIndex(({ invoice }) => wanted(invoice.status)) + 1;
  const code = codeOf(call);
  if (call.kind === 'cancel' && isDone(call)) return first((status) => status === 'cancelled');
  if (code === 'invoice_already_cancelled') return first((status) => status === 'cancelled');
  if (code === 'invoice_not_pending') return first((status) => status !== 'pending');
  return code === 'invoice_not_found' ? 0 : undefined;
}

const expectedCodes: Readonly<Record<Call['kind'], readonly string[]>> = {
  create: ['invalid_amount', 'idempotency_key_reused'],
  get: ['invoice_not_found'],
  list: [],
  update: ['invalid_amount', 'idempotency_key_reused', 'invoice_not_pending', 'invoice_not_found'],
  cancel: ['idempotency_key_reused', 'invoice_already_cancelled', 'invoice_not_found'],
};

/** Errors must have a reason. */
function errorFaults(call: Call, known: ReadonlyMap<string, Chain>): string[] {
  if (!call.answer) return [];
  const name = `${call.kind} ${call.label}`;
  const isInvalid = call.body?.amount === 0;
  const code = codeOf(call);
  if (isInvalid)
    return code === 'invalid_amount' ? [] : [`${name} was invalid and answered ${call.answer.text}`];
  if (isDone(call)) return [];
  if (!expectedCodes[call.kind].includes(code) || code === 'invalid_amount') {
    return [`${name} was answered ${call.answer.status} ${code}`];
  }
  const chain = known.get(call.invoice ?? '');
  if (code.startsWith('invoice_') && code !== 'invoice_not_found' && !(chain && stateSeen(call, chain))) {
    return [`${name} was answered ${code}, which the invoice never was`];
  }
  return [];
}

const announced: Readonly<Record<string, string>> = {
  create: 'invoice.created',
  cancel: 'invoice.cancelled',
};

/** A change is in all lists once it was answered, first-hand or again, or once everything has settled. */
function listedFrom({ versions }: Chain, operations: readonly Operation[], { settled }: Moments): number[] {
  const from = versions.map(({ type }, index) => {
    if (type === 'invoice.updated') return Number.POSITIVE_INFINITY;
    const answers = operations.filter(({ first }) => announced[first.kind] === type).map(({ end }) => end);
    return Math.min(settled[index + 1] ?? Number.POSITIVE_INFINITY, ...answers);
  });
  return [0, ...from];
}

/** What one list has shown, every later one of the same dimension knows. */
function addListed(listed: readonly Listed[], lists: readonly Call[]): void {
  const byId = new Map(listed.map((element) => [element.chain.id, element]));
  for (const call of lists) {
    for (const shown of shownBy(call)) {
      const element = byId.get(shown.id);
      if (!element) continue;
      const from = element.listedFrom[dimensionOf(call.query)];
      const reached = element.chain.versions.findIndex(({ invoice }) => invoice.status === shown.status) + 1;
      if (reached > 0) from[reached] = Math.min(from[reached] ?? 0, call.end);
    }
  }
}
