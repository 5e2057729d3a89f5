/**
 * Decides which changes of a product are allowed. Pure. No event follows from any change, and no invoice changes with a product.
 *
 * A product is `active` in its list until it is deleted, also if it is archived: lists only move forward, and an archived product can
 * become active again.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import { type Change, internalChange } from '../../store/commit/command.ts';
import { requireUnchanged } from '../versions/read-only-fields.ts';
import {
  type CreateProduct,
  type Product,
  showProduct,
  taxOf,
  type UpdateProduct,
  updateProductBody,
} from './product.ts';

/** The owner, sequence number and id of a new product. */
interface NewProductIdentity extends Owner {
  readonly id: string;
  readonly seq: number;
}

/** Creates a product. */
export function createProduct(
  identity: NewProductIdentity,
  body: CreateProduct,
  now: Instant,
): Change<Product> {
  const product: Product = {
    ...identity,
    version: 1,
    objectVersion: 1,
    filterKeys: [],
    status: 'active',
    name: body.name,
    description: body.description ?? null,
    unit: body.unit ?? null,
    unitAmounts: body.unitAmounts,
    tax: taxOf(body),
    productCode: body.productCode ?? null,
    isArchived: false,
    createdAt: now,
    updatedAt: now,
    deletedAt: undefined,
  };
  return { ...internalChange(product), indexEntry: entryOf(product) };
}

/**
 * Sets the fields that the body names. Null removes an optional field, and the prices are replaced as a whole. Returns undefined if the
 * product has these values already.
 * @throws ApiError `immutable_field` if a read-only field differs from its current value
 */
export function updateProduct(
  product: Product,
  body: UpdateProduct,
  now: Instant,
): Change<Product> | undefined {
  const { status, ...sent } = requireUnchanged('products', updateProductBody, showProduct(product), body);
  const named = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
  const isArchived = status === undefined ? product.isArchived : status === 'archived';
  const next: Product = { ...product, ...named, isArchived };
  if (isDeepStrictEqual(showProduct(next), showProduct(product))) return undefined;
  return internalChange({
    ...next,
    version: product.version + 1,
    objectVersion: product.objectVersion + 1,
    updatedAt: Math.max(now, product.updatedAt + 1),
  });
}

/** Deletes a product. Its record stays without its fields, because lists and sequence numbers depend on it. */
export function deleteProduct(product: Product, now: Instant): Change<Product> {
  const { account, mode, id, seq, version, objectVersion, createdAt, updatedAt } = product;
  const deletedAt = Math.max(now, updatedAt + 1);
  const tombstone: Product = {
    account,
    mode,
    id,
    seq,
    version: version + 1,
    objectVersion: objectVersion + 1,
    filterKeys: [],
    status: 'deleted',
    name: '',
    description: null,
    unit: null,
    unitAmounts: {},
    tax: 'none',
    productCode: null,
    isArchived: true,
    createdAt,
    updatedAt: deletedAt,
    deletedAt,
  };
  return { ...internalChange(tombstone), indexEntry: entryOf(tombstone) };
}

const entryOf = ({ seq, status }: Product) => ({
  resource: 'product' as const,
  seq,
  filterKeys: [],
  status,
});
