/**
 * Connections to receivers: kept alive for the next request to the same origin, and made only to addresses that may
 * be called.
 */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIPv6, type LookupFunction, type Socket } from 'node:net';
import { type Instant, now } from '../time.ts';
import { type PostError, PostFault } from './post-fault.ts';
import { AddressNotAllowed, allowedAddresses, isCallable, portOf, type TargetPolicy } from './target.ts';

/**
 * The pool of connections for `url`. Each policy has pools of its own: a connection is re-used under the policy that
 * it was judged by when it was made, and its other end cannot change.
 */
export function agentFor(url: URL, policy: TargetPolicy): HttpAgent {
  const key = JSON.stringify([url.protocol, policy]);
  let agent = agents.get(key);
  if (agent === undefined) {
    agent = renewing(url.protocol === 'https:' ? new HttpsAgent(poolOptions) : new HttpAgent(poolOptions));
    agents.set(key, agent);
  }
  return agent;
}

/** Grows by the policies of this process, which are as many as its modes. */
const agents = new Map<string, HttpAgent>();

/**
 * Idle connections close before most receivers close theirs (5 s and more). The number per origin does not make
 * receivers of different accounts at one host wait for each other; how many posts are under way is the caller's to bound.
 */
const poolOptions = { keepAlive: true, maxSockets: 256, maxFreeSockets: 16, timeout: 4_000 };

/** A name's addresses may change: after this time a connection is not kept again, however busy it is. */
const maxAgeMs = 60_000;

function renewing(agent: HttpAgent): HttpAgent {
  const keep = agent.keepSocketAlive.bind(agent);
  agent.keepSocketAlive = (socket) => now() - (openedAt.get(socket) ?? 0) <= maxAgeMs && keep(socket);
  return agent;
}

/** Resolves names for a connection to `url` and refuses a name as a whole if one of its addresses may not be called. */
export function lookupFor(url: URL, policy: TargetPolicy): LookupFunction {
  return (name, options, callback) => {
    allowedAddresses(name, portOf(url), policy).then(
      (addresses) => {
        const answers = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
        const [first] = answers;
        if (options.all === true) callback(null, answers);
        else callback(null, first?.address ?? '', first?.family ?? 0);
      },
      (error: unknown) => {
        const code: PostError = error instanceof AddressNotAllowed ? 'address_not_allowed' : 'dns_failure';
        callback(new PostFault(code), []);
      },
    );
  };
}

/**
 * Judges the address that a new connection has really reached, before the first byte is sent: a literal address in a
 * URL is never looked up, and some addresses lead elsewhere (0.0.0.0).
 */
export function judgeConnection(socket: Socket, url: URL, policy: TargetPolicy): void {
  openedAt.set(socket, now());
  socket.once('connect', () => {
    // Without an address it is closed already, which its own error will tell.
    const { remoteAddress } = socket;
    if (remoteAddress !== undefined && !isCallable(remoteAddress, portOf(url), policy)) {
      socket.destroy(new PostFault('address_not_allowed'));
    }
  });
}

const openedAt = new WeakMap<object, Instant>();
