/** Creates certificates for the TLS servers of tests: self-signed, P-256, valid for 100 years. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface Certificate {
  /** In PEM format. */
  readonly key: string;
  /** In PEM format. */
  readonly cert: string;
}

/** Creates a certificate for DNS names and IPv4 addresses, with only the fields that X.509 (RFC 5280) requires. */
export function createCertificate(hosts: readonly string[]): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(objectId('2a8648ce3d040302')); // ecdsa-with-SHA256
  const name = sequence(set(sequence(objectId('550403'), utf8(hosts[0] ?? ''))));
  const validity = sequence(generalizedTime('20200101000000Z'), generalizedTime('21200101000000Z'));
  const serial = der(0x02, Buffer.concat([Buffer.of(0x01), randomBytes(8)]));
  const alternatives = sequence(objectId('551d11'), octets(sequence(...hosts.map(alternative))));
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    serial,
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(alternatives)),
  );
  const signature = der(0x03, Buffer.concat([Buffer.of(0), sign('sha256', toBeSigned, privateKey)]));
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
