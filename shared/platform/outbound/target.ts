/**
 * Decides which URLs the service may call.
 *
 * - A URL is checked by its text when it is configured.
 * - `connections.ts` checks all addresses of a name for each connection, because they can change. A name is not resolved
 *   when it is configured. So no answer tells whether a private name exists.
 */
import { isIP } from 'node:net';
import type { Mode } from '../../base/ids.ts';
import { canonicalAddress, isAllowedAddress, isOwnMachine } from './address.ts';
import { isLocalName, nameNotFoundError, resolveAddresses } from './name-resolution.ts';

export interface TargetPolicy {
  readonly mode: Mode;
  /** CIDR ranges that the deployment allows although they are private. */
  readonly allowedRanges: readonly string[];
  /** The hosts of the service itself, with the port if it is not the default: `127.0.0.1:4600`. */
  readonly ownHosts: readonly string[];
}

/** Returns all addresses of a name, or rejects with an error that has a `code`. */
export type Resolver = (name: string) => Promise<readonly string[]>;

const maxCharacters = 2_048;

const lengthFault = `url must have at most ${maxCharacters} characters. Shorten it: the body of each event already contains all data.`;
const formFault =
  'url must be an absolute URL such as https://example.com/hooks, without white space, backslashes or control characters.';
const schemeFaults: Record<Mode, string> = {
  live: 'url must start with https:// in live mode. Install a TLS certificate on your receiver.',
  test: 'url must start with https:// or, in test mode, http://.',
};
const userInfoFault =
  'url must not contain a user name or password. Remove them, and verify the signature of each message.';
const fragmentFault = 'url must not contain a fragment. Remove the # and everything after it.';
const portFault = 'url must have a port from 1 to 65535, or no port.';
const hostFault =
  'url must have a host name of letters, digits, hyphens and underscores, separated by single dots. Remove other characters and any dot at the end.';
const ownHostFault = 'url must not lead to this service itself. Use the URL of your own receiver.';
const addressFault =
  'url must lead to a public address, not to a private, local, reserved or metadata address. Use a receiver that is reachable from the internet.';

/** Returns the reason why the text of `url` is not allowed, as a message for people, or undefined if it is allowed. */
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
 * Returns the reason why an endpoint cannot be configured with the port of `url`, or undefined if it can. Deliveries do
 * not check the port, so an endpoint keeps working if the deployment later allows fewer ports. The loopback of this machine
 * has no port limits: it is reachable only if the deployment allows its range.
 * @param url a URL that `targetFault` accepts
 * @param allowedPorts the ports that the deployment allows
 */
export function configuredPortFault(url: string, allowedPorts: readonly number[]): string | undefined {
  const parsed = new URL(url);
  const host = hostOf(parsed);
  if (allowedPorts.includes(portOf(parsed)) || isLocalName(host) || isOwnMachine(host)) return undefined;
  const ports = `${allowedPorts.slice(0, -1).join(', ')} or ${allowedPorts.at(-1)}`;
  return `url must have the port ${ports}. Use such a port for your receiver, or put a proxy in front of it.`;
}

/** The error of `allowedAddresses` for an address that is not allowed. */
export class AddressNotAllowed extends Error {
  readonly code = 'address_not_allowed';
}

/**
 * Resolves the addresses of `name` and checks that all of them may be called at `port`.
 * @throws AddressNotAllowed
 * @throws Error of the resolver
 */
export async function allowedAddresses(
  name: string,
  port: number,
  policy: TargetPolicy,
): Promise<readonly string[]> {
  const addresses = await nameResolution.resolve(name);
  if (addresses.length === 0) throw nameNotFoundError();
  if (!addresses.every((address) => isCallable(address, port, policy))) throw new AddressNotAllowed();
  return addresses;
}

/** Whether the service may connect to `address` and `port`: the address is allowed and is not the service itself. */
export function isCallable(address: string, port: number, policy: TargetPolicy): boolean {
  return isAllowedAddress(address, policy.allowedRanges) && !isOwn(address, port, policy.ownHosts);
}

/** Returns the host in the form that resolvers and sockets accept: IPv6 without brackets. */
export function hostOf({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** Returns the port of a URL, or the default port of its scheme. */
export function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

/** Resolves the names of all targets. Tests replace `resolve`. */
export const nameResolution: { resolve: Resolver } = { resolve: resolveAddresses };

/** Whether all URL parsers read `url` the same way: it has both slashes, and no character that some parsers change. */
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

/**
 * Names of metadata services. Their addresses are refused anyway, but a name may not resolve when it is checked.
 */
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

/** Whether both names mean the same host. All names and addresses of this machine count as the same host. */
function isSameHost(one: string, other: string): boolean {
  const isLocal = (host: string) => isLocalName(host) || isOwnMachine(host);
  const normalize = (host: string) => canonicalAddress(host) ?? host.replace(/\.$/, '');
  return normalize(one) === normalize(other) || (isLocal(one) && isLocal(other));
}
