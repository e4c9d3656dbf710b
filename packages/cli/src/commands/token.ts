/** `brokerwire token`: the stored access token. */
import type { CommandDefinition, OptionDefinition } from '../frame/definition.ts'
import { JSON_OPTION } from '../frame/setting-options.ts'
import { REVEAL_OPTION, STORE_OPTIONS } from '../frame/store-options.ts'
import { waitingTime } from '../number-option.ts'

const STATUS_NOTE =
  'The exit status says it, too: 0 where a token is usable, 75 while its second factor is awaited, 77 where there is none.'
const WAIT_OPTIONS: readonly OptionDefinition[] = [
  {
    flags: '--poll-interval <duration>',
    help: 'time between two checks, at most 24d',
    parse: waitingTime(),
    defaultValue: '5s',
  },
  {
    flags: '--timeout <duration>',
    help: 'how long to wait, at most 24d',
    parse: waitingTime(),
    defaultValue: '5m',
  },
]
const WAIT_FLAG: OptionDefinition = {
  flags: '--wait',
  help: 'wait for the second factor, as `brokerwire token wait` does',
}

export const token: readonly CommandDefinition[] = [
  {
    name: 'token create',
    summary: 'ask the service for a token where none is usable',
    details: [
      'In production a person has to enter a code in the broker’s app within five minutes. Where a token is usable, or one awaits its second factor, nothing is asked for.',
      STATUS_NOTE,
    ],
    options: [WAIT_FLAG, ...WAIT_OPTIONS, JSON_OPTION, REVEAL_OPTION, ...STORE_OPTIONS],
    examples: [
      { does: 'a token, approved and waited for', line: 'brokerwire token create --wait' },
      { does: 'ask now, wait later', line: 'brokerwire token create; brokerwire token wait' },
    ],
    load: () => import('../run/token-create.ts'),
  },
  {
    name: 'token wait',
    summary: 'wait until the token is usable',
    details: [
      'On a terminal the time that is left of the second factor counts down; elsewhere each change is a line.',
      STATUS_NOTE,
    ],
    options: [
      { flags: '--create', help: 'ask for a token where there is none' },
      ...WAIT_OPTIONS,
      JSON_OPTION,
      REVEAL_OPTION,
      ...STORE_OPTIONS,
    ],
    examples: [
      { does: 'wait for the code that somebody enters in the app', line: 'brokerwire token wait' },
      { does: 'go on only with a token', line: 'brokerwire token wait && ./start-server' },
    ],
    load: () => import('../run/token-wait.ts'),
  },
  {
    name: 'token renew',
    summary: 'ask the service for a new token in place of a usable one',
    details: [
      'The usable token stays in use until the new one is approved. In production a person has to enter a code within five minutes.',
      STATUS_NOTE,
    ],
    options: [WAIT_FLAG, ...WAIT_OPTIONS, JSON_OPTION, REVEAL_OPTION, ...STORE_OPTIONS],
    examples: [
      { does: 'before the old one ends, while somebody is there', line: 'brokerwire token renew --wait' },
    ],
    load: () => import('../run/token-renew.ts'),
  },
  {
    name: 'token check',
    summary: 'ask the service whether the stored token is good',
    details: ['What the service says is noted in the store. Nothing is created.', STATUS_NOTE],
    options: [JSON_OPTION, REVEAL_OPTION, ...STORE_OPTIONS],
    examples: [{ does: 'whether the service takes the token', line: 'brokerwire token check' }],
    load: () => import('../run/token-check.ts'),
  },
  {
    name: 'token status',
    summary: 'print what the store knows of the token, without asking the service',
    details: [STATUS_NOTE],
    options: [JSON_OPTION, REVEAL_OPTION, ...STORE_OPTIONS],
    examples: [
      { does: 'whether there is a token, and until when', line: 'brokerwire token status' },
      {
        does: 'the token for another program',
        line: 'export BROKERWIRE_ACCESS_TOKEN=$(brokerwire token status --reveal --json | jq -r .token)',
      },
    ],
    load: () => import('../run/token-status.ts'),
  },
  {
    name: 'token forget',
    summary: 'take the token out of the store',
    details: [
      'The service goes on taking it until it ends. In production the next token needs a person, so a terminal asks first, and a script says --yes.',
    ],
    options: [{ flags: '--yes', help: 'do not ask' }, ...STORE_OPTIONS],
    examples: [{ does: 'begin anew', line: 'brokerwire token forget --yes' }],
    load: () => import('../run/token-forget.ts'),
  },
]
