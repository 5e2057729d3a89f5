/**
 * Makes connections to receivers and keeps them alive for later requests to the same origin.
 *
 * - A connection is made only to an allowed address. The address is checked when the name is resolved, and again once
 *   the connection is open.
 */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIPv6, type LookupFunction, type Socket } from 'node:net';
import { type Instant, now } from '../../base/time.ts';
import { isNameNotFound } from './name-resolution.ts';
import { type PostError, PostFault } from './post-fault.ts';
import { AddressNotAllowed, allowedAddresses, isCallable, portOf, type TargetPolicy } from './target.ts';

/**
 * Returns the connection pool for `url`. Each policy has its own pools, so a connection is reused only under the policy
 * that allowed it. The remote address of an open connection cannot change.
 */
export function agentFor(url: URL, policy: TargetPolicy): HttpAgent {
  const key = JSON.stringify([url.protocol, policy]);
  let agent = agents.get(key);
  if (agent === undefined) {
    agent = limitAge(url.protocol === 'https:' ? new HttpsAgent(poolOptions) : new HttpAgent(poolOptions));
    agents.set(key, agent);
  }
  return agent;
}

/** Stays small: a process has one policy for each mode. */
const agents = new Map<string, HttpAgent>();

/**
 * - `timeout`: idle connections close after 4 s, because most receivers close theirs after 5 s or more.
 * - `maxSockets`: high, so that receivers of different accounts on one host do not wait for each other. The caller
 *   limits the number of concurrent requests.
 */
const poolOptions = { keepAlive: true, maxSockets: 256, maxFreeSockets: 16, timeout: 4_000 };

/** A connection is not reused after this time, because the addresses of a name may change. */
const maxAgeMs = 60_000;

function limitAge(agent: HttpAgent): HttpAgent {
  const keep = agent.keepSocketAlive.bind(agent);
  agent.keepSocketAlive = (socket) => now() - (openedAt.get(socket) ?? 0) <= maxAgeMs && keep(socket);
  return agent;
}

/** Returns the lookup function for a connection to `url`. It rejects a name if one of its addresses is not allowed. */
export function lookupFor(url: URL, policy: TargetPolicy): LookupFunction {
  return (name, options, callback) => {
    allowedAddresses(name, portOf(url), policy).then(
      (addresses) => {
        const answers = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
        const [first] = answers;
        if (options.all === true) callback(null, answers);
        else callback(null, first?.address ?? '', first?.family ?? 0);
      },
      (error: unknown) => callback(new PostFault(lookupErrorOf(error)), []),
    );
  };
}

/** A name whose addresses are not allowed looks like one that does not exist, so nobody can find out private names. */
function lookupErrorOf(error: unknown): PostError {
  return error instanceof AddressNotAllowed || isNameNotFound(error) ? 'host_not_found' : 'dns_failure';
}

/**
 * Checks the remote address of a new connection before the first byte is sent, and closes a connection that is not
 * allowed. This check is necessary because an IP address in a URL is never looked up, and because some addresses
 * connect to another one (0.0.0.0).
 */
export function checkConnection(socket: Socket, url: URL, policy: TargetPolicy): void {
  openedAt.set(socket, now());
  socket.once('connect', () => {
    // A socket without a remote address is already closed, and reports its own error.
    const { remoteAddress } = socket;
    if (remoteAddress !== undefined && !isCallable(remoteAddress, portOf(url), policy)) {
      socket.destroy(new PostFault('address_not_allowed'));
    }
  });
}

/** Whether a connection is open, and its address was checked. */
export const isCheckedConnection = (socket: Socket): boolean => openedAt.has(socket) && !socket.connecting;

const openedAt = new WeakMap<object, Instant>();
