/** The diagrams and the tables of the state machines of packages/tokens, from the transition tables that run. */
import { ACCESS_TOKEN_TRANSITIONS } from '../../../packages/tokens/src/access/machine.ts'
import {
  CLIENT_TOKEN_TRANSITIONS,
  type ClientTokenState,
} from '../../../packages/tokens/src/client/machine.ts'
import type { AccessTokenState } from '../../../packages/tokens/src/types.ts'
import type { Generated } from '../files.ts'
import { ACCESS_TOKEN } from './access-token.ts'
import { CLIENT_TOKEN } from './client-token.ts'
import { type Machine, machineSection, statesPage } from './states-page.ts'
import { checkLayout, type DrawnRow, drawSvg, type Layout } from './svg.ts'

const ACCESS: Machine<AccessTokenState> = {
  heading: 'Access token',
  introduction:
    '`accessTokenTransition(record, event)` returns the record after an event. `accessTokenState(record)` returns the state of a record. An event of type `time` is the view of a reader at an instant, and is not stored.',
  states: {
    none: 'No token was ever stored.',
    unresolved: 'There is no token. A create request is in flight, or its outcome is unknown.',
    pending: 'The service returned PENDING: the token waits for its second factor.',
    unrecognized:
      'The service returned a status that is not documented. The token is neither usable nor ended.',
    normal: 'A token is usable (NORMAL).',
    renewing: 'A token is usable, and a new one is pending.',
    invalid: 'The service returned INVALID: no token is usable.',
    expired: 'The token has expired, or its verification window has: no token is usable.',
    unreadable: 'There was a token, but its record could not be parsed. It counts as ended.',
  },
  table: ACCESS_TOKEN_TRANSITIONS,
}

const CLIENT: Machine<ClientTokenState> = {
  heading: 'Client token pair',
  introduction: '`clientTokenTransition(stored, event)` returns the pair after an event.',
  states: {
    none: 'No pair is stored.',
    fresh: 'The access token is usable, and no refresh is due.',
    due: 'A refresh is due.',
    expired: 'The refresh token can no longer be used. The next `get()` creates a pair.',
  },
  table: CLIENT_TOKEN_TRANSITIONS,
}

function draw(path: string, layout: Layout, table: readonly DrawnRow[]): [path: string, svg: string] {
  const problems = checkLayout(layout, table)
  if (problems.length > 0) throw new Error(`${path} must show the transition table:\n${problems.join('\n')}`)
  return [path, drawSvg(layout)]
}

export function generate(): Generated {
  return {
    files: new Map([
      draw('docs/concepts/access-tokens.svg', ACCESS_TOKEN, ACCESS.table),
      draw('docs/concepts/client-tokens.svg', CLIENT_TOKEN, CLIENT.table),
      ['docs/reference/token-states.md', statesPage([machineSection(ACCESS), machineSection(CLIENT)])],
    ]),
  }
}
