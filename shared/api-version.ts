/** The version of the API, a date: `X-API-Version` of every response. */
export const apiVersion = '2026-11-21';
