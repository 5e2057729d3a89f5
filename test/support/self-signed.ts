/** Creates certificates for the TLS servers of tests: P-256, self-signed and valid for 100 years unless a test says otherwise. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface Certificate {
  /** In PEM format. */
  readonly key: string;
  /** In PEM format. */
  readonly cert: string;
}

interface CertificateOptions {
  /** The first and the last second of its validity, such as `20200101000000Z`. */
  readonly validity?: readonly [from: string, until: string];
  /** Signs the certificate in the place of its own key. `name` is the first host of that certificate. */
  readonly issuer?: { readonly key: string; readonly name: string };
  /** Whether it may sign other certificates. */
  readonly isAuthority?: boolean;
}

/** Creates a certificate for DNS names and IPv4 addresses, with only the fields that X.509 (RFC 5280) requires. */
export function createCertificate(
  hosts: readonly string[],
  {
    validity: [from, until] = ['20200101000000Z', '21200101000000Z'],
    issuer,
    isAuthority = false,
  }: CertificateOptions = {},
): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(objectId('2a8648ce3d040302')); // ecdsa-with-SHA256
  const nameOf = (commonName: string) => sequence(set(sequence(objectId('550403'), utf8(commonName))));
  const name = nameOf(hosts[0] ?? '');
  const validity = sequence(generalizedTime(from), generalizedTime(until));
  const serial = der(0x02, Buffer.concat([Buffer.of(0x01), randomBytes(8)]));
  const alternatives = sequence(objectId('551d11'), octets(sequence(...hosts.map(alternative))));
  const authority = sequence(objectId('551d13'), octets(sequence(der(0x01, Buffer.of(0xff)))));
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    serial,
    algorithm,
    issuer ? nameOf(issuer.name) : name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(alternatives, ...(isAuthority ? [authority] : []))),
  );
  const signature = der(
    0x03,
    Buffer.concat([Buffer.of(0), sign('sha256', toBeSigned, issuer?.key ?? privateKey)]),
  );
  const certificate = sequence(toBeSigned, algorithm, signature);
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
  };
}

function alternative(host: string): Buffer {
  const isAddress = /^[\d.]+$/.test(host);
  return isAddress ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host));
}

const sequence = (...parts: Buffer[]) => der(0x30, Buffer.concat(parts));
const set = (...parts: Buffer[]) => der(0x31, Buffer.concat(parts));
const octets = (content: Buffer) => der(0x04, content);
const utf8 = (text: string) => der(0x0c, Buffer.from(text));
const objectId = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const generalizedTime = (text: string) => der(0x18, Buffer.from(text));

/** Encodes a DER value: tag, length and content. */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const lengthBytes =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...lengthBytes), content]);
}
