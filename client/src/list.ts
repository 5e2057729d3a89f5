/** Reads lists of the API: one page, or all items page by page. */
import type { paths } from './api-types.ts';
import type { ApiCall, RequestOptions } from './call.ts';

interface Query {
  readonly limit?: number;
  readonly offset?: number;
  readonly after?: string;
  readonly status?: unknown;
  readonly createdTo?: string;
}

/** Requests one page. */
type ReadPage<Page> = (query: Query) => Promise<Page>;
/** Requests all pages and returns their items. */
type ReadItems<Item, Page> = (readPage: ReadPage<Page>, query: Query) => AsyncGenerator<Item>;

interface OffsetPage<Item> {
  readonly data: readonly Item[];
  readonly pagination: { readonly hasMore: boolean; readonly total: number };
}

interface CursorPage<Item> {
  readonly data: readonly Item[];
  readonly cursor: { readonly hasMore: boolean; readonly next: string | null };
}

/** The largest page size that the API allows. */
const defaultPageSize = 100;

/**
 * By how much an item can be newer than an item before it in a list that is sorted newest first. The service allows for requests of
 * 30 seconds, and for clocks that differ.
 */
const maxDisorderMs = 120_000;

/**
 * A list of items. `await` the list, or call `page()`, to get one page. Use `for await` to get all items from that page on:
 * it requests pages of `limit` items when it needs them. Creating a list sends no request.
 */
export class List<Item, Page> implements AsyncIterable<Item>, PromiseLike<Page> {
  readonly #readPage: ReadPage<Page>;
  readonly #query: Query;
  readonly #readItems: ReadItems<Item, Page>;
  #page: Promise<Page> | undefined;

  constructor(
    call: ApiCall,
    path: keyof paths,
    options: RequestOptions | undefined,
    input: { readonly id?: string; readonly query: Query },
    readItems: ReadItems<Item, Page>,
  ) {
    this.#readPage = (query) => call('GET', path, options, { ...input, query }) as Promise<Page>;
    this.#query = input.query;
    this.#readItems = readItems;
  }

  /** Returns the requested page, with its items and its position in the list. */
  page(): Promise<Page> {
    this.#page ??= this.#readPage(this.#query);
    return this.#page;
  }

  // biome-ignore lint/suspicious/noThenProperty: the list is meant to be awaited
  then<Value = Page, Other = never>(
    onPage?: ((page: Page) => Value | PromiseLike<Value>) | null,
    onError?: ((reason: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<Value | Other> {
    return this.page().then(onPage, onError);
  }

  /** Returns every item once. */
  [Symbol.asyncIterator](): AsyncGenerator<Item> {
    return this.#readItems(this.#readPage, this.#query);
  }
}

/**
 * Reads all items of a list that is paged by offset. Such a list can shift between two requests:
 * - New items move other items to the next page. The `seen` IDs prevent that an item is returned twice.
 * - If an item leaves the list, such as a pending invoice that is cancelled, other items move to a page that was already read.
 *   Each page therefore overlaps with the items read so far. If it does not, items were skipped, and the previous page is
 *   requested again.
 */
export async function* readByOffset<Item extends { readonly id: string }>(
  readPage: ReadPage<OffsetPage<Item>>,
  query: Query,
  seen = new Set<string>(),
): AsyncGenerator<Item> {
  const { offset: start = 0 } = query;
  const limit = Math.max(query.limit ?? defaultPageSize, 2);
  for (let offset = start + Math.max(seen.size - 1, 0); ; ) {
    const { data, pagination } = await readPage({ ...query, limit, offset });
    const unseen = data.filter(({ id }) => !seen.has(id));
    if (offset > start && unseen.length === data.length) {
      offset = Math.max(start, offset - limit);
      continue;
    }
    for (const item of unseen) {
      seen.add(item.id);
      yield item;
    }
    if (!pagination.hasMore) return;
    offset += data.length - 1;
  }
}

/**
 * Reads all items of a list that has the filter `createdTo`. From the second page on, this filter keeps new items out, so pages
 * do not overlap.
 * - The filter ends `maxDisorderMs` after the newest item of the first page. So it includes every item that follows that page.
 *   Items that are created meanwhile within this time move others to the next page, and are not returned.
 * - A smaller total says that the filter leaves out older items, or that items left the list. `readByOffset` then reads the rest.
 *   Older items can have later times if the clock of test mode is ahead, because payment pages have the real time.
 * - Items can leave a list of a `status` at any time, and a caller that sets `createdTo` or an offset has chosen a range.
 *   `readByOffset` reads these lists.
 */
export async function* readHeldStill<Item extends { readonly id: string; readonly createdAt: string }>(
  readPage: ReadPage<OffsetPage<Item>>,
  query: Query,
): AsyncGenerator<Item> {
  const { limit = defaultPageSize } = query;
  if (query.offset || query.createdTo !== undefined || query.status !== undefined) {
    return yield* readByOffset(readPage, query);
  }
  const seen = new Set<string>();
  let held: { readonly total: number; readonly createdTo?: string } | undefined;
  for (let offset = 0; ; offset += limit) {
    const { total = 0, ...filter } = held ?? {};
    const { data, pagination } = await readPage({ ...query, limit, offset, ...filter });
    if (pagination.total < total) return yield* readByOffset(readPage, query, seen);
    for (const item of data) {
      if (seen.has(item.id)) continue;
      seen.add(item.id);
      yield item;
    }
    if (!pagination.hasMore) return;
    held ??= { total: pagination.total, ...filterUpTo(data) };
  }
}

/** Returns the filter for a list with these first items. Without items, because none of them is readable, it is empty. */
function filterUpTo(items: readonly { readonly createdAt: string }[]): { readonly createdTo?: string } {
  const newest = Math.max(...items.map(({ createdAt }) => Date.parse(createdAt)));
  return items.length > 0 ? { createdTo: new Date(newest + maxDisorderMs).toISOString() } : {};
}

/** Reads all items of a list that is paged by ID. Such a list does not shift. */
export async function* readByCursor<Item>(
  readPage: ReadPage<CursorPage<Item>>,
  query: Query,
): AsyncGenerator<Item> {
  const direction = query.after === undefined ? 'before' : 'after';
  let position = {};
  for (;;) {
    const { data, cursor } = await readPage({ limit: defaultPageSize, ...query, ...position });
    yield* data;
    if (!cursor.hasMore) return;
    position = { [direction]: cursor.next };
  }
}
