/** Reads and renders the form of a new export. The kind is chosen first, because each kind has its own filters. */
import { html } from 'hono/html';
import { currencies } from '../../../base/money.ts';
import {
  type CreateExport,
  createExportBody,
  type ExportFilters,
  exportFiltersSchema,
  kindRuleOf,
} from '../../../domain/exports/export.ts';
import { type ExportKind, exportFormats, exportKinds } from '../../../domain/exports/export-kinds.ts';
import type { Markup } from '../../pages/markup.ts';
import type { FailedForm } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import { renderField, renderHiddenInput, renderSelect } from '../forms.ts';
import {
  lineOf,
  optionalLineOf,
  type SentFields,
  type ValidatedFields,
  validateFields,
} from '../input/form-fields.ts';
import { filterChoices } from '../records/record-elements.ts';
import { exportFields, exportTexts } from './export-texts.ts';

const filterFields = ['status', 'currency', 'customerId', 'invoiceId', 'paymentId'] as const;

/** The fields of the form. Those of filters that a kind does not have are hidden and empty. */
export const exportFormFields = ['kind', 'from', 'to', ...filterFields, 'format'] as const;

/** Returns the kinds that the user may read. The audit log is for owners. */
export const readableKinds = ({ can }: Pick<DashboardContext, 'can'>): readonly ExportKind[] =>
  exportKinds.filter((kind) => kind !== 'audit' || can('audit-log:read'));

/** Returns the kind that a form or a link names. Undefined: none, or one that the user may not read. */
export const kindOf = (context: Pick<DashboardContext, 'can'>, fields: SentFields): ExportKind | undefined =>
  readableKinds(context).find((kind) => kind === fields.get('kind'));

/** Validates the fields as the API does. CSV is for spreadsheets here, so it begins with a byte order mark. */
export function readNewExport(kind: ExportKind, fields: SentFields): ValidatedFields<CreateExport> {
  const { filters: names, needs, statuses = [] } = kindRuleOf(kind);
  const filters: ExportFilters = Object.fromEntries(
    names.flatMap((name) => {
      const value = optionalLineOf(fields, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const format = lineOf(fields, 'format');
  const body = {
    ...{ kind, format, bom: format === 'csv', filters },
    from: optionalLineOf(fields, 'from'),
    to: optionalLineOf(fields, 'to'),
  };
  const checkedFilters = validateFields(exportFiltersSchema, filters, exportFields);
  const checked = validateFields(createExportBody, body, exportFields);
  const own = {
    ...(needs && filters[needs] === undefined && { [needs]: exportTexts.missing }),
    ...(filters.status !== undefined &&
      !statuses.includes(filters.status) && { status: exportFields.status.message }),
  };
  if (checked.ok && checkedFilters.ok && Object.keys(own).length === 0) return checked;
  const { filters: _, ...errors } = checked.ok ? {} : checked.errors;
  return {
    ok: false,
    errors: { ...errors, ...(checkedFilters.ok ? {} : checkedFilters.errors), ...own },
  };
}

/**
 * Renders the fields of a kind.
 * @param values what was sent, or what the link of a list names
 */
export function renderExportFields(
  kind: ExportKind,
  values: SentFields,
  failed: FailedForm | undefined,
): Markup {
  const errors = failed?.failure.errors ?? {};
  const { filters, statuses = [] } = kindRuleOf(kind);
  const field = (name: keyof typeof exportFields) => {
    const { label, ...texts } = exportFields[name];
    const hint = 'hint' in texts ? texts.hint : undefined;
    return { name, label, hint, value: values.get(name) ?? '', error: errors[name] };
  };
  const choices = { status: filterChoices(statuses), currency: filterChoices(currencies) };
  const formats = exportFormats.map((each) => [each, exportTexts.formats[each]] as const);
  return html`${renderHiddenInput('kind', kind)}
${renderField({ ...field('from'), type: 'date' })}${renderField({ ...field('to'), type: 'date' })}
${filterFields.map((name) =>
  !filters.includes(name)
    ? renderHiddenInput(name, '')
    : name === 'status' || name === 'currency'
      ? renderSelect({ ...field(name), choices: choices[name] })
      : renderField(field(name)),
)}${renderSelect({ ...field('format'), choices: formats })}`;
}

/** Returns the values of the form that a link of a list names: the filters of the list, and its range of days. */
export function valuesOfLink(query: URLSearchParams): SentFields {
  const days: Readonly<Record<string, string | undefined>> = {
    from: query.get('from') ?? query.get('createdFrom')?.trim(),
    to: query.get('to') ?? query.get('createdTo')?.trim(),
  };
  return { get: (name) => days[name] ?? query.get(name) };
}
