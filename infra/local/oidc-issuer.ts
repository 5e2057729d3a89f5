/**
 * Runs an OpenID Connect issuer on this machine, for `npm start` and for tests. Its page lists the users, and a click signs
 * a user in without a password. So it listens on a loopback address only.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { html, raw } from 'hono/html';
import { Provider } from 'oidc-provider';
import { bindServer } from './gateway-server.ts';
import { renderIssuerPage, sendIssuerPage } from './issuer-page.ts';
import type { LocalUser } from './local-users.ts';
import { MemoryAdapter } from './memory-adapter.ts';
import { readBody } from './request-body.ts';

export interface IssuerOptions {
  readonly host: string;
  /** 0 selects any free port. */
  readonly port: number;
  readonly clientId: string;
  readonly dashboardUrl: string;
  readonly users: readonly LocalUser[];
}

export interface Issuer {
  readonly url: string;
  /** Creates a link that signs a user in at the dashboard. It works once. */
  createSignInLink(user: LocalUser): string;
  close(): Promise<void>;
}

const maxFormBytes = 4_096;

/** The cookies of the issuer's session, and its signature. A link removes them, because the session can be another user's. */
const sessionCookies = ['_session', '_session.sig'];

/** Starts the issuer. @throws StartError if the port is in use */
export async function startIssuer({
  host,
  port,
  clientId,
  dashboardUrl,
  users,
}: IssuerOptions): Promise<Issuer> {
  const handler: { current?: (request: IncomingMessage, response: ServerResponse) => Promise<void> } = {};
  const server = createServer((request, response) => {
    handler
      .current?.(request, response)
      .catch(() =>
        sendIssuerPage(
          response,
          400,
          'This page has ended',
          html`<p>Begin the sign-in again.</p><p><a href="${dashboardUrl}">Open the dashboard</a></p>`,
        ),
      );
  });
  await bindServer(server, host, port);
  const url = `http://${host}:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(url, configurationOf(clientId, dashboardUrl, users));
  /** The users of unused links, by the token of the link or of the cookie that replaces it. */
  const links = new Map<string, LocalUser>();
  handler.current = createHandler(provider, users, links, dashboardUrl);
  return {
    url,
    createSignInLink: (user) => {
      const token = randomBytes(20).toString('base64url');
      links.set(token, user);
      return `${url}/link/${token}`;
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function createHandler(
  provider: Provider,
  users: readonly LocalUser[],
  links: Map<string, LocalUser>,
  dashboardUrl: string,
) {
  const serveProtocol = provider.callback();
  const signIn = (request: IncomingMessage, response: ServerResponse, { subject }: LocalUser) =>
    provider.interactionFinished(request, response, { login: { accountId: subject } });

  /** Takes the user of a token: it works once. */
  const takeUser = (token: string | undefined) => {
    const user = token === undefined ? undefined : links.get(token);
    if (token !== undefined) links.delete(token);
    return user;
  };

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    const [, area, token] = path.split('/');
    if (area === 'link') {
      const user = takeUser(token);
      const cookieToken = randomBytes(20).toString('base64url');
      if (user) links.set(cookieToken, user);
      response.writeHead(303, {
        ...(user && {
          'Set-Cookie': [
            `local-link=${cookieToken}; Path=/interaction; HttpOnly; SameSite=Lax`,
            ...sessionCookies.map((name) => `${name}=; Path=/; Max-Age=0`),
          ],
        }),
        Location: `${dashboardUrl}${user ? '/sign-in/start' : ''}`,
      });
      response.end();
      return;
    }
    if (area !== 'interaction') return serveProtocol(request, response);
    const { uid } = await provider.interactionDetails(request, response);
    const linked = takeUser(/(?:^|; )local-link=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1]);
    if (linked) return signIn(request, response, linked);
    const form = request.method === 'POST' ? await readBody(request, maxFormBytes) : '';
    const subject = new URLSearchParams(form.toString()).get('user');
    const chosen = users.find((user) => user.subject === subject);
    if (chosen) return signIn(request, response, chosen);
    const buttons = users.map(
      (user) => html`<p><button name="user" value="${user.subject}">${user.email}</button></p>`,
    );
    sendIssuerPage(
      response,
      200,
      'Choose a user',
      html`<p>This sign-in exists on this machine only. It asks for no password.</p><form method="post" action="/interaction/${uid}">${buttons}</form>`,
    );
  };
}

interface GrantContext {
  readonly oidc: {
    readonly provider: Provider;
    readonly session: { readonly accountId: string };
    readonly client: { readonly clientId: string };
  };
}

function configurationOf(clientId: string, dashboardUrl: string, users: readonly LocalUser[]): object {
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  return {
    adapter: MemoryAdapter,
    clients: [
      {
        client_id: clientId,
        token_endpoint_auth_method: 'none',
        redirect_uris: [`${dashboardUrl}/sign-in/callback`],
        post_logout_redirect_uris: [`${dashboardUrl}/sign-in`],
      },
    ],
    jwks: { keys: [{ ...key, use: 'sig', alg: 'RS256', kid: 'local' }] },
    cookies: { keys: [randomBytes(32).toString('base64url')], names: { session: sessionCookies[0] } },
    claims: { email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 86_400,
      IdToken: 3_600,
      Interaction: 3_600,
      Session: 86_400,
    },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (context: { body: string }, form: string) => {
          context.body = renderIssuerPage(
            'Sign out',
            html`<p>The dashboard signed you out. Do you want to sign out here too?</p>${raw(form)}<p><button name="logout" value="yes" form="op.logoutForm">Sign out</button></p>`,
          );
        },
      },
    },
    findAccount: (_: unknown, subject: string) => {
      const user = users.find((each) => each.subject === subject);
      return (
        user && {
          accountId: subject,
          claims: () => ({ sub: subject, email: user.email, email_verified: user.isEmailVerified }),
        }
      );
    },
    // The user agrees by signing in: the dashboard is the only client.
    loadExistingGrant: async ({ oidc }: GrantContext) => {
      const grant = new oidc.provider.Grant({
        accountId: oidc.session.accountId,
        clientId: oidc.client.clientId,
      });
      grant.addOIDCScope('openid email');
      await grant.save();
      return grant;
    },
    renderError: (context: { body: string }, { error }: { error: string }) => {
      context.body = renderIssuerPage(
        'The sign-in failed',
        html`<p>${error}</p><p><a href="${dashboardUrl}">Open the dashboard</a></p>`,
      );
    },
  };
}
