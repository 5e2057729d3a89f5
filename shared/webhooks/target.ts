/**
 * Which URLs may be called: judged by their spelling and, where the host is a name, by all of its addresses. They are
 * judged again when a connection is made (`post.ts`), since names change their addresses.
 */
import { isIP } from 'node:net';
import type { Mode } from '../ids.ts';
import { canonicalAddress, isAllowedAddress, leadsBack } from './address.ts';
import { absence, addressesOf, isAbsence, isLocalName } from './name-resolution.ts';

export interface TargetPolicy {
  readonly mode: Mode;
  /** CIDR ranges that the deployment allows although private. */
  readonly allowedRanges: readonly string[];
  /** Hosts of the service itself, with the port if it is not the default one: `127.0.0.1:4600`. */
  readonly ownHosts: readonly string[];
}

/** Gives all addresses of a name, or rejects with an error that has a `code`. */
export type Resolver = (name: string) => Promise<readonly string[]>;

const maxCharacters = 2_048;

const lengthFault = `url must have at most ${maxCharacters} characters: move data out of it, the event's body has all that is needed.`;
const formFault =
  'url must be an absolute URL such as https://example.com/hooks, without white space, backslashes or control characters.';
const schemeFaults: Record<Mode, string> = {
  live: 'url must start with https:// in live mode: give the receiver a certificate.',
  test: 'url must start with https:// or, in test mode, http://.',
};
const userInfoFault =
  'url must not contain a user name or password: leave them out and verify the signature of what arrives.';
const fragmentFault = 'url must not contain a fragment: leave out the # and all after it.';
const portFault = 'url must have a port from 1 to 65535, or none.';
const hostFault =
  'url must name its host by letters, digits, hyphens and underscores with single dots between: write it without a dot at the end.';
const ownHostFault = 'url must not lead to this service itself: give the address of your own receiver.';
const addressFault =
  'url must lead to a public address, never to a private, local, reserved or metadata one: give a receiver that can be reached from the internet.';
const absenceFault =
  'url must name a host that exists: correct its name, or add an A or AAAA record to its DNS zone first.';

/** Why `url` may not be called, as a sentence for people; undefined if nothing in its spelling speaks against it. */
export function targetFault(url: string, policy: TargetPolicy): string | undefined {
  if (url.length > maxCharacters) return lengthFault;
  if (!isPlain(url) || !URL.canParse(url)) return formFault;
  const parsed = new URL(url);
  if (parsed.protocol !== 'https:' && policy.mode === 'live') return schemeFaults.live;
  const authority = url.split('/')[2] ?? '';
  if (authority.split(/[?#]/)[0]?.includes('@')) return userInfoFault;
  if (url.includes('#')) return fragmentFault;
  if (parsed.port === '0') return portFault;
  return hostFaultOf(hostOf(parsed), portOf(parsed), policy);
}

/**
 * As `targetFault`, and judges all addresses of a name: one that may not be called is enough to refuse it. A name
 * without address is a fault; a resolver that fails, or is not done `withinMs`, proves nothing and is none.
 */
export async function resolvedFault(
  url: string,
  policy: TargetPolicy,
  withinMs = 3_000,
): Promise<string | undefined> {
  const fault = targetFault(url, policy);
  const parsed = URL.parse(url);
  if (fault !== undefined || parsed === null || isIP(hostOf(parsed)) !== 0) return fault;
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<undefined>((expire) => {
    timer = setTimeout(() => expire(undefined), withinMs);
  });
  const judged = allowedAddresses(hostOf(parsed), portOf(parsed), policy).then(
    () => undefined,
    (error: unknown) =>
      error instanceof AddressNotAllowed ? addressFault : isAbsence(error) ? absenceFault : undefined,
  );
  return Promise.race([judged, patience]).finally(() => clearTimeout(timer));
}

/** What `allowedAddresses` rejects with for an address that may not be called. */
export class AddressNotAllowed extends Error {
  readonly code = 'address_not_allowed';
}

/** The addresses of `name`, all of which may be called at `port`. Rejects with `AddressNotAllowed`, or as the resolver does. */
export async function allowedAddresses(
  name: string,
  port: number,
  policy: TargetPolicy,
): Promise<readonly string[]> {
  const addresses = await resolve(name);
  if (addresses.length === 0) throw absence();
  if (!addresses.every((address) => isCallable(address, port, policy))) throw new AddressNotAllowed();
  return addresses;
}

/** Whether a connection to `address` and `port` may be made: it is allowed, and not the service itself. */
export function isCallable(address: string, port: number, policy: TargetPolicy): boolean {
  return isAllowedAddress(address, policy.allowedRanges) && !isOwn(address, port, policy.ownHosts);
}

/** The host as resolvers and sockets take it: IPv6 without brackets. */
export function hostOf({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** The port that an address leads to, its scheme's own if it names none. */
export function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

let resolve: Resolver = addressesOf;

/** Replaces the resolver (for tests); without an argument the system's is back. */
export function setResolver(replacement: Resolver = addressesOf): void {
  resolve = replacement;
}

/** What every reader of URLs reads alike: both slashes there, nothing that some of them drop or turn round. */
function isPlain(url: string): boolean {
  return /^https?:\/\/[^/]/i.test(url) && !/[\s\p{Cc}\p{Cf}\p{Cs}\\]/u.test(url);
}

function hostFaultOf(host: string, port: number, policy: TargetPolicy): string | undefined {
  const isAddress = isIP(host) !== 0;
  if (!isAddress && !(/^[\w-]{1,63}(\.[\w-]{1,63})*$/.test(host) && host.length <= 253)) return hostFault;
  if (isOwn(host, port, policy.ownHosts)) return ownHostFault;
  if (metadataNames.has(host)) return addressFault;
  const addresses = isAddress ? [host] : isLocalName(host) ? loopback : [];
  return addresses.every((address) => isAllowedAddress(address, policy.allowedRanges))
    ? undefined
    : addressFault;
}

const loopback = ['127.0.0.1', '::1'];

/** Their addresses are refused anyway; by their names also where those do not resolve. */
const metadataNames = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'metadata.platformequinix.com',
  'instance-data',
  'instance-data.ec2.internal',
]);

function isOwn(host: string, port: number, ownHosts: readonly string[]): boolean {
  return ownHosts.some((own) => {
    const { hostname, port: ownPort } = new URL(`http://${own}`);
    const isSamePort = ownPort === '' ? port === 80 || port === 443 : port === Number(ownPort);
    return isSamePort && isSameHost(host, hostOf({ hostname }));
  });
}

/** All ways back to this machine are one: whichever of them the service listens on. */
function isSameHost(one: string, other: string): boolean {
  const isBack = (host: string) => isLocalName(host) || leadsBack(host);
  const plain = (host: string) => canonicalAddress(host) ?? host.replace(/\.$/, '');
  return plain(one) === plain(other) || (isBack(one) && isBack(other));
}
