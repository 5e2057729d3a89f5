/** The OpenAPI document as its readers see it: of the standard's many forms those that this document has. */

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  /** In the order in which they are to be read. */
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** By path, then by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  /** The messages to webhook endpoints, by kind of event. */
  readonly webhooks: Readonly<Record<string, { readonly post: OperationObject }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, SchemaObject>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly parameters: Readonly<Record<string, ParameterObject>>;
    readonly headers: Readonly<Record<string, HeaderObject>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

/** A place in the document that stands for what is there: `#/components/…`. */
export interface Reference {
  readonly $ref: string;
}

/**
 * `description`s are plain text in paragraphs with a blank line between them, with `code` in backticks and lists of lines
 * that begin with `- `.
 */
export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description: string;
  /** The permissions that the key must have; none for a message to a webhook endpoint. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly (ParameterObject | Reference)[];
  readonly requestBody?: {
    readonly required: true;
    readonly description?: string;
    readonly content: JsonContent;
  };
  /** By status. */
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
}

export interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: SchemaObject;
  readonly example: unknown;
}

export interface HeaderObject {
  readonly required: boolean;
  readonly description: string;
  readonly schema: SchemaObject;
  readonly example: unknown;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference>>;
  readonly content?: JsonContent;
}

interface JsonContent {
  readonly 'application/json': {
    readonly schema: SchemaObject;
    readonly example?: unknown;
    readonly examples?: Examples;
  };
}

/** By a name of each. */
export type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;

/** A JSON Schema (2020-12). */
export interface SchemaObject {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string | undefined;
  readonly properties?: Readonly<Record<string, SchemaObject>>;
  readonly required?: readonly string[];
  readonly items?: SchemaObject;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly oneOf?: readonly SchemaObject[];
  readonly anyOf?: readonly SchemaObject[];
  readonly allOf?: readonly SchemaObject[];
  readonly discriminator?: {
    readonly propertyName: string;
    readonly mapping: Readonly<Record<string, string>>;
  };
  readonly [keyword: string]: unknown;
}
