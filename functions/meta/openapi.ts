/** GET /openapi.json: the API's description, for anyone; it reads nothing and costs no request of a limit. */
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { openApiDocument } from '../../shared/http/openapi.ts';
import { routes } from '../../shared/routes.ts';

const body = JSON.stringify(openApiDocument(routes));

export const handler = async ({ requestContext }: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => ({
  statusCode: 200,
  headers: {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'public, max-age=300',
    'X-Request-Id': requestContext.requestId,
  },
  body,
});
