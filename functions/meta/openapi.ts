/** GET /openapi.json: the API's description, for anyone; it reads nothing and costs no request of a limit. */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { env } from '../../shared/env.ts';
import { type StaticAnswer, staticAnswer } from '../../shared/http/static-answer.ts';
import { openApiDocument } from '../../shared/openapi/document.ts';
import { routes } from '../../shared/routes.ts';

/** Made once for each instance. */
let answer: StaticAnswer | undefined;

export const handler = async (event: APIGatewayProxyEvent) => {
  answer ??= staticAnswer(JSON.stringify(openApiDocument(routes, env.baseUrl())), {
    'Content-Type': 'application/json; charset=utf-8',
  });
  return answer(event);
};
