/**
 * Creates the Lambda handlers of the payment page, with the views for refused requests and internal errors. Each request
 * counts against its source address.
 */

import { type PageAnswer, type PageRequest, page } from '../../api/http/page.ts';
import { maintenanceRetrySeconds } from '../../api/http/rate-limit-headers.ts';
import type { Route } from '../../api/routes.ts';
import { type Instant, toSeconds } from '../../base/time.ts';
import { isWithinPageLimit } from '../../domain/auth/rate-limit.ts';
import { hourEndSeconds, hourOf } from '../../store/account-state.ts';
import { chooseLanguage, keepChosenLanguage } from './page-language.ts';
import { paymentPageCsp, renderPaymentPage } from './payment-page.ts';
import type { PaymentPageView } from './payment-page-view.ts';

interface PaymentPageOptions<Loaded> {
  readonly load?: (request: PageRequest) => Promise<Loaded>;
  readonly weight?: number;
  readonly ignoresBody?: true;
}

/**
 * Creates the handler of one of the page's routes.
 * @param load starts reads beside the check of the limit. If the limit refuses the request, their result is not used.
 * @param weight as how many views a request counts
 * @param ignoresBody as of a page
 */
export function createPaymentPageHandler<Loaded = undefined>(
  route: Route,
  handle: (request: PageRequest, loaded: Loaded) => Promise<PageAnswer<PaymentPageView>>,
  { load, weight = 1, ignoresBody }: PaymentPageOptions<Loaded> = {},
) {
  return page<PaymentPageView>(route, {
    handle: async (request) => {
      const { sourceIp, now } = request;
      const reading = load?.(request);
      reading?.catch(() => {});
      if (!(await isWithinPageLimit(sourceIp, weight, now))) return answerTooMany('too_many_requests', now);
      return keepLanguageIn(await handle(request, (await reading) as Loaded), request);
    },
    render: (view, reader) =>
      renderPaymentPage(view, chooseLanguage(reader, 'invoice' in view ? view.invoice.locale : undefined)),
    contentSecurityPolicy: paymentPageCsp,
    refused: { kind: 'refused' },
    failed: (requestId) => ({ kind: 'error', requestId }),
    ignoresBody,
  });
}

/** Redirects and refreshes keep the language that the payer chose. */
function keepLanguageIn(
  answer: PageAnswer<PaymentPageView>,
  { query }: PageRequest,
): PageAnswer<PaymentPageView> {
  if ('redirectTo' in answer) return { redirectTo: keepChosenLanguage(answer.redirectTo, query) };
  if (!('refresh' in answer) || !answer.refresh) return answer;
  return { ...answer, refresh: { ...answer.refresh, to: keepChosenLanguage(answer.refresh.to, query) } };
}

/** Removes what mail programs take for a part of a link: up to 8 punctuation marks or spaces after an invoice id. */
export function withoutEndOfSentence(id: string): string {
  return /^(inv_[0-9a-z]{26})[\p{P}\p{S}\s]{1,8}$/u.exec(id)?.[1] ?? id;
}

/** Answers a request beyond a limit. The limit ends with the clock hour. */
export function answerTooMany(
  kind: 'too_many_requests' | 'too_many_attempts',
  now: Instant,
): PageAnswer<PaymentPageView> {
  const retryAfterSeconds = hourEndSeconds(hourOf(now)) - toSeconds(now);
  return { status: 429, view: { kind }, retryAfterSeconds };
}

/** Answers a payment that the account does not take now. If it does so again meanwhile, the page is opened again. */
export function answerRefusal(view: PaymentPageView): PageAnswer<PaymentPageView> {
  if (view.kind === 'closed') return { status: 403, view };
  if (view.kind === 'maintenance') return { status: 429, view, retryAfterSeconds: maintenanceRetrySeconds };
  return { redirectTo: '?' };
}
