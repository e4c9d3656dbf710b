/** Options of streams for tests, over real connections. */
import { systemClock } from '@brokerwire/core'
import { readOptions, StreamGroup } from '@brokerwire/core/internal'
import { createSubscriptionBudget } from '../budget.ts'
import type { SharedContext } from '../context.ts'
import { BUFFER_OPTIONS } from '../delivery/item-queue.ts'
import { optionInvalid } from '../streams-error.ts'
import { grpcConnections, type ServiceTarget } from '../subscription/connection.ts'
import { readPolicy } from '../supervisor/policy.ts'
import { testSigner } from './frames.ts'

/** A service identity for the keys of cursors. */
export const IDENTITY = {
  environment: 'production',
  region: 'us',
  appKey: 'key',
  baseUrl: 'https://api.test',
  moduleEventsUrl: 'https://modules.test',
}

/** Store key of a cursor of {@link IDENTITY}. */
export const cursorKey = (consumer: string, eventType: string): string =>
  `cursor/production/us/key/https%3A%2F%2Fapi.test/https%3A%2F%2Fmodules.test/${consumer}/${eventType}`

/** Creates the target of a local server, with the default connections. */
export function targetOf(url: string): ServiceTarget {
  const connections = grpcConnections()
  return { host: new URL(url).host, open: () => connections(url) }
}

/** Creates a context with default options and some changes. */
export function testContext(change: Partial<SharedContext> = {}): SharedContext {
  return {
    signer: testSigner(),
    clock: systemClock,
    random: () => 0,
    policy: readPolicy(undefined),
    buffer: readOptions(optionInvalid, {}, BUFFER_OPTIONS),
    maxIdBytes: 4096,
    budget: createSubscriptionBudget(),
    openStreams: new StreamGroup(),
    headers: undefined,
    observer: {},
    accessTokens: undefined,
    accessTokenRequired: undefined,
    onClockSkew: undefined,
    store: undefined,
    identity: undefined,
    ...change,
  }
}
