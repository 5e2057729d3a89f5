/** The version of the API that the types of this client describe. Every request asks for it. */
export const pinnedApiVersion = '2026-11-23';
