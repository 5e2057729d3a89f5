/**
 * Makes the Lambda handler of an API endpoint: a middy handler with the middleware that all endpoints share.
 *
 * The middleware run in the order in which errors are judged: 401, 429, 403, then the stored answer of a repeated
 * request, then 400. The endpoint's own function runs last.
 */
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import type * as v from 'valibot';
import type { AuditOrigin } from '../../base/audit-origin.ts';
import { type Clock, clockAt } from '../../base/clock.ts';
import type { ApiError } from '../../base/errors.ts';
import type { Owner } from '../../base/ids.ts';
import { failsFirst, type WebhookFault } from '../../base/test-fault.ts';
import type { Instant } from '../../base/time.ts';
import type { StoredCharges } from '../../domain/charges/stored-charges.ts';
import { type ApiVersion, firstApiVersion } from '../../domain/versions/versions.ts';
import type { Principal } from '../../store/account-state.ts';
import { Command, type Committed, RecordedChange } from '../../store/commit/command.ts';
import { commit, replay } from '../../store/commit/commit.ts';
import { type RequestKey, readIdempotency, type Sealing } from '../../store/commit/idempotency-records.ts';
import type { RecordBase } from '../../store/records.ts';
import type { Route } from '../routes.ts';
import { type ApiContext, apiHandler, headerValue, paramsOf } from './api-handler.ts';
import { askedApiVersion, earlierApiVersion } from './api-version.ts';
import { authentication } from './authentication.ts';
import { respondTo } from './endpoint-response.ts';
import { errorEnvelope } from './error-envelope.ts';
import type { FileAnswer, fileResponse } from './file-response.ts';
import { idempotency, idempotencyKey } from './idempotency.ts';
import { jsonBody } from './json-body.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';
import { hashOfIdempotencyKey } from './request-key.ts';
import { requestLog } from './request-log.ts';
import { requestOrigin } from './request-origin.ts';
import type { ApiRequest, RequestState } from './request-state.ts';
import { standardHeaders } from './standard-headers.ts';
import { limitOnRequest, refuseLiveFault, testFault, withTestFault } from './test-fault.ts';
import { validation } from './validation.ts';

type Output<Schema> = Schema extends v.GenericSchema ? v.InferOutput<Schema> : undefined;

/** The answer of route `R`: a file, or the output of its response schema, without what the versions derive. */
export type AnswerOf<R extends Route> = R extends { readonly file: string }
  ? FileAnswer
  : Underived<Output<R['response']>>;

/** What an invoice shows of its lines, its buyer, its document, its payments, its schedule and the invoice that it replaces or that replaces it. */
type DerivedFields = StoredCharges &
  Readonly<Record<'number' | 'replaces' | 'replacedBy' | 'scheduleId', string | null>> &
  Readonly<Record<'buyer' | 'gst' | 'period', object | null>> &
  Readonly<Record<'amountPaid' | 'amountDue' | 'amountWrittenOff', number>> & {
    readonly acceptPartial: boolean;
    readonly reminders: number[] | null;
    readonly claim: object | null;
  };

/** What a payment shows of the claim that it confirms, and of credit. */
type DerivedOfPayment = Readonly<Record<'claim' | 'creditFrom', string | null>> & {
  readonly amountCredited: number;
};

/**
 * An invoice without lines is answered without charges, and one without a number or a buyer without it, alone or in a list. So is a payment
 * without a claim or credit.
 */
type Underived<Answer> = Answer extends DerivedFields
  ? Omit<Answer, keyof DerivedFields> & Partial<Pick<Answer, keyof DerivedFields>>
  : Answer extends DerivedOfPayment
    ? Omit<Answer, keyof DerivedOfPayment> & Partial<Pick<Answer, keyof DerivedOfPayment>>
    : Answer extends { data: (infer Row extends DerivedFields | DerivedOfPayment)[] }
      ? Omit<Answer, 'data'> & { data: Underived<Row>[] }
      : Answer;

/** The valid input of a request to route `R`. */
interface Input<R extends Route> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Output<R['query']>;
  readonly body: Output<R['body']>;
  /** The host of this service that the request was sent to, with the port if it is not the default one. */
  readonly host: string | undefined;
  readonly now: Instant;
}

/** A change that leads to `Answer`. */
// biome-ignore lint/suspicious/noExplicitAny: the endpoint passes the command on; only `decide` knows its records
type CommandFor<Answer> = Command<any, Answer> | RecordedChange<Answer>;

/** A route whose answer contains a secret needs the key that encrypts it. */
type Confidentiality<R extends Route> = R extends { readonly confidential: true }
  ? { readonly sealing: Sealing }
  : { readonly sealing?: undefined };

/** A route whose answer is a file needs the function that makes the response. Others do not have it in their bundles. */
type Form<R extends Route> = R extends { readonly file: string }
  ? { readonly respond: typeof fileResponse }
  : { readonly respond?: undefined };

interface EndpointFunction<R extends Route, Loaded> {
  /** Throws if the caller may not get a stored answer again. */
  readonly permitReplay?: (answer: AnswerOf<R>, principal: Principal) => void;
  /** Returns the error of every authenticated request to a catch-all. */
  readonly refuse?: (request: ApiRequest) => ApiError;
  /**
   * Starts the reads that can run beside authentication, for the owner that the API key names. Runs only for valid
   * input.
   */
  readonly load?: (input: Input<R> & { owner: Owner }) => Promise<Loaded>;
  /**
   * Starts the reads behind the header `Remit-Warning` beside authentication, and returns the function that judges the answer. The header
   * is set on answers without an error. If a read fails, the answer has no such header. Answers that leave out malformed items have it, too.
   */
  readonly warn?: (
    input: Input<R> & { owner: Owner },
  ) => Promise<((answer: AnswerOf<R>) => string | undefined) | undefined>;
  /**
   * Waits for what follows from the committed change, and adds it to the answer. Runs if the client sends `Prefer: wait`, also for a
   * repeated request, whose stored answer lacks it. Returns undefined if there is nothing to wait for. It never rejects.
   */
  readonly awaitMore?: (answer: AnswerOf<R>, principal: Principal) => Promise<AnswerOf<R> | undefined>;
  /** Returns the answer, or the command that leads to one. */
  readonly handle: (
    input: Input<R> & {
      principal: Principal;
      loaded: Loaded;
      requestKey: RequestKey | undefined;
      /** Undefined for a route that changes nothing. */
      origin: AuditOrigin | undefined;
      /** The moment of the request. What it stores has the time of the account. */
      clock: Clock;
      /** The fault of the events that the request causes, also of later ones. */
      webhookFault: WebhookFault | undefined;
      /** The version of the request. The endpoint converts the answer, so only what is stored depends on it. */
      apiVersion: ApiVersion;
    },
  ) => Promise<AnswerOf<R> | CommandFor<AnswerOf<R>>> | AnswerOf<R> | CommandFor<AnswerOf<R>>;
}

type Options<R extends Route, Loaded> = EndpointFunction<R, Loaded> & Confidentiality<R> & Form<R>;

/** The middy handler of `route`. It answers every error itself, so it never throws. */
export function endpoint<const R extends Route, Loaded = undefined>(
  route: R,
  { refuse, load, warn, handle, awaitMore, sealing, permitReplay, respond }: Options<R, Loaded>,
) {
  const inputOf = ({ event, internal }: Pick<ApiRequest, 'event' | 'internal'>) =>
    ({
      ...internal.input,
      params: paramsOf(event),
      host: headerValue(event, 'host'),
      now: internal.startedAt,
    }) as Input<R>;

  const loadEarly = (request: ApiRequest) => {
    const { apiKey, idempotencyKey: key, startedAt } = request.internal;
    if (!apiKey) return;
    const { owner } = apiKey;
    refuseLiveFault(request.internal, apiKey);
    if (failsFirst(request.internal.testFault)) return;
    const { deferredError } = request.internal;
    const reads: Pick<RequestState, 'loaded' | 'warning' | 'idempotencyLoaded'> = {
      ...(warn && !deferredError && { warning: warn({ ...inputOf(request), owner }) }),
      ...(load && !deferredError && { loaded: load({ ...inputOf(request), owner }) }),
      ...(key && { idempotencyLoaded: readIdempotency(owner, hashOfIdempotencyKey(key), startedAt) }),
    };
    // The code that awaits them handles a failure. If the request is refused, nothing awaits them.
    for (const read of Object.values(reads)) read.catch(() => {});
    Object.assign(request.internal, reads);
  };

  const answer = async (
    request: Pick<ApiRequest, 'event' | 'internal'>,
    webhookFault: WebhookFault | undefined,
  ): Promise<Committed<unknown>> => {
    const { principal, repeated, requestKey, startedAt: now } = request.internal;
    const key = requestKey && {
      ...requestKey,
      permitReplay: (answer: unknown) => permitReplay?.(answer as AnswerOf<R>, principal as Principal),
    };
    if (repeated?.final && key) return replay(repeated, key);
    const clock = clockAt(principal?.clock, now);
    const origin = route.audit && (await requestOrigin(route.audit, request));
    const result = await handle({
      ...inputOf(request),
      principal: principal as Principal,
      requestKey: key,
      origin,
      clock,
      webhookFault,
      apiVersion: request.internal.apiVersion ?? firstApiVersion,
      loaded: (await request.internal.loaded) as Loaded,
    });
    if (result instanceof RecordedChange) return result.make();
    if (!(result instanceof Command)) return { answer: result };
    const command = result as Command<RecordBase[], unknown>;
    try {
      if (repeated && key) return await replay(repeated, key, command);
      return await commit(command, { clock, key, origin, webhookFault });
    } finally {
      await command.meanwhile;
    }
  };

  return apiHandler()
    .use(httpHeaderNormalizer())
    .use(requestLog(route))
    .use(rateLimitHeaders())
    .use(standardHeaders())
    .use(errorEnvelope())
    .use(askedApiVersion())
    .use(idempotencyKey(route))
    .use(testFault(route))
    .use(jsonBody(route))
    .use(validation(route))
    .use(authentication(route, loadEarly))
    .use(limitOnRequest())
    .before((request) => {
      if (refuse) throw refuse(request);
    })
    .use(earlierApiVersion(route))
    .use(idempotency(route, sealing))
    .handler(async (event, { state: internal }: ApiContext) => {
      const committed = await withTestFault(internal, (fault) => answer({ event, internal }, fault));
      return respondTo<AnswerOf<R>>({ route, event, internal, awaitMore, respond }, committed);
    });
}
