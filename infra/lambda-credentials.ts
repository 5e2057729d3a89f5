/**
 * Replaces `@aws-sdk/credential-provider-node` in the bundles of the functions.
 *
 * Lambda passes the credentials of the function's role in environment variables. The SDK's default chain reads the same
 * variables first. Its other sources (profiles, single sign-on, instance metadata and others) would add a fifth to each
 * bundle, and the functions never use them.
 */
import { fromEnv } from '@aws-sdk/credential-provider-env';

/** The default credential provider of the SDK clients. */
export const defaultProvider = fromEnv;
