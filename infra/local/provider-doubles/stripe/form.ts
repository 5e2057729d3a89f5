/** Decodes the parameters of a request as Stripe does: `a[b][0][c]=d` becomes `{ a: { b: { 0: { c: 'd' } } } }`. */

export type FormValue = string | { [name: string]: FormValue };
export type Form = Record<string, FormValue>;

/** Decodes a query or a form. A name without an index, such as `expand[]`, gets the next number. */
export function decodeForm(params: URLSearchParams): Form {
  const form: Form = Object.create(null);
  for (const [name, value] of params) {
    const [first = '', ...rest] = name.replaceAll(']', '').split('[');
    let at: Form = form;
    let key = first;
    for (const part of rest) {
      const next = at[key];
      const child: Form = typeof next === 'object' ? next : Object.create(null);
      at[key] = child;
      at = child;
      key = part === '' ? String(Object.keys(child).length) : part;
    }
    at[key] = value;
  }
  return form;
}

/** Returns a nested value by its path, such as `line_items.0.price_data.currency`. */
export function valueAt(form: Form, path: string): FormValue | undefined {
  return path
    .split('.')
    .reduce<FormValue | undefined>((at, key) => (typeof at === 'object' ? at[key] : undefined), form);
}

/** Returns a nested text, or undefined. */
export function textAt(form: Form, path: string): string | undefined {
  const value = valueAt(form, path);
  return typeof value === 'string' ? value : undefined;
}

/** Returns a nested object of texts, such as `metadata`. */
export function textsAt(form: Form, path: string): Record<string, string> {
  const value = valueAt(form, path);
  if (typeof value !== 'object') return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** Returns the names of all values, with `*` for each index: `line_items.*.quantity`. Below `metadata`, only `metadata`. */
export function namesOf(form: Form, prefix = ''): string[] {
  return Object.entries(form).flatMap(([key, value]) => {
    const name = prefix + (/^\d+$/.test(key) ? '*' : key);
    return typeof value === 'object' && key !== 'metadata' ? namesOf(value, `${name}.`) : [name];
  });
}
