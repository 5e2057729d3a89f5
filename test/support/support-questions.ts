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

/**
 * Questions and titles as users of other services wrote them in public, and the sections of the reference page that answer them.
 * The words are theirs, also the misspelled ones. Do not fit them to the page.
 */
export const askedQuestions = [
  // The message of Stripe's libraries that people search for.
  ['No signatures found matching the expected signature for payload', 'webhooks-verify-messages'],
  ['How can i refund a payment with the api?', 'createRefund'], // invoiceninja/sdk-php, issue 33
  ['Webhook are getting called twice', 'webhooks-what-to-expect'], // invoiceninja/admin-portal, issue 327
  ['How would you use idempotency_key ?', 'idempotency'], // thephpleague/omnipay-stripe, issue 33
  ['Why charges are getting divided by 100', 'conventions'], // stripe/stripe-dotnet, issue 232
  ['how webhook retry policies work?', 'webhooks-how-retries-work'], // paypal/PayPal-node-SDK, issue 308
  ['Testing insuficient funds in developer mode', 'test-cards'], // stripe/stripe-node, issue 695
  ['Manually mark invoice as paid', 'createPayment'], // hackclub/hcb-engr, issue 49
  // razorpay.com/docs/payments/refunds/faqs
  ['When a refund is initiated, can its status remain pending?', 'createRefund'],
  ['rotate webhook signing secrets without downtime', 'rotateWebhookSecret'], // enliven17/talos-stellar, issue 518
  // fetchhook.app/resources/stripe-integration
  ['How do I receive webhooks locally without ngrok?', 'webhooks-receive-webhooks-on-your-own-computer'],
] as const;
