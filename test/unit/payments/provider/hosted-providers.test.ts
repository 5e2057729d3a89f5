/** Tests where the adapters of hosted providers send their calls. */
import { afterEach, expect, test } from '@jest/globals';
import { hostedProviderFor } from '../../../../shared/domain/payments/provider/hosted-providers.ts';

const credentials = { apiKey: 'sk_test_none0000', notificationSecrets: [] };

afterEach(() => {
  delete process.env.STRIPE_API_URL;
});

test('a double must be on this machine, because credentials must not go anywhere else', () => {
  for (const url of ['https://api.example.com', 'http://127.0.0.1.example.com', 'http://10.0.0.1', 'x']) {
    process.env.STRIPE_API_URL = url;
    expect(() => hostedProviderFor('stripe', credentials)).toThrow('STRIPE_API_URL must be an address');
  }
  for (const url of ['', 'http://127.0.0.1:3003', 'http://localhost:3003/']) {
    process.env.STRIPE_API_URL = url;
    expect(hostedProviderFor('stripe', credentials).name).toBe('stripe');
  }
});
