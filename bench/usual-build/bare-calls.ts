/**
 * Records the DynamoDB calls of a request, and makes the same calls bare: signed, over kept connections of Node's client, and with
 * nothing else around them. What they take is the floor of the platform.
 */
import { createServer, Agent as HttpAgent, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { signatureHeaders } from '../../shared/platform/aws/signature.ts';

/** A call of DynamoDB. */
export interface Call {
  /** The header `x-amz-target`. */
  readonly target: string;
  /** JSON. */
  readonly body: string;
}

/** The calls of one request. Those of a step are made at the same time. */
export interface Recording {
  readonly steps: readonly (readonly Call[])[];
  /** The body of the response of the request. */
  readonly answer: string;
}

interface TimedCall extends Call {
  readonly startedAt: number;
  endedAt: number;
}

/** A proxy of DynamoDB that records calls. */
export interface CallRecorder {
  readonly url: string;
  /** Returns the steps since the last `take`. */
  take(): Recording['steps'];
  close(): void;
}

export async function startRecorder(endpoint: string): Promise<CallRecorder> {
  let calls: TimedCall[] = [];
  const agent = new HttpAgent({ keepAlive: true });
  const server = createServer(async (message, response) => {
    const body = await readBody(message);
    const call = {
      target: String(message.headers['x-amz-target']),
      body,
      startedAt: performance.now(),
      endedAt: Number.POSITIVE_INFINITY,
    };
    calls.push(call);
    const answer = await post(endpoint, agent, message.headers as Record<string, string>, body);
    call.endedAt = performance.now();
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take: () => {
      const taken = calls;
      calls = [];
      return toSteps(taken);
    },
    close: () => {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}

/** A call that begins after all earlier ones have ended begins a step. */
function toSteps(calls: readonly TimedCall[]): Call[][] {
  const steps: Call[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const { target, body, startedAt, endedAt } of calls) {
    if (startedAt > end) steps.push([]);
    steps.at(-1)?.push(toRepeatable({ target, body }));
    end = Math.max(end, endedAt);
  }
  return steps;
}

/** In the key of an item that a repeated call writes. Each repetition writes other items. */
const placeholder = '{repetition}';

/**
 * Returns a call that can be made again. Reads stay as they are. Writes have conditions, which hold once, so a write becomes one of as many
 * bytes under a key of its own.
 */
function toRepeatable({ target, body }: Call): Call {
  const [service, operation] = target.split('.');
  const input = JSON.parse(body);
  if (operation === 'UpdateItem' || operation === 'PutItem')
    return {
      target: `${service}.PutItem`,
      body: JSON.stringify({ ...put(input.TableName, 0, body), ReturnValues: 'ALL_OLD' }),
    };
  if (operation !== 'TransactWriteItems') return { target, body };
  const items = input.TransactItems.map((action: Record<string, { TableName: string }>, index: number) => {
    const [[kind, { TableName }]] = Object.entries(action) as [[string, { TableName: string }]];
    const { Item, ...target } = put(TableName, index, JSON.stringify(action));
    if (kind !== 'ConditionCheck') return { Put: { ...target, Item } };
    const { filler: _, ...Key } = Item;
    return { ConditionCheck: { ...target, Key, ConditionExpression: 'attribute_not_exists(pk)' } };
  });
  return { target, body: JSON.stringify({ TransactItems: items }) };
}

const put = (TableName: string, index: number, action: string) => ({
  TableName,
  Item: {
    pk: { S: `BARE#${placeholder}` },
    sk: { S: String(index) },
    filler: { S: 'x'.repeat(action.length) },
  },
});

/** Starts a server that answers each request after the calls of the recording that it got last. `PUT` sets the recording. */
export async function startBareServer({
  dynamodb,
  region,
}: {
  readonly dynamodb: string;
  readonly region: string;
}): Promise<string> {
  let recording: Recording = { steps: [], answer: '' };
  let repetition = 0;
  const agent = new HttpAgent({ keepAlive: true });
  const { host } = new URL(dynamodb);
  const contentType = 'application/x-amz-json-1.0';
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const make = async ({ target, body: template }: Call, number: number) => {
    const body = template.replaceAll(placeholder, String(number));
    const scope = { region, service: 'dynamodb', credentials };
    const headers = {
      host,
      'content-type': contentType,
      'x-amz-target': target,
      ...signatureHeaders({ host, contentType, target, body }, scope, Date.now()),
    };
    const { status, body: answer } = await post(dynamodb, agent, headers, body);
    if (status !== 200) throw new Error(`${target} answered ${status}: ${answer}`);
    return JSON.parse(answer);
  };
  const server = createServer(async (message, response) => {
    const sent = await readBody(message);
    if (message.method === 'PUT') {
      recording = JSON.parse(sent);
      response.end('{}');
      return;
    }
    const number = repetition++;
    for (const step of recording.steps) await Promise.all(step.map((call) => make(call, number)));
    response.writeHead(200, { 'content-type': 'application/json' }).end(recording.answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function readBody(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function post(
  url: string,
  agent: HttpAgent,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<{ status: number; headers: IncomingMessage['headers']; body: string }> {
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      agent,
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
    };
    const outgoing = request(url, options, (answer) => {
      readBody(answer).then(
        (text) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }),
        reject,
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
