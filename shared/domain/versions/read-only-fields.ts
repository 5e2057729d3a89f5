/** Refuses changes of fields that never change, or that the service sets. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../base/errors.ts';
import { versionChanges } from './changes.ts';
import type { VersionedResource } from './version-change.ts';

/** The resources to which no version adds fields. */
const plainResources = ['customers', 'products', 'drafts', 'schedules', 'account'] as const;
type PlainResource = (typeof plainResources)[number];

/** The schema of the body of an update. It accepts any value of a read-only field, so it has the type `unknown`. */
interface UpdateSchema {
  readonly entries: Readonly<Record<string, { readonly wrapped: { readonly type: string } }>>;
}

type Values = Readonly<Record<string, unknown>>;
type ChangeableField<Body> = {
  [Field in keyof Body]-?: unknown extends Body[Field] ? never : Field;
}[keyof Body];

/** Returns the names of the fields that an update can change, in the order of the schema. */
export const changeableFields = ({ entries }: UpdateSchema): string[] =>
  Object.keys(entries).filter((field) => entries[field]?.wrapped.type !== 'unknown');

/**
 * Accepts read-only fields that have their current value, so a client can send back a resource that it received.
 * @param resource the resource, named as in the paths of the API
 * @param shown the resource as the API shows it
 * @param body the body of the update, validated by the schema
 * @returns the fields of the body that can change
 * @throws ApiError `immutable_field`
 */
export function requireUnchanged<Body extends Values>(
  resource: VersionedResource | PlainResource,
  schema: UpdateSchema,
  shown: Values,
  body: Body,
): Pick<Body, ChangeableField<Body>> {
  const changeable = changeableFields(schema);
  for (const field of Object.keys(schema.entries)) {
    if (changeable.includes(field) || body[field] === undefined) continue;
    if (isDeepStrictEqual(body[field], shown[field])) continue;
    const message = `${field} is read-only. Leave it out or send its current value. Only ${withVersions(resource, changeable)} can change.`;
    throw new ApiError('immutable_field', { field, message });
  }
  const sent = Object.entries(body).filter(([field]) => changeable.includes(field));
  return Object.fromEntries(sent) as Pick<Body, ChangeableField<Body>>;
}

const isPlain = (resource: VersionedResource | PlainResource): resource is PlainResource =>
  (plainResources as readonly string[]).includes(resource);

/** Lists fields, and says from which version on the API has those that were added. */
function withVersions(resource: VersionedResource | PlainResource, fields: readonly string[]): string {
  const versions = versionChanges.map(({ version, fields: added }) => ({
    version,
    added: fields.filter((field) => !isPlain(resource) && field in added[resource]),
  }));
  const first = fields.filter((field) => !versions.some(({ added }) => added.includes(field)));
  const later = versions.filter(({ added }) => added.length > 0);
  if (later.length === 0) return listed(first);
  const texts = later.map(({ version, added }) => ` and, from version ${version} on, ${listed(added)}`);
  return `${first.join(', ')}${texts.join('')}`;
}

/** Lists words: `a, b and c`. @param conjunction the word before the last one */
export function listed(words: readonly string[], conjunction = 'and'): string {
  const [last = '', ...others] = words.toReversed();
  return others.length === 0 ? last : `${others.reverse().join(', ')} ${conjunction} ${last}`;
}
