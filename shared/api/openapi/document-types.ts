/** Types the OpenAPI document. Of the forms that the standard allows, these types have the ones that this document uses. */
import type { ApiVersion } from '../../domain/versions/versions.ts';

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: {
    readonly title: string;
    /** A semantic version, which package managers require. It rises by a minor version with each version of the API. */
    readonly version: string;
    /** The version of the API, which is a date. */
    readonly 'x-api-version': ApiVersion;
    readonly summary: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  /** In reading order. */
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** By path, then by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  /** The messages to webhook endpoints, by event type. */
  readonly webhooks: Readonly<Record<string, { readonly post: OperationObject }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, SchemaObject>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly headers: Readonly<Record<string, HeaderObject>>;
    readonly parameters: Readonly<Record<string, ParameterObject>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

/** A reference to an object in the document, by its JSON pointer `#/components/…`. */
export interface Reference {
  readonly $ref: string;
}

/**
 * An endpoint of the API, or a message to a webhook endpoint. All `description`s are plain text. Blank lines separate
 * paragraphs, backticks enclose code, and lines that begin with `- ` are list items.
 */
export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description: string;
  /** The permissions that the API key must have. Empty for a message to a webhook endpoint. */
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
  /** `false` for an array whose members are separated by commas. */
  readonly explode?: false;
  readonly example?: unknown;
  /** By the name of the example of the body that belongs to it. */
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface HeaderObject {
  readonly required: boolean;
  readonly description: string;
  readonly schema: SchemaObject;
  readonly example: unknown;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference | HeaderObject>>;
  readonly content?: Partial<JsonContent> & Partial<FileContent>;
  /** The codes that the error of this response can have. */
  readonly 'x-error-codes'?: readonly string[];
}

interface JsonContent {
  readonly 'application/json': {
    readonly schema: SchemaObject;
    readonly example?: unknown;
    readonly examples?: Examples;
  };
}

interface FileContent {
  readonly 'application/pdf': { readonly schema: SchemaObject };
}

/** Examples by name. */
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
  /** The known values of a text that can get other values later. */
  readonly 'x-extensible-enum'?: readonly unknown[];
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
