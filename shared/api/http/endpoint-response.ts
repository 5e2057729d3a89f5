/** Makes the response of an endpoint from its answer: status, headers and body. */
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { showIn } from '../../domain/versions/convert.ts';
import { type ApiVersion, firstApiVersion } from '../../domain/versions/versions.ts';
import type { Principal } from '../../store/account-state.ts';
import type { Committed } from '../../store/commit/command.ts';
import { leftOutWarning } from '../../store/left-out-items.ts';
import type { Route } from '../routes.ts';
import type { FileAnswer, fileResponse } from './file-response.ts';
import { prefersToWait } from './preferences.ts';
import type { RequestState } from './request-state.ts';

/** What the response to a request depends on, beside its answer. */
interface Answered<Answer> {
  readonly route: Route;
  readonly event: APIGatewayProxyEvent;
  readonly internal: Pick<RequestState, 'principal' | 'apiVersion' | 'warning' | 'leftOut'>;
  /** Waits for what an answer leaves open. Undefined: the endpoint leaves nothing open. */
  readonly awaitMore: ((answer: Answer, principal: Principal) => Promise<Answer | undefined>) | undefined;
  /** Makes the response of a file. */
  readonly respond: typeof fileResponse | undefined;
}

/** Returns the response, with the outcome that the client prefers to wait for and with warnings. */
export async function respondTo<Answer>(
  { route, event, internal, awaitMore, respond }: Answered<Answer>,
  committed: Committed<unknown>,
): Promise<APIGatewayProxyResult> {
  const more = awaitMore && (await preferredAnswer(awaitMore, event, internal.principal, committed));
  const response = responseOf(route, event, more ?? committed, internal.apiVersion, respond);
  const warning = (await warningOf(internal, committed.answer)) ?? leftOutWarning(internal.leftOut);
  addHeaders(response, { 'Remit-Warning': warning, 'Preference-Applied': more && 'wait' });
  return response;
}

/** The header is a hint, so a failed read leaves it out. */
const warningOf = async ({ warning }: Pick<RequestState, 'warning'>, answer: unknown) =>
  (await warning?.catch(() => undefined))?.(answer as never);

function addHeaders({ headers }: APIGatewayProxyResult, added: Readonly<Record<string, string | undefined>>) {
  const present = Object.entries(added).filter(([, value]) => value !== undefined);
  Object.assign(headers ?? {}, Object.fromEntries(present));
}

/** Returns the answer with what the client prefers to wait for. Undefined: it does not wait, or there is nothing to wait for. */
async function preferredAnswer<Answer>(
  awaitMore: (answer: Answer, principal: Principal) => Promise<Answer | undefined>,
  event: APIGatewayProxyEvent,
  principal: Principal | undefined,
  committed: Committed<unknown>,
): Promise<Committed<unknown> | undefined> {
  if (!principal || !prefersToWait(event)) return undefined;
  const answer = await awaitMore(committed.answer as Answer, principal);
  return answer && { ...committed, answer };
}

/** The idempotency record has the answer of the newest version, so a repetition is answered in its own version. */
function responseOf(
  route: Route,
  event: APIGatewayProxyEvent,
  { answer, replayed }: Committed<unknown>,
  version: ApiVersion = firstApiVersion,
  respond?: typeof fileResponse,
): APIGatewayProxyResult {
  const { status, resource, file } = route;
  if (file !== undefined && respond) return { statusCode: status, ...respond(file, answer as FileAnswer) };
  const statusCode = replayed?.status ?? status;
  const shown = resource ? showIn(version, resource, answer as object) : answer;
  const headers = {
    ...(statusCode === 201 && { Location: locationOf(route, event, answer) }),
    ...(replayed && { 'Idempotent-Replayed': 'true' }),
  };
  return { statusCode, headers, body: JSON.stringify(shown) };
}

/** Returns the path of a new resource, below the path of its list. The path begins with the stage, if the URL has one. */
function locationOf(
  { path: ownPath, createdIn = ownPath }: Route,
  { requestContext, path }: APIGatewayProxyEvent,
  answer: unknown,
): string {
  // Two slashes at the beginning would name a host. Some emulators of the gateway leave the path of the context out.
  const sent = segmentsOf((requestContext.path || path).replace(/^\/+|\/+$/g, ''));
  const stage = sent.slice(0, sent.length - segmentsOf(ownPath.slice(1)).length);
  return `/${[...stage, createdIn.slice(1), (answer as { readonly id: string }).id].join('/')}`;
}

const segmentsOf = (path: string) => path.split('/');
