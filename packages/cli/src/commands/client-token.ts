/** `brokerwire client-token`: token pairs of end users. */
import type { CommandDefinition, OptionDefinition } from '../frame/definition.ts'
import { JSON_OPTION } from '../frame/setting-options.ts'
import { REVEAL_OPTION, STORE_OPTIONS } from '../frame/store-options.ts'

const OPTIONS: readonly OptionDefinition[] = [JSON_OPTION, REVEAL_OPTION, ...STORE_OPTIONS]
const USER = { name: '<user>', help: "the customer's identifier in your system (client_user_id)" }

export const clientToken: readonly CommandDefinition[] = [
  {
    name: 'client-token create',
    summary: 'ask for a pair of tokens of a customer',
    details: [
      'A create ends every earlier token of this customer, on all of their devices. Where a pair is stored, a terminal asks first, and a script says --yes.',
    ],
    args: [USER],
    options: [{ flags: '--yes', help: 'do not ask' }, ...OPTIONS],
    examples: [{ does: 'the first pair of a customer', line: 'brokerwire client-token create customer-17' }],
    load: () => import('../run/client-token-create.ts'),
  },
  {
    name: 'client-token refresh',
    summary: 'refresh the stored pair of a customer, due or not',
    details: ['The old pair ends. A refresh that is refused creates nothing.'],
    args: [USER],
    options: OPTIONS,
    examples: [{ does: 'a new pair', line: 'brokerwire client-token refresh customer-17' }],
    load: () => import('../run/client-token-refresh.ts'),
  },
  {
    name: 'client-token status',
    summary:
      'print what the store knows of a pair, without asking the service; status 77 where none is usable',
    args: [USER],
    options: OPTIONS,
    examples: [{ does: 'until when the pair is good', line: 'brokerwire client-token status customer-17' }],
    load: () => import('../run/client-token-status.ts'),
  },
]
