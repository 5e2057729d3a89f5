/**
 * Says whether the HTTP status of a provider's answer refuses the key: it is wrong or revoked, its account is closed, or it lacks a
 * permission (https://docs.stripe.com/api/errors, https://razorpay.com/docs/errors/).
 */
export const isCredentialRefusal = (status: number | undefined): boolean => status === 401 || status === 403;
