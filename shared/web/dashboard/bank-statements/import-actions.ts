/** The two forms that import a bank statement. The first one reads the file and stores no row, the second one imports the rows. */
import * as v from 'valibot';
import { columnFields } from '../../../domain/statements/column-mapping.ts';
import { mappingOf } from '../../../domain/statements/files/read-file.ts';
import { loadFile, problemOfRows, storeFile } from '../../../domain/statements/files/stored-file.ts';
import { fileIdSchema, type NewStatement } from '../../../domain/statements/statement.ts';
import { createStatementCommand, findSameStatement } from '../../../domain/statements/statement-store.ts';
import { commitCreation } from '../attempts/commit-attempt.ts';
import { type Failure, failureOf, formAttemptOf, requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { ActionRequest, ActionResult, DashboardAction } from '../definitions.ts';
import { lineOf } from '../input/form-fields.ts';
import { importTexts, uploadFields } from './bank-statement-texts.ts';
import { showPreview, showUploadForm } from './import-views.ts';
import {
  columnName,
  readColumns,
  readDayForm,
  readFile,
  readHead,
  readUpload,
  type SentFile,
  withMapping,
} from './sent-file.ts';
import { readBanks, readMapping } from './statement-queries.ts';

const newPath = '/bank-statements/new';

export const uploadAction: DashboardAction = {
  path: newPath,
  ability: 'payments:record',
  formPage: () => newPath,
  fields: ['bank', 'currency', 'file'],
  typed: {
    // A browser does not show a file again.
    secrets: ['file'],
    showAgain: (request, failure) => showUploadAgain(request, failure),
  },
  handle: async (request) => {
    const sent = readUpload(request.form);
    if (!sent.ok) return showUploadAgain(request, { errors: sent.errors, status: 400 });
    const kept = await keepColumns(request, sent.file);
    return preview(request, kept ?? sent.file, undefined, kept !== undefined);
  },
};

/** Returns a file with the columns of the last import of its bank. Undefined: there was none, or the file does not have them. */
async function keepColumns(request: ActionRequest, file: SentFile): Promise<SentFile | undefined> {
  const mapping = await readMapping(request, file.bank);
  return mapping && withMapping(file, mapping);
}

/** Stores a file, if it is not stored, and shows its rows. Or asks for another file if no choice of columns can help. */
async function preview(
  request: ActionRequest,
  file: SentFile,
  failure?: Failure,
  isKept = false,
): Promise<ActionResult> {
  const { context } = request;
  const read = readFile(file);
  const problem = read.ok ? '' : read.problems.join(' ');
  if (!read.ok && !read.names) return showUploadAgain(request, { errors: { file: problem }, status: 400 });
  const id = file.id ?? (await storeFile(requestOwnerOf(request), file.bytes));
  const stored = { ...file, id };
  if (read.ok) {
    const { statement } = read;
    const names = statement.format === 'csv' ? statement.names : [];
    return { view: showPreview(context, { file: stored, statement, names, failure, isKept }) };
  }
  const failed: Failure = { alert: problem, status: 400 };
  const names = read.names ?? [];
  return { view: showPreview(context, { file: stored, statement: undefined, names, failure: failed }) };
}

async function showUploadAgain(request: ActionRequest, failure: Failure): Promise<ActionResult> {
  const { context, form } = request;
  return { view: showUploadForm(context, await readBanks(request), { fields: form, failure }) };
}

export const importAction: DashboardAction = {
  path: '/bank-statements/import',
  ability: 'payments:record',
  formPage: () => newPath,
  fields: ['bank', 'currency', 'file'],
  // A file of XML has no columns.
  optionalFields: [...columnFields.map(columnName), 'dayForm', 'step'],
  typed: {
    showAgain: async (request, failure) => {
      const file = await fileIn(request);
      return file ? preview(request, file, failure) : showUploadAgain(request, failure);
    },
  },
  handle: async (request) => {
    const { form } = request;
    const file = await fileIn(request);
    if (!file) return showUploadAgain(request, { errors: { file: importTexts.gone }, status: 400 });
    const step = form.get('step');
    if (step !== null && step !== 'preview')
      return preview(request, file, { alert: importTexts.unknownStep, status: 400 });
    const read = readFile(file);
    if (read.ok && read.statement.format === 'csv' && file.dayForm === undefined)
      return preview(request, file, { alert: importTexts.dayForm.message, status: 400 });
    if (step !== null || !read.ok) return preview(request, file);
    const { bank, currency } = file;
    const { rows } = read.statement;
    const problem = problemOfRows(rows, request.context.moment.account);
    if (problem !== undefined) return preview(request, file, { alert: problem, status: 400 });
    try {
      return await importRows(request, { bank, currency, rows, mapping: mappingOf(read.statement) });
    } catch (error) {
      const failure = failureOf(error, uploadFields);
      return failure && preview(request, file, failure);
    }
  },
};

/** Returns the file of the second form. Undefined: the form does not name one, or it has expired. */
async function fileIn(request: ActionRequest): Promise<SentFile | undefined> {
  const { form } = request;
  const head = readHead(form);
  const id = lineOf(form, 'file');
  const bytes = head.ok && v.is(fileIdSchema, id) ? await loadFile(requestOwnerOf(request), id) : undefined;
  if (!head.ok || !bytes) return undefined;
  return { ...head.output, id, bytes, columns: readColumns(form), dayForm: readDayForm(form) };
}

/** Imports rows, as `POST /api/statements` does. */
async function importRows(request: ActionRequest, body: NewStatement): Promise<ActionResult> {
  const { context } = request;
  const owner = requestOwnerOf(request);
  const { hash, existing } = await findSameStatement(owner, body);
  const pathOf = (id: string) => context.url(`/bank-statements/${id}`);
  if (existing) return { redirectTo: pathOf(existing.id), notice: 'statement_known' };
  const { answer } = await commitCreation(
    await formAttemptOf(request, 'statement.create', '', body),
    'statement',
    async () => undefined,
    (principal) => createStatementCommand(principal, body, hash, context.moment.account),
  );
  return { redirectTo: pathOf(answer.id), notice: 'statement_imported' };
}
