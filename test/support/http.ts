/**
 * Sends HTTP requests without changing them, and returns the whole response. Also provides loopback addresses, so that
 * each test can send from an address of its own.
 */
import { type Agent, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isLoopback } from '../../infra/loopback.ts';

export interface HttpRequest {
  readonly baseUrl: string;
  readonly method?: string;
  /** Path and query, which are appended to the path of `baseUrl` in the request line. Nothing is encoded. */
  readonly path: string;
  /** An array sends the header several times. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** A string or bytes are sent as they are. Other values are sent as JSON, with its content type by default. */
  readonly body?: unknown;
  /** The source address, in 127.0.0.0/8. A service on this machine gets it as `sourceIp`. */
  readonly localAddress?: string;
  /** Without an agent, each request has a connection of its own. */
  readonly agent?: Agent;
  readonly signal?: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  /** Names are in lower case. Several values of one name are joined by a comma and a space. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names and values alternate, as they arrived. */
  readonly rawHeaders: readonly string[];
  readonly bytes: Buffer;
  readonly text: string;
  /** The body parsed as JSON, or undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  readonly json: any;
}

/** Sends a request. Rejects only if the connection fails, not because of the status. */
export function request(options: HttpRequest): Promise<HttpResponse> {
  const { protocol, hostname, port, pathname } = new URL(options.baseUrl);
  const { bytes, contentType } = encodeBody(options.body);
  const headers: Record<string, string | readonly string[]> = {
    ...(contentType && !hasHeader(options.headers, 'content-type') && { 'Content-Type': contentType }),
    ...(bytes &&
      !hasHeader(options.headers, 'transfer-encoding') && { 'Content-Length': String(bytes.length) }),
    ...options.headers,
  };
  return new Promise((resolve, reject) => {
    const outgoing = (protocol === 'https:' ? httpsRequest : httpRequest)({
      hostname,
      port,
      method: options.method ?? 'GET',
      path: `${pathname.replace(/\/$/, '')}${options.path}`,
      headers: headers as Record<string, string | string[]>,
      agent: options.agent ?? false,
      ...(options.localAddress && isLoopback(options.baseUrl) && { localAddress: options.localAddress }),
      ...(options.signal && { signal: options.signal }),
    });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () =>
        resolve(toResponse(incoming.statusCode ?? 0, incoming.rawHeaders, Buffer.concat(chunks))),
      );
    });
    outgoing.end(bytes);
  });
}

let lastAddress = 0;

/**
 * Returns a loopback address that no other call in this process or in another jest worker returns. On Linux all of
 * 127.0.0.0/8 is local.
 */
export function freshAddress(): string {
  lastAddress += 1;
  const worker = Number(process.env.JEST_WORKER_ID ?? 0) % 100;
  return `127.${100 + worker}.${(lastAddress >> 8) & 255}.${lastAddress & 255}`;
}

function encodeBody(body: unknown): { bytes: Buffer | undefined; contentType: string | undefined } {
  if (body === undefined) return { bytes: undefined, contentType: undefined };
  if (typeof body === 'string' || body instanceof Uint8Array) {
    return { bytes: Buffer.from(body as string), contentType: undefined };
  }
  return { bytes: Buffer.from(JSON.stringify(body)), contentType: 'application/json' };
}

function hasHeader(headers: HttpRequest['headers'], name: string): boolean {
  return Object.keys(headers ?? {}).some((key) => key.toLowerCase() === name);
}

function toResponse(status: number, rawHeaders: readonly string[], bytes: Buffer): HttpResponse {
  const headers: Record<string, string> = {};
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const value = rawHeaders[index + 1] ?? '';
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  const text = bytes.toString('utf8');
  return { status, headers, rawHeaders, bytes, text, json: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
