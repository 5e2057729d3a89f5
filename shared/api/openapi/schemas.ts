/** Builds `components.schemas`: the named schemas as JSON Schema, and the variants of events and payment bodies. */
import {
  type ConversionConfig,
  type JsonSchema,
  toJsonSchema,
  toJsonSchemaDefs,
} from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { timestampSchema } from '../../base/time.ts';
import type { SchemaObject } from './document-types.ts';
import { errorSchemas } from './error-schemas.ts';
import { fieldTexts } from './field-texts.ts';
import { customSchemas, fieldKeywords, freeText } from './keywords.ts';
import { namedSchemas, type SchemaName } from './named-schemas.ts';
import { eventTexts, schemaTexts } from './schema-texts.ts';

/**
 * Describes what clients send, not what the service makes of it. Checks that JSON Schema cannot express are left out: the
 * service applies them.
 */
const conversion: ConversionConfig = {
  typeMode: 'input',
  errorMode: 'ignore',
  target: 'draft-2020-12',
  overrideAction: ({ valibotAction, jsonSchema }) => {
    if (valibotAction.type === 'safe_integer') return { ...jsonSchema, type: 'integer' };
    const { maxLength, errorCodes } =
      (valibotAction as Partial<v.MetadataAction<string, { maxLength?: number; errorCodes?: object }>>)
        .metadata ?? {};
    // The reference describes the codes of fields elsewhere.
    if (errorCodes) return { ...jsonSchema, errorCodes: undefined } as JsonSchema;
    return maxLength === undefined ? undefined : ({ ...jsonSchema, ...freeText(maxLength) } as JsonSchema);
  },
  overrideSchema: ({ valibotSchema }) => customSchemas.get(valibotSchema) as JsonSchema | undefined,
  overrideRef: ({ referenceId }) => refTo(referenceId).$ref,
};

/** The pattern of `timestampSchema`, by which `tidied` finds timestamps. */
const timestampPattern = timestampSchema.pipe[1].requirement.source;

type Schemas = Record<string, SchemaObject>;

/** Returns a reference to a named schema. */
export const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Returns the name of the schema of an event type, such as `InvoicePaidEvent` for `invoice.paid`. */
export function eventNameOf(type: string): string {
  return `${type.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`;
}

/** Returns all schemas by name. */
export function componentSchemas(): Schemas {
  const converted = toJsonSchemaDefs(namedSchemas, conversion) as unknown as Record<SchemaName, SchemaObject>;
  const named = Object.fromEntries(
    Object.entries(converted).map(([name, schema]) => [name, withTexts(name as SchemaName, tidied(schema))]),
  ) as Record<SchemaName, SchemaObject>;
  return { ...named, ...paymentBodies(named.CreatePayment), ...events(named.Event), ...errorSchemas() };
}

/** Returns the properties of a query as JSON Schemas. */
export function propertiesOf(schema: v.GenericSchema): Schemas {
  return (tidied(toJsonSchema(schema, conversion) as unknown as SchemaObject).properties ?? {}) as Schemas;
}

/** Returns the names of the fields of an object that a request must have. */
export const requiredIn = (schema: v.GenericSchema): readonly string[] =>
  (toJsonSchema(schema, conversion) as unknown as SchemaObject).required ?? [];

function withTexts(name: SchemaName, schema: SchemaObject): SchemaObject {
  const texts: Record<string, string> = fieldTexts[name];
  const keywords: Record<string, SchemaObject> = fieldKeywords[name] ?? {};
  if (!schema.properties) return { description: schemaTexts[name], ...schema };
  const properties = Object.entries(schema.properties).map(([field, property]) => [
    field,
    { ...property, ...keywords[field], description: texts[field] },
  ]);
  return { description: schemaTexts[name], ...schema, properties: Object.fromEntries(properties) };
}

/**
 * Simplifies a schema: `null` becomes one more type instead of an alternative. Timestamps and large integers get a format, and a
 * constant text its type, without which generated clients have a value of any type.
 */
function tidied(schema: SchemaObject): SchemaObject {
  const { anyOf, ...rest } = schema;
  const [inner, ...others] = anyOf ?? [];
  if (others.length === 1 && others[0]?.type === 'null' && typeof inner?.type === 'string') {
    // Generators of clients take a null in an enum for a value with the name null.
    if (inner.enum) return { ...rest, anyOf: [tidied(inner), { type: 'null' }] };
    return { ...rest, ...tidied(inner), type: [inner.type, 'null'] };
  }
  const { properties, items } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, tidied(value)])),
    }),
    ...(items && { items: tidied(items) }),
    ...(schema.pattern === timestampPattern && { format: 'date-time' }),
    ...(isLarge(schema) && { format: 'int64' }),
    ...(typeof schema.const === 'string' && { type: 'string' }),
  };
}

/** Whether an integer can exceed 32 bits. Without a format, clients in some languages cut it to 32 bits. */
function isLarge({ type, maximum }: SchemaObject): boolean {
  return type === 'integer' && !(typeof maximum === 'number' && maximum < 2 ** 31);
}

const offlineFields = ['reference', 'receivedOn', 'bank', 'note', 'allowDuplicateReference', 'acceptOver'];
/** The fields that only a payment outside the service has, and that the reference does not show for other payments. */
const notOfCredit = [...offlineFields, 'card', 'settle', 'claim'];

/** Returns one schema for each payment method, with the fields that it allows, and their union `CreatePayment`. */
function paymentBodies(whole: SchemaObject): Schemas {
  const bodyOf = (
    method: string,
    others: readonly string[],
    required: readonly string[],
    description: string,
  ) => {
    const properties = Object.fromEntries(
      Object.entries(whole.properties ?? {}).filter(([name]) => !others.includes(name)),
    );
    const methodSchema: SchemaObject = {
      type: 'string',
      const: method,
      description: `Always \`${method}\`.`,
    };
    return { ...whole, description, required, properties: { ...properties, method: methodSchema } };
  };
  const offline = bodyOf('offline', ['card', 'creditFrom'], ['invoiceId', 'method'], 'An offline payment.');
  const card = bodyOf(
    'card',
    [...offlineFields, 'creditFrom'],
    ['invoiceId', 'method', 'card'],
    'A payment with a test card.',
  );
  const credit = bodyOf(
    'credit',
    notOfCredit,
    ['invoiceId', 'method'],
    'A payment with credit of the customer.',
  );
  return {
    CreatePayment: unionBy('method', whole, {
      offline: 'CreateOfflinePayment',
      card: 'CreateCardPayment',
      credit: 'CreateCreditPayment',
    }),
    CreateOfflinePayment: offline,
    CreateCreditPayment: credit,
    CreateCardPayment: {
      ...card,
      properties: {
        ...card.properties,
        card: { ...refTo('Card'), description: fieldTexts.CreatePayment.card },
      },
    },
  };
}

/**
 * Returns one schema for each event type, and their union `Event`. The union has the test event too, though only messages
 * contain it: generators of clients drop schemas that no path refers to.
 */
function events(whole: SchemaObject): Schemas {
  const variants = Object.entries(eventTexts).map(([type, description]) => {
    const properties = {
      ...whole.properties,
      type: { type: 'string', const: type, description: `Always \`${type}\`.` },
      data: { ...refTo(resourceOf(type)), description: whole.properties?.data?.description },
    };
    return [eventNameOf(type), { ...whole, description, properties }];
  });
  const mapping = Object.fromEntries(Object.keys(eventTexts).map((type) => [type, eventNameOf(type)]));
  return { Event: unionBy('type', whole, mapping), ...Object.fromEntries(variants) };
}

/** Returns the name of the schema of the resource in an event: `Invoice` for `invoice.paid`. */
function resourceOf(type: string): SchemaName {
  const [resource = ''] = type.split('.');
  return `${resource.charAt(0).toUpperCase()}${resource.slice(1)}` as SchemaName;
}

/** Returns a union of named schemas. `mapping` gives the name of the schema for each value of `propertyName`. */
function unionBy(
  propertyName: string,
  { description }: SchemaObject,
  mapping: Readonly<Record<string, string>>,
): SchemaObject {
  const references = Object.entries(mapping).map(([value, name]) => [value, refTo(name).$ref] as const);
  return {
    description,
    oneOf: references.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName, mapping: Object.fromEntries(references) },
  };
}
