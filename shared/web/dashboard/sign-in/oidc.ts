/**
 * Signs users in with OpenID Connect: authorization code with PKCE, state and nonce, as a public client. `openid-client`
 * checks the issuer's answers, including the signature of the ID token.
 */
import * as oidc from 'openid-client';
import { env } from '../../../base/env.ts';
import { type Instant, now } from '../../../base/time.ts';
import { type Identity, sessionMs } from '../../../domain/users/session.ts';

/** What the browser keeps between the start of a sign-in and its end. */
export interface SignInSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The user must prove their identity again, even if the issuer still knows them. */
  readonly isNew: boolean;
}

/** Why a sign-in failed. */
export type SignInFailure =
  | 'sign_in_mismatch'
  | 'sign_in_refused'
  | 'sign_in_too_old'
  | 'sign_in_too_weak'
  | 'issuer_failed';

export class SignInError extends Error {
  readonly failure: SignInFailure;

  constructor(failure: SignInFailure, cause?: unknown) {
    super(`The sign-in failed: ${failure}.`, { cause });
    this.failure = failure;
  }
}

/** The time for each request to the issuer. The function has more, so the user still gets an answer. */
const timeoutSeconds = 5;
/** How far the issuer's clock may differ. */
const toleranceSeconds = 60;
/** The oldest sign-in at the issuer that a new sign-in accepts. */
const newSignInSeconds = 5 * 60;
const discoveryMs = 60 * 60 * 1000;

let discovered:
  | { readonly issuer: string; readonly at: Instant; readonly config: oidc.Configuration }
  | undefined;

/** Returns the issuer's configuration, at most one hour old. The keys are cached in it. */
async function configuration(): Promise<oidc.Configuration> {
  const issuer = env.oidcIssuer();
  if (discovered?.issuer === issuer && now() - discovered.at < discoveryMs) return discovered.config;
  // On one machine http is as safe as https: for the local stack, and for a deployment to an emulator.
  const isInsecure = /^http:\/\/(127\.\d+\.\d+\.\d+|localhost|\[::1\])[:/]/.test(issuer);
  const config = await oidc.discovery(
    new URL(issuer),
    env.oidcClientId(),
    { [oidc.clockTolerance]: toleranceSeconds },
    oidc.None(),
    {
      timeout: timeoutSeconds,
      execute: [oidc.enableNonRepudiationChecks, ...(isInsecure ? [oidc.allowInsecureRequests] : [])],
    },
  );
  discovered = { issuer, at: now(), config };
  return config;
}

/**
 * Begins a sign-in.
 * @param redirectUri the address to which the issuer returns the user
 * @returns the address at the issuer, and what the browser must keep
 * @throws SignInError `issuer_failed`
 */
export async function beginSignIn(
  redirectUri: string,
  isNew: boolean,
): Promise<{ readonly url: string; readonly secrets: SignInSecrets }> {
  try {
    const config = await configuration();
    const secrets: SignInSecrets = {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
      isNew,
    };
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'openid email',
      state: secrets.state,
      nonce: secrets.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(secrets.verifier),
      code_challenge_method: 'S256',
      // With `max_age`, the ID token says when the user proved their identity. The tokens of Cognito always do.
      max_age: String(maxAgeSeconds(isNew)),
      ...(isNew && { prompt: 'login' }),
      // OpenID Connect Core 1.0, section 3.1.2.1. The issuer may ignore it, so the claim is checked.
      ...(env.oidcAcr().length > 0 && { acr_values: env.oidcAcr().join(' ') }),
    });
    return { url: url.href, secrets };
  } catch (error) {
    throw new SignInError('issuer_failed', error);
  }
}

/**
 * Completes a sign-in.
 * @param answer the query with which the issuer returned the user
 * @throws SignInError with the reason
 */
export async function completeSignIn(
  redirectUri: string,
  answer: URLSearchParams,
  secrets: SignInSecrets,
): Promise<{ readonly identity: Identity; readonly authenticatedAt: Instant }> {
  try {
    const config = await configuration();
    requireCode(answer, config.serverMetadata());
    const tokens = await oidc.authorizationCodeGrant(config, new URL(`${redirectUri}?${answer}`), {
      pkceCodeVerifier: secrets.verifier,
      expectedState: secrets.state,
      expectedNonce: secrets.nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) throw new Error('The issuer returned no ID token.');
    const authenticatedAt = Number(claims.auth_time ?? 0) * 1000;
    if (secrets.isNew && now() - authenticatedAt > newSignInSeconds * 1000)
      throw new SignInError('sign_in_too_old');
    requireStrength(claims);
    const { email, email_verified } =
      claims.email === undefined && config.serverMetadata().userinfo_endpoint
        ? await oidc.fetchUserInfo(config, tokens.access_token, claims.sub)
        : claims;
    return {
      identity: {
        issuer: claims.iss,
        subject: claims.sub,
        email: typeof email === 'string' ? email : '',
        // Cognito's user information has the text `true`.
        isEmailVerified: email_verified === true || String(email_verified) === 'true',
      },
      authenticatedAt,
    };
  } catch (error) {
    throw toSignInError(error);
  }
}

/**
 * Returns the address at which the issuer ends its own session and sends the user back, or undefined if it has none.
 * @throws Error if the issuer does not answer
 */
export async function issuerSignOutUrl(returnUrl: string): Promise<string | undefined> {
  const config = await configuration();
  if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
  // Cognito has a parameter name of its own.
  return oidc.buildEndSessionUrl(config, { post_logout_redirect_uri: returnUrl, logout_uri: returnUrl }).href;
}

const maxAgeSeconds = (isNew: boolean) => (isNew ? newSignInSeconds : sessionMs / 1000);

/**
 * Requires that the browser has returned with a code. Anyone can send the browser here with another query, so it says
 * nothing about the issuer.
 * @throws SignInError `sign_in_refused` or `sign_in_mismatch`
 */
function requireCode(answer: URLSearchParams, metadata: oidc.ServerMetadata): void {
  const { issuer, authorization_response_iss_parameter_supported: isIssuerNamed } = metadata;
  const isAmbiguous = new Set(answer.keys()).size < answer.size;
  const named = answer.get('iss');
  const isOfIssuer = named === null ? !isIssuerNamed : named === issuer;
  if (isAmbiguous || !isOfIssuer) throw new SignInError('sign_in_mismatch');
  if (answer.has('error')) throw new SignInError('sign_in_refused');
  // RFC 6749, appendix A.11. The other names begin answers of flows that were not asked for.
  const isCode = /^[\x20-\x7e]{1,2048}$/.test(answer.get('code') ?? '');
  if (!isCode || ['response', 'id_token', 'token'].some((name) => answer.has(name)))
    throw new SignInError('sign_in_mismatch');
}

/**
 * Requires that the user has signed in as the deployment demands. OpenID Connect Core 1.0, section 2, defines both claims: `acr` is a
 * text, and `amr` a list of texts, such as `mfa` of RFC 8176.
 * @throws SignInError `sign_in_too_weak`
 */
function requireStrength({ acr, amr }: oidc.IDToken): void {
  const isOneOf = (allowed: readonly string[], found: readonly unknown[]) =>
    allowed.length === 0 || found.some((each) => allowed.includes(each as string));
  if (!isOneOf(env.oidcAcr(), [acr]) || !isOneOf(env.oidcAmr(), Array.isArray(amr) ? amr : []))
    throw new SignInError('sign_in_too_weak');
}

function toSignInError(error: unknown): SignInError {
  if (error instanceof SignInError) return error;
  return new SignInError(isOfBrowser(error) ? 'sign_in_mismatch' : 'issuer_failed', error);
}

/**
 * Whether the issuer has answered that the browser's code or verifier is wrong, for example because the code was used before, or
 * whether the browser's nonce is another one.
 */
function isOfBrowser(error: unknown): boolean {
  if (error instanceof oidc.ResponseBodyError)
    return ['invalid_grant', 'invalid_request'].includes(error.error);
  const { cause } = error as { cause?: { claim?: unknown; cause?: { claim?: unknown } } };
  return [cause?.claim, cause?.cause?.claim].includes('nonce');
}
