/** The version of the API, a date. Every response has it in `X-API-Version`. */
export const apiVersion = '2026-11-21';
