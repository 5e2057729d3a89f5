/** Questions as people ask them, with the sections that answer them: on the reference page, and in the guides for `searchDocs`. */
export const supportQuestions = [
  ['verify webhook python', 'webhooks-verify-messages', '/docs/webhooks.md\n\n## Verify messages'],
  ['signiture hmac', 'webhooks-verify-messages', '/docs/webhooks.md\n\n## Verify messages'],
  ['which event types are there', 'webhooks-event-types', '/docs/webhooks.md\n\n## Event types'],
  [
    'webhook arrives twice, detect duplicates',
    'webhooks-what-to-expect',
    '/docs/webhooks.md\n\n## What to expect',
  ],
  ['how do I page through a list', 'pagination', '/docs/pagination.md'],
  ['what is the rate limit per hour', 'rate-limits', '/docs/rate-limits.md'],
  ['send a request again with an idempotancy key', 'idempotency', '/docs/idempotency.md'],
  ['card is declined in test mode', 'test-cards', '/docs/test-cards.md'],
  ['first live payment', 'live', '/docs/live.md'],
  ['where do I put my api key', 'authentication', '/docs/authentication.md'],
] as const;
