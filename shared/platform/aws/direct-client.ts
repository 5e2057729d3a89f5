/**
 * Calls an AWS service that speaks JSON, on a short path. It takes the place of an SDK client, whose pipeline takes a
 * multiple of the CPU.
 *
 * - The SDK's own parts decide what a caller notices: its strategies of retries, its classes of errors and its stack of
 *   middleware. So traces, counts and the faults that tests inject work on both paths.
 * - Own parts are the connections, the attempts, the JSON of the service, the signature, the checksum of answers and the
 *   correction of the clock.
 * - Region, credentials and endpoint come from the environment only, as Lambda sets it.
 * - A test makes the same calls on both paths and compares what a caller gets and what the service receives.
 */
import { crc32 } from 'node:zlib';
import { constructStack, decorateServiceException, ServiceException } from '@smithy/core/client';
import { loadJsonRpcErrorCode } from '@smithy/core/protocols';
import { env } from '../../base/env.ts';
import type { DirectOptions, DirectService, ErrorClass } from './direct-service.ts';
import { addressOf, publicEndpoint } from './endpoint.ts';
import { type AwsRequest, type AwsResponse, HttpClient } from './http-client.ts';

import { withRetries } from './retries.ts';
import { type SignatureScope, signatureHeaders } from './signature.ts';

type Json = Record<string, unknown>;
type Headers = Readonly<Record<string, string>>;

// biome-ignore lint/suspicious/noExplicitAny: each step of the SDK's stack has its own types
type Call = (args: any) => Promise<any>;
// biome-ignore lint/suspicious/noExplicitAny: each step has its own context, too
type Middleware = (next: Call, context: any) => Call;
type Stack = ReturnType<typeof constructStack<object, object>>;

/** A command of the SDK, or the part of it that the bundles have. */
interface Command {
  readonly input: object;
  /** The steps that only this command has. The commands of the SDK always have a stack, also if it is empty. */
  readonly middlewareStack?: object;
}

/** What the steps know about a call. */
interface CallContext {
  readonly operation: string;
  readonly abortSignal?: AbortSignal | undefined;
  /** Whether the answer stays in the JSON of the service. */
  readonly isJsonWanted?: boolean;
}

/** The difference of the clocks from which on a failed signature is due to it. AWS accepts five minutes. */
const skewMs = 240_000;
/** An answer that took longer says nothing about the clock: the process may have been suspended before it read the answer. */
const longestExchangeMs = 30_000;

/** A client with the part of the interface of the SDK's clients that this project uses. */
export class DirectClient {
  readonly config: { readonly requestHandler: HttpClient; systemClockOffset: number };
  readonly middlewareStack: Pick<Stack, 'add' | 'addRelativeTo' | 'remove'>;
  readonly #service: DirectService;
  #scope: SignatureScope | undefined;
  #lastDate = { text: '', at: Number.NaN };
  readonly #steps: Stack = constructStack();
  /** The steps of each operation in their order, until a step is added or removed. */
  readonly #calls = new Map<string, Call>();

  constructor(service: DirectService, { retryStrategy, requestHandler }: DirectOptions) {
    this.#service = service;
    this.config = { requestHandler: new HttpClient(requestHandler), systemClockOffset: 0 };
    const steps = this.#steps;
    this.middlewareStack = {
      add: (...step: never[]) => this.#change(() => (steps.add as (...step: never[]) => void)(...step)),
      addRelativeTo: (...step) => this.#change(() => steps.addRelativeTo(...step)),
      remove: (step) => this.#change(() => steps.remove(step)),
    };
    const retry: Middleware =
      (next, { abortSignal }) =>
      (args) =>
        withRetries(retryStrategy, abortSignal, () => next(args));
    steps.add(this.#serialize as never, { step: 'serialize', name: 'serializerMiddleware' });
    steps.add(retry as never, { step: 'finalizeRequest', priority: 'high', name: 'retryMiddleware' });
    steps.add(this.#sign as never, { step: 'finalizeRequest', name: 'httpSigningMiddleware' });
    steps.add(this.#deserialize as never, { step: 'deserialize', name: 'deserializerMiddleware' });
  }

  /**
   * Makes the call.
   * @throws the error that the SDK throws: an error of the service, of the network or of the abort signal
   */
  async send(
    command: Command,
    { abortSignal }: { readonly abortSignal?: AbortSignal } = {},
  ): Promise<unknown> {
    const operation = this.#operationOf(command);
    const own = command.middlewareStack as Stack | undefined;
    const call =
      own || abortSignal ? this.#resolve({ operation, abortSignal }, own) : this.#plainCall({ operation });
    const { output } = await call({ input: command.input });
    return output;
  }

  /**
   * Makes the call. The steps of the command itself are left out.
   * @returns the answer in the JSON of the service
   * @throws as `send`
   */
  async sendForJson(command: Command): Promise<unknown> {
    const call = this.#plainCall({ operation: this.#operationOf(command), isJsonWanted: true });
    return (await call({ input: command.input })).output;
  }

  #operationOf(command: Command): string {
    const operation = this.#service.operations.get(command.constructor);
    if (!operation)
      throw new Error('This command has no short path. Add it to the operations of its client.');
    return operation;
  }

  /** Returns the steps of a command that has no steps of its own. */
  #plainCall(context: CallContext): Call {
    const name = `${context.operation} ${context.isJsonWanted ?? false}`;
    const known = this.#calls.get(name);
    if (known) return known;
    const call = this.#resolve(context);
    this.#calls.set(name, call);
    return call;
  }

  #resolve(call: CallContext, own: Stack = constructStack()): Call {
    const { operation, abortSignal } = call;
    const context = { commandName: `${operation}Command`, ...call };
    const last: Call = ({ request }) => this.#exchange(request, abortSignal);
    return this.#steps.concat(own).resolve(last as never, context as never);
  }

  #change<T>(change: () => T): T {
    this.#calls.clear();
    return change();
  }

  readonly #serialize: Middleware =
    (next, { operation }: CallContext) =>
    (args) => {
      const { target, contentType, toJson, endpointOf, name } = this.#service;
      const { host, ...address } = addressOf(
        env.awsEndpoint(name) ?? publicEndpoint(name, endpointOf?.(args.input)),
      );
      const traceHeader = env.traceHeader();
      const headers: Record<string, string> = {
        host,
        'content-type': contentType,
        'x-amz-target': `${target}.${operation}`,
      };
      // Lambda finds functions that call themselves in an endless loop with it.
      if (traceHeader) headers['x-amzn-trace-id'] = traceHeader;
      const body = toJson?.(args.input, operation) ?? JSON.stringify(args.input);
      return next({ ...args, request: { ...address, headers, body } satisfies AwsRequest });
    };

  /** Signs each attempt, and learns from its answer how far the clock of this process is behind that of AWS. */
  readonly #sign: Middleware = (next) => async (args) => {
    const { config } = this;
    const { headers, body } = args.request as AwsRequest & { readonly body: string };
    const { host = '', 'content-type': contentType = '', 'x-amz-target': target = '' } = headers;
    const before = config.systemClockOffset;
    const sentAt = Date.now();
    // They do not change while the process runs.
    this.#scope ??= {
      region: env.awsRegion(),
      service: this.#service.name,
      credentials: env.awsCredentials(),
    };
    const signature = signatureHeaders({ host, contentType, target, body }, this.#scope, sentAt + before);
    const request = { ...args.request, headers: { ...headers, ...signature } };
    try {
      const result = await next({ ...args, request });
      this.#learnClock(result.response.headers, sentAt);
      return result;
    } catch (error) {
      const { $response, $metadata } = error as { $response?: { headers: Headers }; $metadata?: Json };
      if ($response && $metadata) {
        this.#learnClock($response.headers, sentAt);
        // The call is then tried again, with the right time. Each answer measures the difference of the clocks anew.
        if (Math.abs(config.systemClockOffset - before) >= skewMs) $metadata.clockSkewCorrected = true;
      }
      throw error;
    }
  };

  #learnClock({ date = '', age }: Headers, sentAt: number): void {
    // Most answers have the date of the last one.
    if (this.#lastDate.text !== date) this.#lastDate = { text: date, at: Date.parse(date) };
    const [shown, receivedAt] = [this.#lastDate.at, Date.now()];
    // An answer with an age is from a cache.
    if (Number.isNaN(shown) || age !== undefined || receivedAt - sentAt > longestExchangeMs) return;
    this.config.systemClockOffset = shown - receivedAt;
  }

  readonly #deserialize: Middleware =
    (next, { isJsonWanted }: CallContext) =>
    async (args) => {
      const { response } = (await next(args)) as { response: AwsResponse };
      const { statusCode, headers, body } = response;
      const requestId = headers['x-amzn-requestid'] ?? headers['x-amz-request-id'];
      const $metadata = { httpStatusCode: statusCode, requestId };
      try {
        const isError = statusCode >= 300;
        const parsed = JSON.parse(body.toString('utf8') || '{}') as Json;
        const json =
          isJsonWanted && !isError ? parsed : (this.#service.fromJson?.(parsed, isError) ?? parsed);
        if (isError) throw this.#errorOf(response, json, $metadata);
        return { response, output: { $metadata, ...json } };
      } catch (error) {
        Object.assign(error as Error, { $metadata });
        throw Object.defineProperty(error, '$response', { value: response });
      }
    };

  #errorOf(response: AwsResponse, json: Json, $metadata: object): Error {
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
  async #exchange(
    request: AwsRequest,
    abortSignal: AbortSignal | undefined,
  ): Promise<{ response: AwsResponse }> {
    const result = await this.config.requestHandler.handle(request, { abortSignal });
    const { headers, body } = result.response;
    const checksum = headers['x-amz-crc32'];
    if (checksum !== undefined && Number(checksum) !== crc32(body))
      throw Object.assign(new Error('The answer differs from its checksum.'), { $retryable: {} });
    return result;
  }
}
