/** Defines `remit mcp`: tools for language models. Loads the protocol only when the command runs. */
import { apiHelp, connectApi } from './api-connection.ts';
import { type CliCommand, usageError } from './command.ts';

export const mcpCommand: CliCommand = {
  about: 'Serve the API as tools for language models, by the Model Context Protocol (MCP).',
  details: `${apiHelp}

The program of the model starts this command, and talks to it over standard input and output. The tools come from the
OpenAPI document of the service: they list, show, create and change invoices, customers, payments and refunds, and list
and show events. Changes include to cancel invoices and to delete customers. One more tool searches the documentation.
Webhooks and API keys have no tools, because their responses contain secrets.

Without --allow-writes, the tools only read. Without --live, a live key is refused.`,
  options: {
    'allow-writes': { about: 'Also offer the tools that make changes.' },
    live: { about: 'Allow a live key.' },
  },
  examples: ['npx remit mcp', 'npx remit mcp --allow-writes --profile shop'],
  run: async (options) => {
    const connection = await connectApi();
    if (connection.isLive && !options.flag('live'))
      throw usageError('The key is for live mode. Use a test key, or add --live.');
    const { serveMcp } = await import('./mcp-server.ts');
    await serveMcp(connection, options.flag('allow-writes'));
    return undefined;
  },
};
