/** Decides whether a client wants a page for people, such as a browser, or JSON. */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { parseAccept } from 'hono/utils/accept';

/** Whether `Accept` names `text/html`, and does not prefer JSON to it. The names of headers can have any case. */
export function prefersHtml({ multiValueHeaders }: APIGatewayProxyEvent): boolean {
  const headers = Object.entries(multiValueHeaders ?? {});
  const accepted = headers
    .filter(([name]) => name.toLowerCase() === 'accept')
    .flatMap(([, values]) => values);
  const types = parseAccept(accepted.join(','));
  const qualityOf = (type: string) => types.find((each) => each.type.toLowerCase() === type)?.q ?? 0;
  const quality = qualityOf('text/html');
  return quality > 0 && quality >= qualityOf('application/json');
}
