/** GET /docs: the reference page, for anyone; it reads nothing and costs no request of a limit. */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { docsCsp, renderDocs } from '../../shared/docs/docs-page.ts';
import { env } from '../../shared/env.ts';
import { pageHeaders } from '../../shared/http/page-headers.ts';
import { type StaticAnswer, staticAnswer } from '../../shared/http/static-answer.ts';
import { openApiDocument } from '../../shared/openapi/document.ts';
import { routes } from '../../shared/routes.ts';

/** Made once for each instance. */
let answer: StaticAnswer | undefined;

export const handler = async (event: APIGatewayProxyEvent) => {
  const baseUrl = env.baseUrl();
  answer ??= staticAnswer(renderDocs(openApiDocument(routes, baseUrl), baseUrl), pageHeaders(docsCsp));
  return answer(event);
};
