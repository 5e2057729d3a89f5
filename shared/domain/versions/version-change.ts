/** Says how a version differs from the version before. Versions only add: a request of an earlier version keeps its meaning. */
import type { ApiVersion } from './versions.ts';

/** The resources that versions change, named as in the paths of the API. `events` is the event around its resource. */
export const versionedResources = ['invoices', 'payments', 'refunds', 'webhooks', 'keys', 'events'] as const;

export type VersionedResource = (typeof versionedResources)[number];

/**
 * The fields that a version adds to a resource, in responses and in request bodies. Each has the value that the resource
 * shows if its stored form does not have the field. Undefined: then the field is left out. `Derived`: the value follows from the
 * other fields, so that it is not stored.
 */
export type AddedFields = Readonly<Record<string, unknown>>;

/** Computes the value of a field that a stored resource does not have. Never throws. */
export class Derived {
  readonly from: (resource: Readonly<Record<string, unknown>>) => unknown;

  constructor(from: Derived['from']) {
    this.from = from;
  }
}

/**
 * The query parameters that a version adds to the list of a resource. A function says which values are new of a parameter
 * that earlier versions also have.
 */
export type AddedParameters = Readonly<Record<string, true | ((value: unknown) => boolean)>>;

/**
 * The fields with values that earlier versions do not have. Each function returns the value that earlier versions show instead, from the
 * value and its resource as it is stored.
 */
export type EarlierValues = Readonly<
  Partial<Record<VersionedResource, Readonly<Record<string, EarlierValue>>>>
>;

/** Returns the value that earlier versions show. */
export type EarlierValue = (value: unknown, resource: Readonly<Record<string, unknown>>) => unknown;

export interface VersionChange {
  readonly version: ApiVersion;
  /** The fields of bodies to create a resource that earlier versions require, because they lack the alternative. */
  readonly requiredBefore?: Readonly<Partial<Record<VersionedResource, readonly string[]>>>;
  readonly earlierValues?: EarlierValues;
  readonly fields: Readonly<Record<VersionedResource, AddedFields>>;
  readonly parameters: Readonly<Record<VersionedResource, AddedParameters>>;
}
