/** The payment page over plain HTTP: what it shows, and its form as a browser would send it. */
import { freshAddress, type HttpResponse, request } from './http.ts';

/** The fields that a form carries besides what the payer types. */
export interface ShownForm {
  readonly attempt: string;
  readonly version: string;
  readonly amount: string;
}

export const goodCard = { number: '4242 4242 4242 4242', expiry: '12 / 39', cvc: '739' };

/** Opens the page of an invoice's `paymentUrl`, from an address of its own. */
export function openPage(paymentUrl: string, search = ''): Promise<HttpResponse> {
  const { origin, pathname } = new URL(paymentUrl);
  return request({ baseUrl: origin, path: `${pathname}${search}`, localAddress: freshAddress() });
}

/** The hidden fields of the form that a page shows. */
export function formOf({ text }: HttpResponse): ShownForm {
  const value = (name: string) => {
    const found = new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1];
    if (found === undefined) throw new Error(`The page has no field ${name}.`);
    return found;
  };
  return { attempt: value('attempt'), version: value('version'), amount: value('amount') };
}

/** Sends the form of a page. */
export function submit(
  paymentUrl: string,
  fields: Readonly<Record<string, string>> | ShownForm,
  {
    headers = {},
    localAddress = freshAddress(),
  }: { headers?: Record<string, string>; localAddress?: string } = {},
): Promise<HttpResponse> {
  const { origin, pathname } = new URL(paymentUrl);
  return request({
    baseUrl: origin,
    method: 'POST',
    path: pathname,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams({ ...fields }).toString(),
    localAddress,
  });
}

/** Opens the page and pays. */
export async function pay(paymentUrl: string, card: Partial<typeof goodCard> = {}): Promise<HttpResponse> {
  return submit(paymentUrl, { ...formOf(await openPage(paymentUrl)), ...goodCard, ...card });
}
