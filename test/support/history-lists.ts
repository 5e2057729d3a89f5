/**
 * Lists against the model: a list contains every change that was answered before it began and none that began after
 * it ended; what lies between may be in it or not, each element by itself. From that follow bounds for the total
 * and for the place of every row.
 */
import type { Chain, ShownInvoice } from './audit-table.ts';
import type { Call, ListAnswer, ListQuery } from './history.ts';
import type { Moments } from './history-order.ts';

export interface Listed {
  readonly chain: Chain;
  readonly moments: Moments;
  /** For each version from 1, the place from which on every list that begins knows of it: of all, of a customer. */
  readonly listedFrom: { readonly all: number[]; readonly customer: number[] };
}

/** Which of the two a list is. */
export const dimensionOf = (query: ListQuery | undefined) =>
  query?.customerId === undefined ? ('all' as const) : ('customer' as const);

type Match = 'certain' | 'possible' | 'none';

/** @param listed the owner's invoices, newest first */
export function listFaults(call: Call, listed: readonly Listed[]): string[] {
  const { data, pagination } = JSON.parse(call.answer?.text ?? '') as ListAnswer;
  const query = call.query as ListQuery;
  const faults = [...pageFaults(query, data, pagination), ...rowFaults(query, data)];
  const places = new Map(data.map(({ id }, index) => [id, index]));
  const bounds = { certain: 0, possible: 0 };
  let lastPlace = -1;
  for (const element of listed) {
    const { id } = element.chain;
    const place = places.get(id);
    const match = matchOf(element, call);
    if (place !== undefined) {
      const rank = query.offset + place;
      if (place !== lastPlace + 1) faults.push(`${id} stands in row ${place}, the order is another`);
      if (rank < bounds.certain) faults.push(`${id} has place ${rank}, ${bounds.certain} newer ones match`);
      if (rank > bounds.possible)
        faults.push(`${id} has place ${rank}, ${bounds.possible} newer ones can match`);
      if (match === 'none') faults.push(`${id} is listed and cannot match`);
      lastPlace = place;
    } else if (match === 'certain' && isWithin(lastPlace, data, query)) {
      faults.push(`${id} matches for certain and is missing behind row ${lastPlace}`);
    }
    if (match === 'certain') bounds.certain += 1;
    if (match !== 'none') bounds.possible += 1;
  }
  const { total } = pagination;
  if (total < bounds.certain) faults.push(`the total is ${total}, ${bounds.certain} match for certain`);
  if (total > bounds.possible) faults.push(`the total is ${total}, only ${bounds.possible} can match`);
  const known = new Set(listed.map(({ chain }) => chain.id));
  for (const { id } of data) if (!known.has(id)) faults.push(`${id} is listed and does not exist`);
  return faults.map((fault) => `list ${call.label} ${JSON.stringify(query)}: ${fault}`);
}

/** Whether a row is missing if it is missing here: between two rows, or at an end that the page reaches. */
function isWithin(lastPlace: number, data: readonly unknown[], { offset, limit }: ListQuery): boolean {
  if (lastPlace === -1) return offset === 0;
  return lastPlace < data.length - 1 || data.length < limit;
}

function pageFaults(
  { limit, offset }: ListQuery,
  data: readonly unknown[],
  pagination: ListAnswer['pagination'],
): string[] {
  const { total, hasMore } = pagination;
  const faults: string[] = [];
  if (pagination.limit !== limit || pagination.offset !== offset) faults.push('echoes another page');
  const length = Math.min(limit, Math.max(0, total - offset));
  if (data.length !== length) faults.push(`has ${data.length} rows of ${length} (total ${total})`);
  if (hasMore !== offset + data.length < total) faults.push(`says hasMore ${hasMore} with total ${total}`);
  return faults;
}

function rowFaults(query: ListQuery, data: readonly ShownInvoice[]): string[] {
  const ids = new Set(data.map(({ id }) => id));
  const faults = ids.size === data.length ? [] : ['shows a row twice'];
  for (const { id, status, customerId } of data) {
    if (query.status !== undefined && status !== query.status) faults.push(`shows ${id}, which is ${status}`);
    if (!isCustomer(query, customerId)) faults.push(`shows ${id} of ${customerId}`);
  }
  return faults;
}

const isCustomer = ({ customerId }: ListQuery, other = '') =>
  customerId === undefined || customerId.toLowerCase() === other.toLowerCase();

function matchOf({ chain, moments, listedFrom }: Listed, { query, begin, end }: Call): Match {
  const { versions } = chain;
  if (!query || !isCustomer(query, versions[0]?.invoice.customerId)) return 'none';
  const from = listedFrom[dimensionOf(query)];
  let least = 0;
  for (let version = 1; version <= versions.length; version++) {
    if ((from[version] ?? Number.POSITIVE_INFINITY) < begin) least = version;
  }
  let matching = 0;
  let other = 0;
  for (let version = least; version <= versions.length; version++) {
    if ((moments.after[version]?.place ?? 0) > end) break;
    const status = versions[version - 1]?.invoice.status;
    if (status !== undefined && (query.status === undefined || query.status === status)) matching += 1;
    else other += 1;
  }
  if (matching === 0) return 'none';
  return other === 0 ? 'certain' : 'possible';
}
