/** A list of the API: one page of it, or all that it holds, page after page. */
import type { paths } from './api-types.ts';
import type { Call, RequestOptions } from './call.ts';

interface Query {
  readonly limit?: number;
  readonly offset?: number;
  readonly after?: string;
}

/** Reads one page. */
type Read<Page> = (query: Query) => Promise<Page>;
type Items<Item, Page> = (read: Read<Page>, query: Query) => AsyncGenerator<Item>;

interface OffsetPage<Item> {
  readonly data: readonly Item[];
  readonly pagination: { readonly hasMore: boolean };
}

interface CursorPage<Item> {
  readonly data: readonly Item[];
  readonly cursor: { readonly hasMore: boolean; readonly next: string | null };
}

/** As large as pages can be. */
const defaultPageSize = 100;

/**
 * `await` it, or call `page()`, for the page that was asked for; or go through all from there on with `for await`, which
 * asks for pages of `limit` items as it needs them. Nothing is requested before.
 */
export class List<Item, Page> implements AsyncIterable<Item>, PromiseLike<Page> {
  readonly #read: Read<Page>;
  readonly #query: Query;
  readonly #items: Items<Item, Page>;
  #page: Promise<Page> | undefined;

  constructor(
    call: Call,
    path: keyof paths,
    options: RequestOptions | undefined,
    input: { readonly id?: string; readonly query: Query },
    items: Items<Item, Page>,
  ) {
    this.#read = (query) => call('GET', path, options, { ...input, query }) as Promise<Page>;
    this.#query = input.query;
    this.#items = items;
  }

  /** The page that was asked for, with what the API says about its place. */
  page(): Promise<Page> {
    this.#page ??= this.#read(this.#query);
    return this.#page;
  }

  // biome-ignore lint/suspicious/noThenProperty: to be awaited is what it is for
  then<Value = Page, Other = never>(
    onPage?: ((page: Page) => Value | PromiseLike<Value>) | null,
    onError?: ((reason: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<Value | Other> {
    return this.page().then(onPage, onError);
  }

  /** Every item, once. */
  [Symbol.asyncIterator](): AsyncGenerator<Item> {
    return this.#items(this.#read, this.#query);
  }
}

/**
 * All items of a list that is paged by offset. Such a list shifts while it is read: new items push others on to the next
 * page, and one that leaves, such as a pending invoice that is cancelled, lets others move up into a page that was
 * read already. So each page is to overlap with what was read; one that does not is behind a gap, and is left for the one
 * before it.
 */
export async function* byOffset<Item extends { readonly id: string }>(
  read: Read<OffsetPage<Item>>,
  query: Query,
): AsyncGenerator<Item> {
  const { offset: start = 0 } = query;
  const limit = Math.max(query.limit ?? defaultPageSize, 2);
  const seen = new Set<string>();
  for (let offset = start; ; ) {
    const { data, pagination } = await read({ ...query, limit, offset });
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

/** All items of a list that is paged by ids, which does not shift. */
export async function* byCursor<Item>(read: Read<CursorPage<Item>>, query: Query): AsyncGenerator<Item> {
  const direction = query.after === undefined ? 'before' : 'after';
  let place = {};
  for (;;) {
    const { data, cursor } = await read({ limit: defaultPageSize, ...query, ...place });
    yield* data;
    if (!cursor.hasMore) return;
    place = { [direction]: cursor.next };
  }
}
