/**
 * Runs an OpenID Connect issuer that a test can make fail: no answer, other claims, another clock, a wrong signature. It
 * signs every user in at once.
 */
import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the issuer answers. Tests change it. */
export interface IssuerBehavior {
  /** Replaces the answer of a path. */
  answers: Record<string, (response: ServerResponse) => void>;
  /** Replaces claims of the ID token. A claim that is undefined is left out. */
  claims: Record<string, unknown>;
  userInfo: Record<string, unknown> | undefined;
  /** The header's algorithm, and the key of the signature. */
  forged: 'none' | 'other key' | undefined;
}

export interface FaultyIssuer {
  readonly url: string;
  readonly behavior: IssuerBehavior;
  /** Restores correct answers. */
  reset(): void;
  close(): Promise<void>;
}

const newKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Starts the issuer on a free loopback port. */
export async function startFaultyIssuer(clientId: string): Promise<FaultyIssuer> {
  const [{ publicKey, privateKey }, other] = [newKey(), newKey()];
  const behavior = {} as IssuerBehavior;
  const reset = () =>
    void Object.assign(behavior, { answers: {}, claims: {}, userInfo: undefined, forged: undefined });
  reset();
  const nonces = new Map<string, string>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', url);
    const answer = behavior.answers[pathname];
    if (answer) return answer(response);
    if (pathname === '/.well-known/openid-configuration') return sendJson(response, metadata());
    if (pathname === '/jwks')
      return sendJson(response, {
        keys: [{ ...publicKey.export({ format: 'jwk' }), kid: '1', alg: 'RS256', use: 'sig' }],
      });
    if (pathname === '/userinfo') return sendJson(response, { sub: 'user', ...behavior.userInfo });
    if (pathname === '/token') return void sendTokens(request, response);
    const code = String(nonces.size + 1);
    nonces.set(code, searchParams.get('nonce') ?? '');
    const back = new URL(searchParams.get('redirect_uri') ?? '');
    back.search = String(new URLSearchParams({ code, state: searchParams.get('state') ?? '' }));
    response.writeHead(303, { Location: back.href }).end();
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const metadata = () => ({
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/jwks`,
    ...(behavior.userInfo && { userinfo_endpoint: `${url}/userinfo` }),
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  });

  const sendTokens = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const code = new URLSearchParams(Buffer.concat(chunks).toString()).get('code') ?? '';
    const seconds = Math.floor(Date.now() / 1000);
    const claims = {
      iss: url,
      aud: clientId,
      sub: 'user',
      nonce: nonces.get(code),
      email: 'user@example.com',
      email_verified: true,
      auth_time: seconds,
      iat: seconds,
      exp: seconds + 300,
      ...behavior.claims,
    };
    sendJson(response, { access_token: 'x', token_type: 'Bearer', id_token: sign(claims) });
  };

  const sign = (claims: object) => {
    const { forged } = behavior;
    const head = `${encode({ alg: forged === 'none' ? 'none' : 'RS256', kid: '1' })}.${encode(claims)}`;
    if (forged === 'none') return `${head}.`;
    const key: KeyObject = forged === 'other key' ? other.privateKey : privateKey;
    return `${head}.${createSign('RSA-SHA256').update(head).sign(key, 'base64url')}`;
  };

  return {
    url,
    behavior,
    reset,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
