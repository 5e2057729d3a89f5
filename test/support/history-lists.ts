/**
 * Lists against the model: a list contains every change that was answered before it began and none that began after
 * it ended; what lies between may be in it or not, each element by itself. From that follow bounds for the total
 * and for the place of every row.
 */
import { type Call, callName, type ListAnswer, type ListQuery, type Shown } from './history.ts';
import type { Life } from './history-lives.ts';
import type { Moments } from './history-order.ts';

const filters = ['customerId', 'invoiceId', 'paymentId'] as const;
/** The lists that a resource stands in: of all, of a customer, of an invoice, of a payment. */
type Dimension = 'all' | (typeof filters)[number];

export interface Listed {
  readonly life: Life;
  readonly moments: Moments;
  /** For each version from 1, the place from which on every list of the dimension that begins knows of it. */
  readonly listedFrom: Readonly<Record<Dimension, number[]>>;
}

/** @param from for each version, the place from which on all lists know of it */
export function newListed(life: Life, moments: Moments, from: readonly number[]): Listed {
  const listedFrom = {
    ...{ all: [...from], customerId: [...from], invoiceId: [...from], paymentId: [...from] },
  };
  return { life, moments, listedFrom };
}

/** What this list has shown, every later one of the same dimension knows. */
export function addShown(
  listed: ReadonlyMap<string, Listed>,
  { query, end }: Call,
  rows: readonly Shown[],
): void {
  const dimensions = dimensionsOf(query);
  for (const { id, status } of rows) {
    const element = listed.get(id);
    if (!element) continue;
    const reached = element.life.states.findIndex(({ shown }) => shown.status === status) + 1;
    // Of several dimensions each knows that it exists, and any one of them may have known its state.
    const known = dimensions.length === 1 ? reached : Math.min(reached, 1);
    for (const dimension of dimensions) {
      const from = element.listedFrom[dimension];
      if (known > 0) from[known] = Math.min(from[known] ?? 0, end);
    }
  }
}

function dimensionsOf(query: ListQuery | undefined): readonly Dimension[] {
  const named = filters.filter((name) => query?.[name] !== undefined);
  return named.length === 0 ? ['all'] : named;
}

type Match = 'certain' | 'possible' | 'none';

/** @param listed all of the owner's that the list could show, newest first */
export function listFaults(call: Call, listed: readonly Listed[]): string[] {
  const { data, pagination } = JSON.parse(call.answer?.text ?? '') as ListAnswer;
  const query = call.query as ListQuery;
  const faults = [...pageFaults(query, data, pagination), ...rowFaults(query, data)];
  const places = new Map(data.map(({ id }, index) => [id, index]));
  const bounds = { certain: 0, possible: 0 };
  let lastPlace = -1;
  for (const element of listed) {
    const { id } = element.life;
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
  const known = new Set(listed.map(({ life }) => life.id));
  for (const { id } of data) if (!known.has(id)) faults.push(`${id} is listed and does not exist`);
  return faults.map((fault) => `${callName(call)} ${JSON.stringify(query)}: ${fault}`);
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

function rowFaults(query: ListQuery, data: readonly Shown[]): string[] {
  const ids = new Set(data.map(({ id }) => id));
  const faults = ids.size === data.length ? [] : ['shows a row twice'];
  for (const shown of data) {
    const { id, status } = shown;
    if (query.status !== undefined && status !== query.status) faults.push(`shows ${id}, which is ${status}`);
    for (const name of filters) {
      if (!isOf(query, name, shown)) faults.push(`shows ${id} of ${fieldOf(shown, name)}`);
    }
  }
  return faults;
}

const fieldOf = (shown: Shown, name: (typeof filters)[number]) =>
  String((shown as Partial<Record<typeof name, string>>)[name]);

const isOf = (query: ListQuery, name: (typeof filters)[number], shown: Shown) =>
  query[name] === undefined || query[name].toLowerCase() === fieldOf(shown, name).toLowerCase();

/** Whether the resource can be in the list at all, whatever its state is. */
export const canMatch = (query: ListQuery, shown: Shown): boolean =>
  filters.every((name) => isOf(query, name, shown));

function matchOf({ life, moments, listedFrom }: Listed, { query, begin, end }: Call): Match {
  const { states } = life;
  const [first] = states;
  if (!query || !first || !canMatch(query, first.shown)) return 'none';
  const leastOf = dimensionsOf(query).map((dimension) =>
    listedFrom[dimension].findLastIndex((from, version) => version > 0 && from < begin),
  );
  // It is listed if all dimensions have it; its state is the latest that any of them knows.
  const least = Math.min(...leastOf) < 1 ? 0 : Math.max(...leastOf);
  let matching = 0;
  let other = 0;
  for (let version = least; version <= states.length; version++) {
    if ((moments.after[version]?.place ?? 0) > end) break;
    const status = states[version - 1]?.shown.status;
    if (status !== undefined && (query.status === undefined || query.status === status)) matching += 1;
    else other += 1;
  }
  if (matching === 0) return 'none';
  return other === 0 ? 'certain' : 'possible';
}
