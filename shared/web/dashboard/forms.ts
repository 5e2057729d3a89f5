/** Renders the forms of the dashboard. Each contains the CSRF token of the session, its user, and an attempt. */
import { html } from 'hono/html';
import { randomAttempt } from '../../base/ids.ts';
import type { Markup } from '../pages/markup.ts';
import type { DashboardContext } from './context.ts';
import { frameTexts } from './texts.ts';

/** What forms know about their page. Forms without `user` have nothing that a user types. */
type FormContext = Pick<DashboardContext, 'csrfToken'> & Partial<Pick<DashboardContext, 'user' | 'repeated'>>;

interface Form {
  /** The link to send the form to, from `context.url`. */
  readonly action: string;
  readonly submit: string;
  /** The fields. */
  readonly content?: Markup | readonly Markup[] | undefined;
  readonly style?: 'plain' | 'danger' | 'small' | 'danger small' | 'plain small' | undefined;
  /** The attempt of the form that failed. A new attempt if absent. */
  readonly attempt?: string | undefined;
  /** Further buttons, each with a name and value. The first button is the one that the Enter key presses. */
  readonly others?: Markup | undefined;
  /** Describes the button for screen readers if its text is the same for several forms, for example in a table. */
  readonly label?: string | undefined;
  /** The content has buttons of its own. The Enter key still presses `submit`. */
  readonly hasButtons?: boolean;
  /** Whether a field of the form is a file. */
  readonly hasFile?: boolean;
}

/**
 * Renders a form with the button that sends it.
 * - The server alone validates it (`novalidate`), because its messages say more than the browser's.
 */
export function renderForm(
  { csrfToken, user, repeated }: FormContext,
  { action, submit, content, style, attempt, others, label, hasFile, hasButtons }: Form,
): Markup {
  const buttonClass = style ? html` class="${style}"` : '';
  const buttonLabel = label ? html` aria-label="${label}"` : '';
  const kept = repeated?.action === action ? repeated.attempt : undefined;
  return html`<form method="post" action="${action}"${hasFile && html` enctype="multipart/form-data"`} novalidate class="${content && 'fields'}">
${renderHiddenInput('csrf', csrfToken)}${user && renderHiddenInput('sender', user.id)}${renderHiddenInput('attempt', attempt ?? kept ?? randomAttempt())}
${hasButtons && html`<button class="default" tabindex="-1" aria-hidden="true">${submit}</button>`}${content}<div class="buttons"><button${buttonClass}${buttonLabel}>${submit}</button>${others}</div></form>`;
}

/** Renders a form whose content has its buttons, each with a name and value. */
export function renderButtonsForm(
  { csrfToken }: Pick<DashboardContext, 'csrfToken'>,
  action: string,
  content: Markup,
): Markup {
  return html`<form method="post" action="${action}">${renderHiddenInput('csrf', csrfToken)}${renderHiddenInput('attempt', randomAttempt())}${content}</form>`;
}

/** `autocomplete="off"`: after a reload, some browsers otherwise restore old values even in hidden inputs. */
export function renderHiddenInput(name: string, value: string | number): Markup {
  return html`<input type="hidden" name="${name}" value="${value}" autocomplete="off">`;
}

interface Field {
  readonly name: string;
  /** The name if absent. A form with several fields of a name gives each an id of its own. */
  readonly id?: string;
  readonly label: string | Markup;
  readonly value?: string | undefined;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  /** `textarea`, or the type of an input. A `password` must have no value, so a page never contains one. */
  readonly type?: 'text' | 'email' | 'url' | 'number' | 'date' | 'datetime-local' | 'password' | 'textarea';
  readonly autocomplete?: string;
  /** The user sees the value of the text field, and cannot change it. */
  readonly isReadOnly?: boolean;
  /** What a text input offers: pairs of a value and a text that says what it is. Any other value can be typed. */
  readonly suggestions?: readonly (readonly [value: string, text: string])[];
}

/** Renders a text field with its label, hint and error. */
export function renderField(field: Field): Markup {
  const { name, id = name, value = '', type = 'text', autocomplete = 'off', suggestions = [] } = field;
  const list = suggestions.length > 0 ? html` list="${id}-list"` : '';
  const control =
    type === 'textarea'
      ? html`<textarea id="${id}" name="${name}"${stateOf(field)}>${value}</textarea>`
      : html`<input id="${id}" name="${name}" type="${type}" value="${value}" autocomplete="${autocomplete}"${list}${field.isReadOnly && html` readonly`}${stateOf(field)}>`;
  const options = suggestions.map(([each, text]) => html`<option value="${each}">${text}</option>`);
  return renderLabeled(
    field,
    list ? html`${control}<datalist id="${id}-list">${options}</datalist>` : control,
  );
}

/** Renders a field with which the user chooses a file. @param accept the media types, separated by commas */
export function renderFileField(field: Omit<Field, 'type' | 'value'> & { readonly accept: string }): Markup {
  const { name, id = name, accept } = field;
  return renderLabeled(
    field,
    html`<input id="${id}" name="${name}" type="file" accept="${accept}"${stateOf(field)}>`,
  );
}

/** Renders a list of choices with its label, hint and error. `choices` are pairs of value and text. */
export function renderSelect(
  field: Omit<Field, 'type'> & { readonly choices: readonly (readonly [string, string])[] },
): Markup {
  const { name, id = name, value, choices } = field;
  const options = choices.map(
    ([choice, text]) =>
      html`<option value="${choice}"${choice === value ? html` selected` : ''}>${text}</option>`,
  );
  return renderLabeled(field, html`<select id="${id}" name="${name}"${stateOf(field)}>${options}</select>`);
}

/** Renders a box with its label, hint and error. The form has `value` if it is ticked, and no such field otherwise. */
export function renderCheckbox(field: Omit<Field, 'type'> & { readonly isChecked: boolean }): Markup {
  const { name, id = name, label, value, hint, error, isChecked } = field;
  return html`<div class="field"><label class="choice"><input type="checkbox" id="${id}" name="${name}" value="${value}"${isChecked && html` checked`}${stateOf(field)}>${label}</label>
${renderNotes({ id, hint, error })}</div>`;
}

/** Renders the list of a failed form's errors, each with a link to its field. Returns '' if there are none. */
export function renderErrors(errors: Readonly<Record<string, string | undefined>>): Markup | '' {
  const links = Object.entries(errors).flatMap(([name, error]) =>
    error === undefined ? [] : [html`<li><a href="#${name}">${error}</a></li>`],
  );
  if (links.length === 0) return '';
  return html`<div class="alert" role="alert"><p><strong>${frameTexts.problem}</strong></p><ul>${links}</ul></div>`;
}

function renderLabeled(
  { name, id = name, label, hint, error }: Omit<Field, 'type'>,
  control: Markup,
): Markup {
  return html`<div class="field"><label for="${id}">${label}</label>
${control}
${renderNotes({ id, hint, error })}</div>`;
}

const renderNotes = ({ id, hint, error }: Pick<Field, 'id' | 'hint' | 'error'>): Markup =>
  html`${error && html`<p class="wrong" id="${id}-error">${error}</p>`}${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}`;

function stateOf({ name, id = name, hint, error }: Omit<Field, 'type'>): Markup {
  const ids = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ');
  return html`${ids && html` aria-describedby="${ids}"`}${error && html` aria-invalid="true"`}`;
}
