/**
 * Creates the user pool of Amazon Cognito at which users of the dashboard sign in, unless the settings name an issuer.
 *
 * - Nobody can sign up. `npx remit users invite` and the dashboard create a user together with the invitation.
 * - A second factor is required: a code of an authenticator app. Messages to phones have a price and are less secure.
 * - The dashboard keeps no token. It needs the ID token only once, so tokens expire as early as Cognito allows.
 */
import { Aws, Duration, Fn, RemovalPolicy } from 'aws-cdk-lib';
import {
  AccountRecovery,
  CfnManagedLoginBranding,
  FeaturePlan,
  type IUserPool,
  ManagedLoginVersion,
  Mfa,
  OAuthScope,
  UserPool,
  UserPoolClient,
} from 'aws-cdk-lib/aws-cognito';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import type { Settings } from './settings.ts';

/** Where the users of the dashboard sign in. */
export interface SignIn {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined if the settings name an issuer. */
  readonly userPool?: IUserPool;
}

const minutes = Duration.minutes;

/**
 * Creates the pool with its pages and one client, which is public and uses PKCE.
 * @param dashboardUrl the base URL of the dashboard, without a trailing slash
 */
export function createUserPool(scope: Construct, settings: Settings, dashboardUrl: string): SignIn {
  const isProd = settings.stage === 'prod';
  const pool = new UserPool(scope, 'UserPool', {
    selfSignUpEnabled: false,
    signInAliases: { email: true },
    signInCaseSensitive: false,
    autoVerify: { email: true },
    standardAttributes: { email: { required: true, mutable: true } },
    accountRecovery: AccountRecovery.EMAIL_ONLY,
    mfa: Mfa.REQUIRED,
    mfaSecondFactor: { otp: true, sms: false },
    passwordPolicy: {
      minLength: 12,
      requireDigits: true,
      requireLowercase: true,
      requireUppercase: true,
      requireSymbols: true,
      // As long as an invitation.
      tempPasswordValidity: Duration.days(7),
    },
    featurePlan: FeaturePlan.ESSENTIALS,
    deletionProtection: isProd,
    removalPolicy: isProd ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
  acknowledge(
    pool,
    'COG8',
    'The Plus plan has a price for each user. Nobody can sign up, and a second factor is required.',
  );
  // The prefix must be unique in the region, among all AWS accounts. The id of the stack is.
  const domainPrefix = `remit-${Fn.select(2, Fn.split('/', Aws.STACK_ID))}`;
  pool.addDomain('Pages', {
    cognitoDomain: { domainPrefix },
    managedLoginVersion: ManagedLoginVersion.NEWER_MANAGED_LOGIN,
  });
  const client = new UserPoolClient(scope, 'UserPoolClient', {
    userPool: pool,
    generateSecret: false,
    authFlows: { userSrp: true },
    oAuth: {
      flows: { authorizationCodeGrant: true },
      scopes: [OAuthScope.OPENID, OAuthScope.EMAIL],
      callbackUrls: [`${dashboardUrl}/sign-in/callback`],
      logoutUrls: [`${dashboardUrl}/sign-in`],
    },
    preventUserExistenceErrors: true,
    accessTokenValidity: minutes(5),
    idTokenValidity: minutes(5),
    refreshTokenValidity: minutes(60),
  });
  const clientId = client.userPoolClientId;
  const { userPoolId } = pool;
  // The pages need a style, even if it is that of Cognito. Emulators have other pages.
  if (settings.emulatorEndpoint === undefined)
    new CfnManagedLoginBranding(scope, 'PagesStyle', {
      userPoolId,
      clientId,
      useCognitoProvidedValues: true,
    });
  return { issuer: `https://${pool.userPoolProviderName}`, clientId, userPool: pool };
}
