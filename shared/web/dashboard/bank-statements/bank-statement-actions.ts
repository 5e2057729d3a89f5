/** Lists the forms of bank statements. */
import { importAction, uploadAction } from './import-actions.ts';
import { ignoreAction, linkAction, matchAction, returnAction } from './row-actions.ts';

export const bankStatementActions = [
  uploadAction,
  importAction,
  matchAction,
  linkAction,
  returnAction,
  ignoreAction,
];
