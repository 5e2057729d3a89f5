/** What the checks of some fields say in JSON Schema: a check is code, which is not converted by itself. */
import type { SchemaObject } from './document-types.ts';
import type { FieldOf, SchemaName } from './named-schemas.ts';

const textUpTo = (maxLength: number): SchemaObject => ({ minLength: 1, maxLength });
const address: SchemaObject = { format: 'uri' };
const kinds: SchemaObject = { uniqueItems: true };

export const fieldKeywords: {
  readonly [Name in SchemaName]?: { readonly [Field in FieldOf<Name>]?: SchemaObject };
} = {
  CreateInvoice: { description: textUpTo(5000) },
  UpdateInvoice: { description: textUpTo(5000) },
  CreatePayment: { reference: textUpTo(255) },
  CreateRefund: { reason: textUpTo(500) },
  CreateWebhook: { url: address, events: kinds, description: textUpTo(255) },
  UpdateWebhook: { url: address, events: kinds, description: textUpTo(255) },
  Webhook: { url: address },
  WebhookWithSecret: { url: address },
};
