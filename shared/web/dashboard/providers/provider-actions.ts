/**
 * Connects payment providers, replaces and checks their credentials, and disconnects them.
 *
 * - A form that is sent twice has one effect: the second time, the connection already has these credentials.
 * - A form that is shown again contains no credentials, so no page ever does.
 */
import { currencies } from '../../../base/money.ts';
import { disconnect } from '../../../domain/payments/connections/change-connection.ts';
import { readConnections } from '../../../domain/payments/connections/connection-store.ts';
import {
  connectProvider,
  findConnectionFault,
  rotateCredentials,
} from '../../../domain/payments/connections/manage.ts';
import { credentialFields, providerFacts } from '../../../domain/payments/connections/provider-facts.ts';
import {
  ConnectionError,
  type EnteredAmounts,
  type EnteredCredentials,
} from '../../../domain/payments/connections/read-entered.ts';
import {
  type HostedProviderName,
  hostedProviderNames,
} from '../../../domain/payments/provider/hosted-provider.ts';
import { type Failure, originOf, requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { ActionRequest, ActionResult, DashboardAction, DashboardView } from '../definitions.ts';
import { lineOf, sentAmountOf } from '../input/form-fields.ts';
import { attemptRefusals } from '../records/record-texts.ts';
import type { NoticeKey } from '../texts.ts';
import { maximumInputOf, showConnectForm, showDisconnectForm, showReplaceForm } from './provider-forms.ts';
import { providerIn, readNamedConnection } from './provider-pages.ts';
import { providersPath, showProviders } from './provider-views.ts';

type ProviderRequest = ActionRequest & { readonly provider: HostedProviderName };

/**
 * Defines an action on one provider.
 * @param form whether the action has a page with a form
 * @param run carries it out. Its errors of the connection are shown with `showAgain`.
 * @param inputs what the form always sends, and its check boxes, which remain for a new sign-in. Credentials never do.
 */
const defineAction = (
  name: string,
  form: boolean,
  notice: NoticeKey,
  run: (request: ProviderRequest) => Promise<unknown>,
  showAgain: (request: ProviderRequest, failure: Failure) => Promise<DashboardView | undefined>,
  { fields = [], optionalFields = [] }: Pick<DashboardAction, 'fields' | 'optionalFields'> = {},
): DashboardAction => {
  const again = async (request: ActionRequest, failure: Failure): Promise<ActionResult | undefined> => {
    const provider = providerIn(request);
    const view = provider && (await showAgain({ ...request, provider }, failure));
    return view && { view };
  };
  return {
    path: `${providersPath}/:provider/${name}`,
    ability: 'providers:write',
    formPage: ({ provider = '' }) => (form ? `${providersPath}/${provider}/${name}` : providersPath),
    fields,
    optionalFields,
    ...(optionalFields.length > 0 && { typed: { secrets: credentialFields, showAgain: again } }),
    handle: async (request) => {
      const provider = providerIn(request);
      if (!provider) return undefined;
      if (request.context.isInMaintenance)
        return again(request, { alert: attemptRefusals.maintenance, status: 409 });
      if (request.context.sandboxUntil !== undefined && name === 'connect')
        return again(request, { alert: attemptRefusals.sandbox, status: 409 });
      try {
        await run({ ...request, provider });
      } catch (error) {
        if (error instanceof ConnectionError) return again(request, failureIn(error));
        throw error;
      }
      return { redirectTo: request.context.url(providersPath), notice };
    },
  };
};

/** The credentials that every provider has. Without the others, the credentials are refused or stay as they are. */
const credentialInputs = ['apiKey', 'notificationSecret'];

const enteredIn = ({ form }: ActionRequest): EnteredCredentials =>
  Object.fromEntries(credentialFields.map((field) => [field, form.get(field) ?? '']));

/** The form of a provider has those of its currencies. */
const maximumInputs = currencies
  .filter((currency) => hostedProviderNames.some((name) => providerFacts[name].currencies.includes(currency)))
  .map(maximumInputOf);

const maximumAmountsIn = ({ form }: ActionRequest): EnteredAmounts =>
  Object.fromEntries(
    currencies
      .filter((currency) => lineOf(form, maximumInputOf(currency)) !== '')
      .map((currency) => [currency, sentAmountOf(form, maximumInputOf(currency))]),
  );

const failureIn = ({ field, message }: ConnectionError): Failure =>
  field === undefined ? { alert: message, status: 409 } : { errors: { [field]: message }, status: 400 };

const showList = async (request: ProviderRequest, failure: Failure): Promise<DashboardView> =>
  showProviders(request.context, await readConnections(requestOwnerOf(request)), failure);

export const providerActions: readonly DashboardAction[] = [
  defineAction(
    'connect',
    true,
    'provider_connected',
    async (request) => {
      const chosen = {
        entered: enteredIn(request),
        currencies: request.form.getAll('currencies'),
        maximumAmounts: maximumAmountsIn(request),
      };
      const origin = await originOf(request, 'provider.connect');
      return connectProvider(requestOwnerOf(request), request.provider, chosen, origin);
    },
    async ({ context, provider, form }, failure) => showConnectForm(context, provider, { failure, form }),
    { fields: credentialInputs, optionalFields: ['currencies', ...maximumInputs] },
  ),
  defineAction(
    'rotate',
    true,
    'credentials_replaced',
    async (request) => {
      const origin = await originOf(request, 'provider.rotate');
      const change = { entered: enteredIn(request), dropOld: false };
      return rotateCredentials(requestOwnerOf(request), request.provider, change, origin);
    },
    async ({ context, provider }, failure) => showReplaceForm(context, provider, failure),
    { fields: credentialInputs },
  ),
  defineAction(
    'drop-old',
    false,
    'old_secrets_dropped',
    async (request) => {
      const origin = await originOf(request, 'provider.rotate');
      const change = { entered: {}, dropOld: true };
      return rotateCredentials(requestOwnerOf(request), request.provider, change, origin);
    },
    showList,
  ),
  defineAction(
    'check',
    false,
    'credentials_accepted',
    async (request) => {
      const fault = await findConnectionFault(requestOwnerOf(request), request.provider);
      if (fault !== undefined) throw new ConnectionError(fault);
    },
    showList,
  ),
  defineAction(
    'disconnect',
    true,
    'provider_disconnected',
    async (request) =>
      disconnect(requestOwnerOf(request), request.provider, await originOf(request, 'provider.disconnect')),
    async (request, failure) => {
      const connection = await readNamedConnection(request);
      return connection && showDisconnectForm(request.context, connection, failure);
    },
  ),
];
