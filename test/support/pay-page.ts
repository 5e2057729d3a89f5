/** Opens the payment page over HTTP, and sends its form as a browser does. */
import { freshAddress, type HttpResponse, request } from './http.ts';

/** The hidden fields of the form. */
export interface FormInPage {
  readonly attempt: string;
  readonly visit: string;
  readonly version: string;
  readonly amount: string;
}

export const goodCard = { number: '4242 4242 4242 4242', expiry: '12 / 39', cvc: '739' };

/** Opens the page of an invoice's `paymentUrl`, from a new source address. */
export function openPage(paymentUrl: string, search = ''): Promise<HttpResponse> {
  const { origin, pathname } = new URL(paymentUrl);
  return request({ baseUrl: origin, path: `${pathname}${search}`, localAddress: freshAddress() });
}

/** Returns the hidden fields of the form on a page. Throws if the page has no form. */
export function formOf({ text }: HttpResponse): FormInPage {
  const value = (name: string) => {
    const found = new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1];
    if (found === undefined) throw new Error(`The page has no field ${name}.`);
    return found;
  };
  return {
    attempt: value('attempt'),
    visit: value('visit'),
    version: value('version'),
    amount: value('amount'),
  };
}

/** Sends the form of a page. */
export function submit(
  paymentUrl: string,
  fields: Readonly<Record<string, string>> | FormInPage,
  {
    headers = {},
    localAddress = freshAddress(),
  }: { headers?: Record<string, string>; localAddress?: string } = {},
): Promise<HttpResponse> {
  const { origin, pathname, search } = new URL(paymentUrl);
  return request({
    baseUrl: origin,
    method: 'POST',
    path: `${pathname}${search}`,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams({ ...fields }).toString(),
    localAddress,
  });
}

/** Opens the page and sends its form with a card. */
export async function payOnPage(
  paymentUrl: string,
  card: Partial<typeof goodCard> = {},
): Promise<HttpResponse> {
  return submit(paymentUrl, { ...formOf(await openPage(paymentUrl)), ...goodCard, ...card });
}
