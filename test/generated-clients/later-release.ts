/** Serves the local stack as if it were of a later release: with a field, a status and an event type that no client knows. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Returns the URL of the server, which passes GET requests on to `baseUrl`. */
export async function startLaterRelease(
  baseUrl: string,
): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer(async (request, response) => {
    const { authorization = '' } = request.headers;
    const headers = { authorization, 'x-api-version': String(request.headers['x-api-version'] ?? '') };
    if (headers['x-api-version'] === '') Reflect.deleteProperty(headers, 'x-api-version');
    const answer = await fetch(baseUrl + request.url, { headers });
    const text = (await answer.text())
      .replaceAll('"status":"pending"', '"status":"of_a_later_release","laterField":{"a":[1]}')
      .replaceAll('"type":"invoice.created"', '"type":"invoice.of_a_later_release","laterField":1');
    response.writeHead(answer.status, { 'Content-Type': 'application/json; charset=utf-8' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
