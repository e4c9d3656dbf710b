/** `brokerwire client-token`: token pairs of end users. */
import type { CommandDefinition, OptionDefinition } from '../frame/definition.ts'
import { JSON_OPTION } from '../frame/setting-options.ts'
import { REVEAL_OPTION, STORE_OPTIONS } from '../frame/store-options.ts'

const OPTIONS: readonly OptionDefinition[] = [JSON_OPTION, REVEAL_OPTION, ...STORE_OPTIONS]
const USER = { name: '<user>', help: "the user's identifier in your system (client_user_id)" }

export const clientToken: readonly CommandDefinition[] = [
  {
    name: 'client-token create',
    summary: 'create a token pair for an end user',
    details: [
      'A new pair ends all earlier tokens of this user, on all devices. If a pair is stored, a terminal asks for confirmation, and a script must use --yes.',
    ],
    args: [USER],
    options: [{ flags: '--yes', help: 'do not ask for confirmation' }, ...OPTIONS],
    examples: [
      { does: 'create the first pair of a user', line: 'brokerwire client-token create customer-17' },
    ],
    load: () => import('../run/client-token-create.ts'),
  },
  {
    name: 'client-token refresh',
    summary: 'refresh the stored token pair of an end user',
    details: ['The old pair ends. If the refresh is rejected, no new pair is created.'],
    args: [USER],
    options: OPTIONS,
    examples: [{ does: 'a new pair', line: 'brokerwire client-token refresh customer-17' }],
    load: () => import('../run/client-token-refresh.ts'),
  },
  {
    name: 'client-token status',
    summary: 'print the status of a stored pair without contacting the service; status 77 if none is usable',
    args: [USER],
    options: OPTIONS,
    examples: [{ does: 'show the expiry of the pair', line: 'brokerwire client-token status customer-17' }],
    load: () => import('../run/client-token-status.ts'),
  },
]
