/**
 * Calls an AWS service that speaks JSON, on a short path. It takes the place of an SDK client, whose pipeline takes a
 * multiple of the CPU.
 *
 * - The SDK's own parts decide what a caller notices: its retries, its HTTP handler, its classes of errors and its stack of
 *   middleware. So traces, counts and the faults that tests inject work on both paths.
 * - Own parts are the JSON of the service, the signature, the checksum of answers and the correction of the clock.
 * - Region, credentials and endpoint come from the environment only, as Lambda sets it.
 * - A test makes the same calls on both paths and compares what a caller gets and what the service receives.
 */
import { crc32 } from 'node:zlib';
import { constructStack, decorateServiceException, ServiceException } from '@smithy/core/client';
import { HttpRequest, loadJsonRpcErrorCode } from '@smithy/core/protocols';
import { retryMiddleware } from '@smithy/core/retry';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { env } from '../env.ts';
import type { DirectOptions, DirectService, ErrorClass } from './direct-service.ts';
import { publicEndpoint } from './endpoint.ts';
import { signatureHeaders } from './signature.ts';

type Json = Record<string, unknown>;
type Headers = Readonly<Record<string, string>>;

/** A command of the SDK, or the part of it that the bundles have. */
interface Command {
  readonly input: object;
  readonly middlewareStack: object;
}

/** The difference of the clocks from which on a failed signature is due to it. AWS accepts five minutes. */
const skewMs = 240_000;
/** An answer that took longer says nothing about the clock. */
const longestExchangeMs = 900_000;

// biome-ignore lint/suspicious/noExplicitAny: each step of the SDK's stack has its own types
type Middleware = (next: (args: any) => Promise<any>, context: any) => (args: any) => Promise<any>;

/** A client with the part of the interface of the SDK's clients that this project uses. */
export class DirectClient {
  readonly config: { readonly requestHandler: NodeHttpHandler; systemClockOffset: number };
  // biome-ignore lint/suspicious/noExplicitAny: a stack has the inputs and outputs of all commands
  readonly middlewareStack = constructStack<any, any>();
  readonly #service: DirectService;

  constructor(service: DirectService, { retryStrategy, maxAttempts, requestHandler }: DirectOptions) {
    this.#service = service;
    this.config = { requestHandler: new NodeHttpHandler(requestHandler), systemClockOffset: 0 };
    const retries = { retryStrategy: async () => retryStrategy, maxAttempts: async () => maxAttempts };
    const steps = this.middlewareStack;
    steps.add(this.#serialize, { step: 'serialize', name: 'serializerMiddleware' });
    steps.add(retryMiddleware(retries as never) as Middleware, {
      step: 'finalizeRequest',
      priority: 'high',
      name: 'retryMiddleware',
    });
    steps.add(this.#sign, { step: 'finalizeRequest', name: 'httpSigningMiddleware' });
    steps.add(this.#deserialize, { step: 'deserialize', name: 'deserializerMiddleware' });
  }

  /**
   * Makes the call.
   * @throws the error that the SDK throws: an error of the service, of the network or of the abort signal
   */
  async send(
    command: Command,
    { abortSignal }: { readonly abortSignal?: AbortSignal } = {},
  ): Promise<unknown> {
    const operation = this.#service.operations.get(command.constructor);
    if (!operation)
      throw new Error('This command has no short path. Add it to the operations of its client.');
    const context = {
      commandName: `${operation}Command`,
      operation,
      __smithy_context: { abortSignal } as never,
    };
    const call = this.middlewareStack
      .concat(command.middlewareStack as never)
      .resolve(
        ((args: { request: HttpRequest }) => this.#exchange(args.request, abortSignal)) as never,
        context,
      );
    const { output } = await call({ input: command.input });
    return output;
  }

  readonly #serialize: Middleware =
    (next, { operation }: { operation: string }) =>
    async (args) => {
      const { target, contentType, toJson, endpointOf, name } = this.#service;
      const endpoint = env.awsEndpoint(name) ?? publicEndpoint(name, endpointOf?.(args.input));
      const { protocol, hostname, host, port } = new URL(endpoint);
      const traceHeader = env.traceHeader();
      const headers = {
        host,
        'content-type': contentType,
        'x-amz-target': `${target}.${operation}`,
        // Lambda finds functions that call themselves in an endless loop with it.
        ...(traceHeader && { 'x-amzn-trace-id': traceHeader }),
      };
      const body = toJson?.(args.input, operation) ?? JSON.stringify(args.input);
      const address = { protocol, hostname, ...(port && { port: Number(port) }), path: '/', method: 'POST' };
      return next({ ...args, request: new HttpRequest({ ...address, headers, body }) });
    };

  /** Signs each attempt, and learns from its answer how far the clock of this process is behind that of AWS. */
  readonly #sign: Middleware = (next) => async (args) => {
    const { config } = this;
    const request = HttpRequest.clone(args.request);
    const { host = '', 'content-type': contentType = '', 'x-amz-target': target = '' } = request.headers;
    const before = config.systemClockOffset;
    const sentAt = Date.now();
    const scope = { region: env.awsRegion(), service: this.#service.name, credentials: env.awsCredentials() };
    const signed = {
      headers: { host, 'content-type': contentType, 'x-amz-target': target },
      body: request.body,
    };
    Object.assign(request.headers, signatureHeaders(signed, { ...scope, at: sentAt + before }));
    try {
      const result = await next({ ...args, request });
      this.#learnClock(result.response.headers, sentAt);
      return result;
    } catch (error) {
      const { $response, $metadata } = error as { $response?: { headers: Headers }; $metadata?: Json };
      if ($response && $metadata) {
        this.#learnClock($response.headers, sentAt);
        const { systemClockOffset: offset } = config;
        // The retry middleware then tries again, with the right time.
        if (Math.abs(offset) >= skewMs && offset !== before) $metadata.clockSkewCorrected = true;
      }
      throw error;
    }
  };

  #learnClock({ date = '', age }: Headers, sentAt: number): void {
    const [shown, receivedAt] = [Date.parse(date), Date.now()];
    // An answer with an age is from a cache.
    if (Number.isNaN(shown) || age !== undefined || receivedAt - sentAt > longestExchangeMs) return;
    this.config.systemClockOffset = shown - receivedAt;
  }

  readonly #deserialize: Middleware = (next) => async (args) => {
    const { response } = await next(args);
    const { statusCode, headers, body } = response;
    const requestId = headers['x-amzn-requestid'] ?? headers['x-amz-request-id'];
    const $metadata = { httpStatusCode: statusCode as number, requestId };
    try {
      const isError = statusCode >= 300;
      const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
      const parsed = JSON.parse(text || '{}') as Json;
      const json = this.#service.fromJson?.(parsed, isError) ?? parsed;
      if (isError) throw this.#errorOf(response, json, $metadata);
      return { response, output: { $metadata, ...json } };
    } catch (error) {
      Object.assign(error as Error, { $metadata });
      throw Object.defineProperty(error, '$response', { value: response });
    }
  };

  #errorOf(response: { statusCode: number; headers: Headers }, json: Json, $metadata: object): Error {
    const { errors = {}, BaseError = ServiceException } = this.#service;
    const name = loadJsonRpcErrorCode(response as never, json) ?? 'Unknown';
    // SQS also sends the code that its former protocol has for the error.
    const [Code, Type] = response.headers['x-amzn-query-error']?.split(';') ?? [];
    const message = json.message ?? json.Message ?? 'UnknownError';
    const $fault = response.statusCode < 500 ? 'client' : 'server';
    const Class = (errors[name] ?? BaseError) as ErrorClass;
    return decorateServiceException(new Class({ name, message, $fault, $metadata } as never), {
      ...json,
      Code,
      Type,
    });
  }

  /** @throws an error that is retried, if the answer differs from its checksum */
  async #exchange(request: HttpRequest, abortSignal: AbortSignal | undefined): Promise<{ response: object }> {
    const { response } = await this.config.requestHandler.handle(request, {
      ...(abortSignal && { abortSignal }),
    });
    const body = await collect(response.body);
    const checksum = response.headers['x-amz-crc32'];
    if (checksum !== undefined && Number(checksum) !== crc32(body))
      throw Object.assign(new Error('The answer differs from its checksum.'), { $retryable: {} });
    return { response: Object.assign(response, { body }) };
  }
}

/** Reads a body to its end. @param body a stream, or the bytes of an answer that a test made */
async function collect(body: AsyncIterable<Uint8Array> | Uint8Array): Promise<Uint8Array> {
  if (body instanceof Uint8Array) return body;
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}
