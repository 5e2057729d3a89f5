/** Defines what the canary needs to call the API and to verify webhooks. It is stored only in Secrets Manager. */
import * as v from 'valibot';

const schema = v.object({
  accountId: v.string(),
  keyId: v.string(),
  apiKey: v.string(),
  webhookId: v.string(),
  webhookSecret: v.string(),
  /** The URL of the service, without a trailing slash. */
  baseUrl: v.string(),
});

export type CanaryConfig = v.InferOutput<typeof schema>;

/** Parses the stored text. Returns undefined for another text: `npx remit canary enable` has not stored its own yet. */
export function parseCanaryConfig(text: string): CanaryConfig | undefined {
  try {
    const { success, output } = v.safeParse(schema, JSON.parse(text));
    return success ? output : undefined;
  } catch {
    return undefined;
  }
}
