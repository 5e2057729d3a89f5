/**
 * True in bundles that contain the short path to AWS only, so that esbuild leaves out the SDK's clients. Not defined in all
 * other code. See `infra/bundles.ts`.
 */
declare const directCallsOnly: true;
