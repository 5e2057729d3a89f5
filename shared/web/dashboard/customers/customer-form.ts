/** Renders and reads the form with which a user creates or changes a customer. */
import { html } from 'hono/html';
import {
  type CreateCustomer,
  type Customer,
  createCustomerBody,
  type UpdateCustomer,
} from '../../../domain/customers/customer.ts';
import type { TaxId } from '../../../domain/parties/party.ts';
import type { Markup } from '../../pages/markup.ts';
import type { FailedForm } from '../attempts/failed-attempt.ts';
import { renderField } from '../forms.ts';
import {
  inFormWords,
  lineOf,
  linesOf,
  optionalLineOf,
  type SentFields,
  type ValidatedFields,
  validateFields,
} from '../input/form-fields.ts';
import {
  metadataField,
  metadataLines,
  renderMetadataField,
  sentMetadata,
  toMetadataUpdate,
  validateWithMetadata,
} from '../input/metadata-field.ts';
import { customerFields, customerTexts } from './customer-texts.ts';

const textNames = ['name', 'email', 'phone', 'reference'] as const;
const addressNames = ['line1', 'line2', 'city', 'state', 'postalCode', 'country'] as const;

/** How the form names its fields in errors. */
export const customerFormTexts = { ...customerFields, metadata: metadataField };

/** The names of all fields of the form. */
export const customerFieldNames = [...textNames, ...addressNames, 'taxIds', 'metadata'] as const;

/** Validates the fields of a customer, as the API does. */
export function readCustomerForm(fields: SentFields): ValidatedFields<CreateCustomer> {
  const country = optionalLineOf(fields, 'country')?.toUpperCase();
  const address = Object.fromEntries(addressNames.map((name) => [name, optionalLineOf(fields, name)]));
  const input = {
    ...Object.fromEntries(textNames.map((name) => [name, optionalLineOf(fields, name)])),
    address: Object.values(address).some((part) => part !== undefined) ? { ...address, country } : undefined,
    taxIds: linesOf(fields, 'taxIds').split('\n').flatMap(parseTaxId),
  };
  return validateWithMetadata(sentMetadata(fields), (metadata) => {
    const result = validateFields(createCustomerBody, { ...input, metadata }, customerFormTexts);
    if (!result.ok) return { ok: false, errors: namePart(result.errors) };
    const { name, email } = result.output;
    return name || email ? result : { ok: false, errors: { name: customerTexts.noName } };
  });
}

/** The message of an address names its part. The form has a field for each part. */
function namePart({ address, ...errors }: Readonly<Record<string, string>>): Record<string, string> {
  const [, part] = /^address\.(\w+)/.exec(address ?? '') ?? [];
  if (address === undefined || part === undefined) return errors;
  return { ...errors, [part]: inFormWords(part, address.replace('address.', ''), customerFormTexts) };
}

function parseTaxId(line: string): TaxId[] {
  if (line.trim() === '') return [];
  const [type = '', ...value] = line.split(':');
  return [{ type: type.trim(), value: value.join(':').trim() }];
}

/**
 * Returns the update that a form asks for. Fields whose text is that of the customer are left out, because a form cannot show
 * line breaks in them.
 * @param customer the customer that the form showed
 */
export function updateOfForm(customer: Customer, fields: SentFields, sent: CreateCustomer): UpdateCustomer {
  const shown = fieldsOf(customer);
  const isChanged = (name: string) => asSent(shown, name) !== asSent(fields, name);
  const texts = textNames.filter(isChanged).map((name) => [name, sent[name] ?? null] as const);
  return {
    ...Object.fromEntries(texts),
    ...(addressNames.some(isChanged) && { address: sent.address ?? null }),
    ...(isChanged('taxIds') && { taxIds: sent.taxIds ?? null }),
    metadata: toMetadataUpdate(customer.metadata, sent.metadata ?? undefined),
  };
}

/** Returns the text of a field as a browser sends it: a text input has no line breaks. */
const asSent = (fields: SentFields, name: string): string =>
  name === 'taxIds'
    ? linesOf(fields, name)
    : lineOf(new Map([[name, fields.get(name)?.replace(/[\r\n]/g, '')]]), name);

/** The values of a customer that its form shows first. */
function fieldsOf(customer: Customer): SentFields {
  const { address, taxIds, metadata } = customer;
  return new Map<string, string>([
    ...textNames.map((name) => [name, customer[name] ?? ''] as const),
    ...addressNames.map((name) => [name, address?.[name] ?? ''] as const),
    ['taxIds', taxIds.map(({ type, value }) => `${type}:${value}`).join('\n')],
    ['metadata', metadataLines(metadata)],
  ]);
}

/** Renders the fields, with the values that the user typed or those of the customer. */
export function renderCustomerFields(customer: Customer | undefined, failed: FailedForm | undefined): Markup {
  const fields = failed?.fields ?? (customer ? fieldsOf(customer) : new Map<string, string>());
  const errors = failed?.failure.errors ?? {};
  const field = (name: keyof typeof customerFields, type: 'text' | 'email' | 'textarea' = 'text') => {
    const { label, ...texts } = customerFields[name];
    const hint = 'hint' in texts ? texts.hint : undefined;
    return renderField({ name, label, hint, type, value: fields.get(name) ?? '', error: errors[name] });
  };
  return html`${field('name')}${field('email', 'email')}${field('phone')}${field('reference')}
${addressNames.map((name) => field(name))}
${field('taxIds', 'textarea')}${renderMetadataField(fields.get('metadata') ?? '', errors.metadata, customer?.metadata)}`;
}
