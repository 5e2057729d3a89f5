/** Imports the document as Postman does, and sends each GET request of the collection that needs no other resource. */
const { readFileSync } = require('node:fs');
const { promisify } = require('node:util');
const converter = require('openapi-to-postmanv2');

const requestsIn = (item) => (item.item ? item.item.flatMap(requestsIn) : [item.request]);

async function main() {
  const input = { type: 'string', data: readFileSync('openapi.json', 'utf8') };
  const { result, reason, output } = await promisify(converter.convertV2.bind(converter))(input, {
    parametersResolution: 'Example',
  });
  if (!result) throw new Error(reason);
  const requests = output.flatMap(({ data }) => requestsIn(data));
  if (requests.length < 30) throw new Error(`The collection has only ${requests.length} requests.`);
  const headers = { Authorization: `Bearer ${process.env.REMIT_API_KEY}` };
  for (const { method, url, header } of requests) {
    for (const { key } of header ?? [])
      if (key === 'X-Test-Fault') throw new Error(`${method} ${url.path.join('/')} asks for a fault.`);
    if (method !== 'GET' || url.variable?.length > 0 || url.path.some((each) => each.startsWith(':')))
      continue;
    const sent = Object.fromEntries(
      (header ?? []).filter((each) => !each.disabled).map((each) => [each.key, each.value]),
    );
    // The import gives each optional parameter a value that nobody means.
    const needed = (url.query ?? []).filter(({ description }) =>
      /^\(Required\)/.test(description?.content ?? ''),
    );
    const isId = ({ value }) => /^[a-z]+_[0-9a-z]{26}$/.test(value);
    if (needed.some(isId)) continue;
    const query = new URLSearchParams(needed.map(({ key, value }) => [key, value]));
    const answer = await fetch(`${process.env.REMIT_URL}/${url.path.join('/')}?${query}`, {
      headers: { ...sent, ...headers },
    });
    if (![200, 403].includes(answer.status)) throw new Error(`${url.path.join('/')}: ${await answer.text()}`);
  }
}

main();
