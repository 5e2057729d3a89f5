/** The table tag that contains the name of its bucket. */
export const bucketTag = 'remit:bucket';

/** The table tags that contain the ARNs of its secrets. A command that knows the table can find its secrets. */
export const secretTags = {
  deployment: 'remit:deployment-secret',
  webhooks: 'remit:webhook-secret',
  keys: 'remit:key-secret',
  providers: 'remit:provider-secret',
  audit: 'remit:audit-secret',
  signing: 'remit:signing-secret',
} as const;
