/** The two forms that import a bank statement. The first one reads the file and stores nothing, the second one imports the rows. */
import { validate } from '../../../api/http/validate.ts';
import { ApiError } from '../../../base/errors.ts';
import { columnFields } from '../../../domain/statements/column-mapping.ts';
import { createStatementBody } from '../../../domain/statements/statement.ts';
import { createStatementCommand, findSameStatement } from '../../../domain/statements/statement-store.ts';
import { commitCreation } from '../attempts/commit-attempt.ts';
import { type Failure, failureOf, formAttemptOf, requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { ActionRequest, ActionResult, DashboardAction } from '../definitions.ts';
import { lineOf } from '../input/form-fields.ts';
import { importTexts, uploadFields } from './bank-statement-texts.ts';
import { showPreview, showUploadForm } from './import-views.ts';
import {
  columnName,
  mappingOf,
  readColumns,
  readDayForm,
  readFile,
  readHead,
  readUpload,
  type SentFile,
  unpackFile,
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

/** Shows the rows of a file, or asks for another file if no choice of columns can help. */
async function preview(
  request: ActionRequest,
  file: SentFile,
  failure?: Failure,
  isKept = false,
): Promise<ActionResult> {
  const { context } = request;
  const read = readFile(file);
  if (read.ok) {
    const { statement } = read;
    const names = statement.format === 'csv' ? statement.names : [];
    return { view: showPreview(context, { file, statement, names, failure, isKept }) };
  }
  const problem = read.problems.join(' ');
  if (!read.names) return showUploadAgain(request, { errors: { file: problem }, status: 400 });
  const failed: Failure = { alert: problem, status: 400 };
  return { view: showPreview(context, { file, statement: undefined, names: read.names, failure: failed }) };
}

async function showUploadAgain(request: ActionRequest, failure: Failure): Promise<ActionResult> {
  const { context, form } = request;
  return { view: showUploadForm(context, await readBanks(request), { fields: form, failure }) };
}

export const importAction: DashboardAction = {
  path: '/bank-statements/import',
  ability: 'payments:record',
  formPage: () => newPath,
  fields: ['bank', 'currency', 'content'],
  // A file of XML has no columns.
  optionalFields: [...columnFields.map(columnName), 'dayForm', 'step'],
  typed: {
    showAgain: async (request, failure) => {
      const file = fileIn(request);
      return file ? preview(request, file, failure) : showUploadAgain(request, failure);
    },
  },
  handle: async (request) => {
    const { form } = request;
    const file = fileIn(request);
    if (!file) return showUploadAgain(request, { errors: { file: importTexts.damaged }, status: 400 });
    const step = form.get('step');
    if (step !== null && step !== 'preview')
      return preview(request, file, { alert: importTexts.unknownStep, status: 400 });
    const read = readFile(file);
    if (read.ok && read.statement.format === 'csv' && file.dayForm === undefined)
      return preview(request, file, { alert: importTexts.dayForm.message, status: 400 });
    if (step !== null || !read.ok) return preview(request, file);
    const { bank, currency } = file;
    const body = { bank, currency, rows: read.statement.rows, mapping: mappingOf(read.statement) };
    const sent = validate(createStatementBody, body);
    if (!sent.ok) return preview(request, file, failureOfRow(sent.field, sent.message));
    try {
      return await importRows(request, sent.output);
    } catch (error) {
      const { field, message } = error instanceof ApiError ? error : {};
      const failure =
        field !== undefined ? failureOfRow(field, message ?? '') : failureOf(error, uploadFields);
      return failure && preview(request, file, failure);
    }
  },
};

/** Returns the file of the second form. Undefined: the form does not have it. */
function fileIn({ form }: ActionRequest): SentFile | undefined {
  const head = readHead(form);
  const bytes = unpackFile(lineOf(form, 'content'));
  if (!head.ok || !bytes) return undefined;
  return { ...head.output, bytes, columns: readColumns(form), dayForm: readDayForm(form) };
}

function failureOfRow(field: string, message: string): Failure {
  const [, index] = /^rows\.(\d+)\./.exec(field) ?? [];
  const alert = index === undefined ? message : importTexts.inRow(Number(index) + 1, message);
  return { alert, status: 400 };
}

/** Imports rows, as `POST /api/statements` does. */
async function importRows(
  request: ActionRequest,
  body: Parameters<typeof createStatementCommand>[1],
): Promise<ActionResult> {
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
