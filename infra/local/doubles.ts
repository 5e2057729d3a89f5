/** Starts the doubles of the payment providers beside the local stack, so that people can click through a live payment. */
import { modes } from '../../shared/base/ids.ts';
import {
  type HostedProviderName,
  hostedProviderNames,
} from '../../shared/domain/payments/provider/hosted-provider.ts';
import type { DoubleOptions, ProviderDouble } from './provider-doubles/common/provider-double.ts';
import { startRazorpayDouble } from './provider-doubles/razorpay/razorpay-double.ts';
import { startStripeDouble } from './provider-doubles/stripe/stripe-double.ts';
import type { SeededAccount } from './seed.ts';
import { StartError } from './start-error.ts';

export interface LocalDoubles {
  readonly stripe: ProviderDouble;
  readonly razorpay: ProviderDouble;
  close(): Promise<void>;
}

/**
 * Starts the doubles.
 * @param portOf the port of each, or 0 for a free port
 * @throws StartError if a port is in use
 */
export async function startProviderDoubles(
  portOf: Readonly<Record<HostedProviderName, number>>,
): Promise<LocalDoubles> {
  const stripe = await startOn(portOf.stripe, startStripeDouble);
  const razorpay = await startOn(portOf.razorpay, startRazorpayDouble).catch(async (error: unknown) => {
    await stripe.close();
    throw error;
  });
  const close = async () => {
    await Promise.all([stripe.close(), razorpay.close()]);
  };
  return { stripe, razorpay, close };
}

async function startOn(port: number, start: (options: DoubleOptions) => Promise<ProviderDouble>) {
  return start({ port }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new StartError(
      `Port ${port} is in use. Stop the program that uses it, or set PORT to another port.`,
    );
  });
}

/** Makes the doubles send their notifications to the endpoints of an account. */
export function sendNotifications(
  doubles: LocalDoubles,
  baseUrl: string,
  { accountId }: SeededAccount,
): void {
  for (const name of hostedProviderNames) {
    for (const mode of modes) {
      doubles[name].notifications.sendTo(mode, `${baseUrl}/notifications/${name}/${accountId}`);
    }
  }
}

const providerNames = { stripe: 'Stripe', razorpay: 'Razorpay' } as const;

/** Describes the doubles and their credentials for the terminal. */
export function describeDoubles(doubles: LocalDoubles): string {
  const lines = hostedProviderNames.flatMap((name) => {
    const { url, credentials } = doubles[name];
    return [
      `The double of ${providerNames[name]} runs at ${url}. It moves no money. Connect it with these credentials:`,
      '',
      ...modes.flatMap((mode) => {
        const { apiKey, apiSecret, notificationSecrets } = credentials[mode];
        return [
          `  ${mode} key        ${apiKey}`,
          ...(apiSecret === undefined ? [] : [`  ${mode} key secret ${apiSecret}`]),
          `  ${mode} webhook    ${notificationSecrets[0]}`,
        ];
      }),
      '',
    ];
  });
  return lines.join('\n');
}
