/**
 * The header with which a browser uses only HTTPS for this host during the next year. Browsers ignore it in responses over
 * HTTP, so it has no effect on the local stack.
 */
export const transportSecurity = { 'Strict-Transport-Security': 'max-age=31536000' } as const;
