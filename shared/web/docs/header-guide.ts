/** Holds the guide to headers: those of requests and those of responses. */
import { resolve } from '../../api/openapi/document.ts';
import type { OpenApiDocument, ParameterObject } from '../../api/openapi/document-types.ts';
import { fieldBlock, fieldOf } from './fields.ts';
import type { Block } from './prose.ts';

/** Headers of requests that the document describes in another form than as parameters. */
const otherRequestHeaders = [
  {
    name: 'Authorization',
    required: true,
    description: 'Your API key, as `Bearer <API_KEY>`.',
    schema: { type: 'string' },
  },
  {
    name: 'Content-Type',
    required: true,
    description: 'The type of the body. Only requests with a body need it.',
    schema: { type: 'string', enum: ['application/json'] },
  },
] as const;

/** Returns the guide to headers. They are the same for all operations. */
export function headerGuide(document: OpenApiDocument): readonly Block[] {
  const { schemas, headers } = document.components;
  const sent = [...otherRequestHeaders, ...requestHeadersOf(document)].map(
    ({ schema, description, ...name }) =>
      fieldOf(name, { ...schema, description }, { schemas, direction: 'request', id: 'headers.request' }),
  );
  const received = Object.entries(headers).map(([name, { schema, description, required }]) =>
    fieldOf(
      // Only the headers with this prefix are in every response.
      { name, required: required && name.startsWith('X-') },
      { ...schema, description },
      { schemas, direction: 'response', id: 'headers.response' },
    ),
  );
  return [
    'Header names are case-insensitive. Responses to requests without a valid key show the rate limit of the address that sends them. Only responses with status 429 have `Retry-After`.',
    '## Request headers',
    fieldBlock(sent),
    '## Response headers',
    fieldBlock(received),
  ];
}

/** Returns each header that an operation accepts, once. */
function requestHeadersOf(document: OpenApiDocument): readonly ParameterObject[] {
  const parameters = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap((operation) => operation.parameters.map((each) => resolve<ParameterObject>(document, each)))
    .filter((parameter) => parameter.in === 'header');
  return [...new Map(parameters.map((parameter) => [parameter.name, parameter])).values()];
}
