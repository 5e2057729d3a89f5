/** Builds an operation of the document from its route and its texts. */
import { idPatternOf } from '../../base/ids.ts';
import { paginationParameters } from '../../base/pagination.ts';
import { alternativesOf } from '../../domain/auth/permissions.ts';
import type { Route } from '../routes.ts';
import type { OperationObject, ParameterObject, Reference, SchemaObject } from './document-types.ts';
import { requestExamples, schemaExamples } from './examples.ts';
import { idempotencyKeyParameter, preferParameter } from './headers.ts';
import { schemaNameOf } from './named-schemas.ts';
import type { OperationName } from './operation-errors.ts';
import { operationTexts } from './operation-texts.ts';
import { type ParameterText, pathTexts, queryTexts } from './parameter-texts.ts';
import { responsesOf } from './responses.ts';
import { propertiesOf, refTo, requiredIn } from './schemas.ts';
import { tagOf } from './tags.ts';

/** Returns the operation of `route`. Its `operationId` is the name of the route. */
export function operationOf(name: OperationName, route: Route): OperationObject {
  const required = alternativesOf(route.permission);
  const { summary, description } = operationTexts[name];
  const names = required.map((permission) => `\`${permission}\``).join(' or ');
  const also = route.alsoRequires;
  const condition = also
    ? ` With \`${also.field}\` \`${also.value}\`, it also requires \`${also.permission}\`.`
    : '';
  const requirement = required.length > 0 ? `\n\nRequires the ${names} permission.${condition}` : '';
  return {
    operationId: name,
    tags: [tagOf(route)],
    summary,
    description: description + requirement,
    security:
      required.length > 0 ? required.map((permission) => ({ apiKey: [permission] })) : [{ apiKey: [] }],
    parameters: [...pathParameters(route), ...queryParameters(name, route), ...headerParameters(name, route)],
    ...(route.body && { requestBody: requestBody(name, route.body) }),
    responses: responsesOf(name, route),
  };
}

function pathParameters({ path }: Route): ParameterObject[] {
  return [...path.matchAll(/(\w+)\/\{(\w+)\}/g)].map(([, segment = '', name = '']) => {
    const text = pathTexts[segment];
    if (!text)
      throw new Error(
        `{${name}} of ${path} has no description. Add one to shared/api/openapi/parameter-texts.ts.`,
      );
    const { resource, ...shown } = text;
    const schema = { type: 'string', pattern: idPatternOf(resource).source };
    return { name, in: 'path', required: true, ...shown, schema };
  });
}

function queryParameters(name: OperationName, { query }: Route): ParameterObject[] {
  if (!query) return [];
  const schemas: Record<string, SchemaObject> = { ...propertiesOf(query), ...paginationParameters };
  const texts = queryTexts[name as keyof typeof queryTexts] as Readonly<Record<string, ParameterText>>;
  const required = requiredIn(query);
  return Object.entries(texts).map(([parameter, text]) => ({
    name: parameter,
    in: 'query',
    required: required.includes(parameter),
    schema: schemas[parameter] ?? {},
    ...text,
  }));
}

function headerParameters(name: OperationName, { method, creates }: Route): (ParameterObject | Reference)[] {
  const key = idempotencyKeyParameter(name, Object.keys(requestExamples[name] ?? {}));
  return [
    ...(method === 'GET' ? [] : [key]),
    ...(creates === 'invoice' ? [preferParameter] : []),
    { $ref: '#/components/parameters/ApiVersion' },
  ];
}

function requestBody(
  name: OperationName,
  body: NonNullable<Route['body']>,
): NonNullable<OperationObject['requestBody']> {
  const schema = schemaNameOf(body);
  const examples = requestExamples[name];
  const example = examples ? { examples } : { example: schemaExamples[schema] };
  return { required: true, content: { 'application/json': { schema: refTo(schema), ...example } } };
}
