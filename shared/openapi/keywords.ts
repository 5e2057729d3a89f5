/**
 * Expresses the checks of some fields as JSON Schema keywords. A check is code, which the schema converter cannot convert.
 */
import type { SchemaObject } from './document-types.ts';
import type { SchemaField, SchemaName } from './named-schemas.ts';

const textUpTo = (maxLength: number): SchemaObject => ({ minLength: 1, maxLength });
const uri: SchemaObject = { format: 'uri' };
const uniqueItems: SchemaObject = { uniqueItems: true };

export const fieldKeywords: {
  readonly [Name in SchemaName]?: { readonly [Field in SchemaField<Name>]?: SchemaObject };
} = {
  CreateInvoice: { description: textUpTo(5000) },
  UpdateInvoice: { description: textUpTo(5000) },
  CreatePayment: { reference: textUpTo(255) },
  CreateRefund: { reason: textUpTo(500) },
  CreateWebhook: { url: uri, events: uniqueItems, description: textUpTo(255) },
  UpdateWebhook: { url: uri, events: uniqueItems, description: textUpTo(255) },
  Webhook: { url: uri },
  WebhookWithSecret: { url: uri },
};
