/** Reads, lists, creates, changes and deletes products in the table. */
import { ApiError } from '../../base/errors.ts';
import { isRecordId, type Owner, recordId } from '../../base/ids.ts';
import { paginationOf } from '../../base/pagination.ts';
import { type Instant, toTimestamp } from '../../base/time.ts';
import type { Principal } from '../../store/account-state.ts';
import { Command, requireNew } from '../../store/commit/command.ts';
import type { IndexView } from '../../store/lists/pages/index-view.ts';
import { type ListQuery, listRecords } from '../../store/lists/pages/lists.ts';
import { readListIndex } from '../../store/lists/pages/read-index.ts';
import { type LoadedRecord, readRecord, readRecords } from '../../store/records.ts';
import type { LinesBody } from '../charges/line.ts';
import { productsIn } from './fill-lines.ts';
import {
  type CreateProduct,
  type Product,
  type ProductDeletion,
  type ShownProduct,
  showProduct,
  type UpdateProduct,
} from './product.ts';
import { productType } from './record.ts';
import { createProduct, deleteProduct, updateProduct } from './transitions.ts';

/** Reads one product. */
export function readProduct(owner: Owner, id: string): Promise<LoadedRecord<Product>> {
  return readRecord(productType, owner, id);
}

/**
 * Reads the products with these ids, in one call. Ids of no product, and those of other owners, are left out.
 * @param ids at most 100 different ones
 * @returns the products that are not deleted, by id. Without ids, nothing is read
 * @throws MalformedItemError
 */
async function readProducts(owner: Owner, ids: readonly string[]): Promise<ReadonlyMap<string, Product>> {
  const possible = [...new Set(ids)].filter((id) => isRecordId('product', id));
  if (possible.length === 0) return new Map();
  const { records, malformed } = await readRecords(productType, owner, possible);
  for (const error of malformed.values()) throw error;
  return new Map([...records].filter(([, { status }]) => status === 'active'));
}

/**
 * Reads the products that the lines of a body name. Two reads of the same lines make one call.
 * @param which `incomplete`: only the products of lines that leave something to them
 * @throws MalformedItemError
 */
export function readProductsOf(
  owner: Owner,
  body: LinesBody,
  which: 'all' | 'incomplete',
): Promise<ReadonlyMap<string, Product>> {
  const begun = body.lines && productReads.get(body.lines);
  if (begun) return begun;
  const read = readProducts(owner, productsIn(body, which));
  if (body.lines) productReads.set(body.lines, read);
  return read;
}

const productReads = new WeakMap<object, Promise<ReadonlyMap<string, Product>>>();

/**
 * Returns the product of a loaded record.
 * @throws ApiError `product_not_found` if it does not exist, or is deleted
 */
export function requireProduct({ record }: Pick<LoadedRecord<Product>, 'record'>): Product {
  if (record?.status !== 'active') throw new ApiError('product_not_found');
  return record;
}

/** Creates the command that creates a product, with the sequence number that authorization allocated. */
export function createProductCommand(
  { owner, idKeys, seq }: Principal,
  body: CreateProduct,
  now: Instant,
): Command<[Product], ShownProduct> {
  const id = recordId(idKeys.of(seq), { ...owner, resource: 'product' }, seq);
  const change = createProduct({ ...owner, id, seq }, body, now);
  return new Command([{ type: productType, owner, id, record: undefined }], (existing) => {
    requireNew(existing);
    return { changes: [change], answer: showProduct(change.record) };
  });
}

/**
 * Creates the command that updates a product. The command throws the errors of `updateProduct`.
 * @param require checks a further condition on the product, and throws if the product does not meet it
 */
export function updateProductCommand(
  loaded: LoadedRecord<Product>,
  body: UpdateProduct,
  now: Instant,
  require?: (product: Product) => void,
): Command<[Product], ShownProduct> {
  return new Command([loaded], (record) => {
    const product = requireProduct({ record });
    require?.(product);
    const change = updateProduct(product, body, now);
    return { changes: [change], answer: showProduct(change?.record ?? product) };
  });
}

/** Creates the command that deletes a product. Invoices keep what they took from it. */
export function deleteProductCommand(
  loaded: LoadedRecord<Product>,
  now: Instant,
): Command<[Product], ProductDeletion> {
  return new Command([loaded], (record) => {
    const change = deleteProduct(requireProduct({ record }), now);
    const { id, updatedAt } = change.record;
    return { changes: [change], answer: { id, deletedAt: toTimestamp(updatedAt) } };
  });
}

/** Reads the index of the list of all products. */
export const readProductIndex = (owner: Owner): Promise<IndexView> => readListIndex(owner, 'product', []);

/**
 * Reads one page of the list, newest first, with the exact total and without deleted products.
 * @param view the index of the list, from `readProductIndex`
 */
export async function listProductPage(
  principal: Principal,
  view: IndexView,
  query: Pick<ListQuery, 'offset' | 'limit' | 'isReadOnly'>,
) {
  const { rows, total, count } = await listRecords(productType, principal, view, {
    status: 'active',
    ...query,
  });
  const { offset, limit } = query;
  return { data: rows.map(showProduct), pagination: paginationOf({ offset, limit, total, count }) };
}
