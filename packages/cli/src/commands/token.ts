/** `brokerwire token`: the stored access token. */
import type { CommandDefinition, OptionDefinition } from '../frame/definition.ts'
import { JSON_OPTION } from '../frame/setting-options.ts'
import { REVEAL_OPTION, STORE_OPTIONS } from '../frame/store-options.ts'
import { waitingTime } from '../number-option.ts'

const STATUS_NOTE =
  'Exit status: 0 if a token is usable, 75 if its second factor is pending, 77 if there is none.'
const WAIT_OPTIONS: readonly OptionDefinition[] = [
  {
    flags: '--poll-interval <duration>',
    help: 'interval of checks, at most 24d',
    parse: waitingTime(),
    defaultValue: '5s',
  },
  {
    flags: '--timeout <duration>',
    help: 'time limit of the wait, at most 24d',
    parse: waitingTime(),
    defaultValue: '5m',
  },
]
const WAIT_FLAG: OptionDefinition = {
  flags: '--wait',
  help: 'wait for the second factor, like `brokerwire token wait`',
}

export const token: readonly CommandDefinition[] = [
  {
    name: 'token create',
    summary: 'create a token if none is usable',
    details: [
      'In production you must enter a code in the broker’s app within five minutes. If a token is usable or pending, no new one is created.',
      STATUS_NOTE,
    ],
    options: [WAIT_FLAG, ...WAIT_OPTIONS, JSON_OPTION, REVEAL_OPTION, ...STORE_OPTIONS],
    examples: [
      { does: 'create a token and wait for the second factor', line: 'brokerwire token create --wait' },
      { does: 'create now, wait later', line: 'brokerwire token create; brokerwire token wait' },
    ],
    load: () => import('../run/token-create.ts'),
  },
  {
    name: 'token wait',
    summary: 'wait until the token is usable',
    details: [
      'A terminal shows a countdown for the second factor; otherwise each change is a line.',
      STATUS_NOTE,
    ],
    options: [
      { flags: '--create', help: 'create a token if none is stored' },
      ...WAIT_OPTIONS,
      JSON_OPTION,
      REVEAL_OPTION,
      ...STORE_OPTIONS,
    ],
    examples: [
      { does: 'wait until the code was entered in the app', line: 'brokerwire token wait' },
      { does: 'start a program only with a token', line: 'brokerwire token wait && ./start-server' },
    ],
    load: () => import('../run/token-wait.ts'),
  },
  {
    name: 'token renew',
    summary: 'replace a usable token with a new one',
    details: [
      'The usable token stays in use until the new one is approved. In production you must enter a code within five minutes.',
      STATUS_NOTE,
    ],
    options: [WAIT_FLAG, ...WAIT_OPTIONS, JSON_OPTION, REVEAL_OPTION, ...STORE_OPTIONS],
    examples: [{ does: 'renew before the old one ends', line: 'brokerwire token renew --wait' }],
    load: () => import('../run/token-renew.ts'),
  },
  {
    name: 'token check',
    summary: 'check the stored token with the service',
    details: ['The result is stored. No token is created.', STATUS_NOTE],
    options: [JSON_OPTION, REVEAL_OPTION, ...STORE_OPTIONS],
    examples: [{ does: 'check whether the service accepts the token', line: 'brokerwire token check' }],
    load: () => import('../run/token-check.ts'),
  },
  {
    name: 'token status',
    summary: 'print the status of the stored token without contacting the service',
    details: [STATUS_NOTE],
    options: [JSON_OPTION, REVEAL_OPTION, ...STORE_OPTIONS],
    examples: [
      { does: 'show the token and its expiry', line: 'brokerwire token status' },
      {
        does: 'the token for another program',
        line: 'export BROKERWIRE_ACCESS_TOKEN=$(brokerwire token status --reveal --json | jq -r .token)',
      },
    ],
    load: () => import('../run/token-status.ts'),
  },
  {
    name: 'token forget',
    summary: 'remove the token from the store',
    details: [
      'The service accepts the token until it expires. In production the next token needs a second factor, so a terminal asks for confirmation, and a script must use --yes.',
    ],
    options: [{ flags: '--yes', help: 'do not ask for confirmation' }, ...STORE_OPTIONS],
    examples: [{ does: 'start without a token', line: 'brokerwire token forget --yes' }],
    load: () => import('../run/token-forget.ts'),
  },
]
