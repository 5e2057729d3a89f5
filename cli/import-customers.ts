/** Plans the customers of `remit import`. Pure. */
import type { CustomerCreateParams } from '../client/src/remit.ts';
import type { ImportRow } from './import-file.ts';
import type { ImportTool, LeftOutRow, PlannedCustomer } from './import-records.ts';

interface PlannedCustomers {
  readonly customers: readonly PlannedCustomer[];
  readonly leftOut: readonly LeftOutRow[];
}

export function planCustomers(rows: readonly ImportRow[], tool: ImportTool): PlannedCustomers {
  const customers = new Map<string, PlannedCustomer>();
  const leftOut: LeftOutRow[] = [];
  for (const row of rows) {
    const [id, name, email] = ['id', 'name', 'email'].map(row.get) as [string, string, string];
    const reason = reasonOf(id, name || email, customers.get(id));
    if (reason) leftOut.push({ kind: 'customers', line: row.line, name: id || name || email, reason });
    else customers.set(id, { kind: 'customers', line: row.line, id, body: bodyOf(row, tool) });
  }
  return { customers: [...customers.values()], leftOut };
}

function reasonOf(id: string, name: string, same: PlannedCustomer | undefined): string | undefined {
  if (id === '') return 'It has no ID.';
  if (name === '') return 'It has no name and no email address.';
  return same && `Line ${same.line} has the same ID.`;
}

const addressFields = ['line1', 'line2', 'city', 'state', 'postalCode'] as const;

function bodyOf(row: ImportRow, tool: ImportTool): CustomerCreateParams {
  const country = countryCodeOf(row.get('country'));
  const address = Object.fromEntries([
    ...addressFields.flatMap((field) => (row.get(field) ? [[field, row.get(field)]] : [])),
    ...(country ? [['country', country]] : []),
  ]);
  const taxNumber = row.get('taxNumber');
  const taxType = tool === 'razorpay' ? 'in_gst' : taxTypes[country ?? ''];
  return {
    ...importedIdentity({ id: row.get('id'), name: row.get('name'), email: row.get('email') }, tool),
    ...(row.get('phone') && { phone: row.get('phone') }),
    ...(Object.keys(address).length > 0 && { address }),
    ...(taxNumber && taxType && { taxIds: [{ type: taxType, value: taxNumber }] }),
    metadata: {
      importedFrom: tool,
      ...(taxNumber && !taxType && { taxNumber }),
      ...(row.get('country') && !country && { country: row.get('country') }),
    },
  };
}

/** Returns the fields of a customer that invoices name, too. */
export const importedIdentity = (
  { id, name, email }: { readonly id: string; readonly name: string; readonly email: string },
  tool: ImportTool,
): CustomerCreateParams => ({
  ...(name && { name }),
  ...(email && { email }),
  reference: id,
  metadata: { importedFrom: tool },
});

/** The kinds of tax numbers, by the country of the customer. */
const taxTypes: Readonly<Record<string, string>> = { BT: 'bt_tpn', IN: 'in_gst' };

/** Which countries have which English names. Made when needed: it loads the data of a language. */
let countries: ReadonlyMap<string, string> | undefined;

function countryNames(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = letters.flatMap((one) => letters.map((other) => one + other));
  countries ??= new Map(
    codes.flatMap((code) => {
      const name = names.of(code);
      return name ? [[name.toLowerCase(), code] as const] : [];
    }),
  );
  return countries;
}

/**
 * Returns the code of a country: of its code, its English name, or its full name such as `Kingdom of Bhutan`.
 * Undefined: it is not known.
 */
export function countryCodeOf(text: string): string | undefined {
  const name = text.trim().toLowerCase();
  if (/^[a-z]{2}$/.test(name)) return name.toUpperCase();
  if (name === '') return undefined;
  const short = name.replace(/^.*\bof (the )?(?!america$)/, '').replace(/ of america$/, '');
  return countryNames().get(name) ?? countryNames().get(short);
}
