/** A context for streams in tests: real connections, small figures where a test asks for them. */
import { systemClock } from '@brokerwire/core'
import { readOptions, StreamGroup } from '@brokerwire/core/internal'
import { createSubscriptionBudget } from '../budget.ts'
import type { SharedContext } from '../context.ts'
import { BUFFER_OPTIONS } from '../delivery/item-queue.ts'
import { optionInvalid } from '../streams-error.ts'
import { grpcConnections, type ServiceTarget } from '../subscription/connection.ts'
import { readPolicy } from '../supervisor/policy.ts'
import { testSigner } from './frames.ts'

/** Service and app key of cursors. */
export const IDENTITY = {
  environment: 'production',
  region: 'us',
  appKey: 'key',
  baseUrl: 'https://api.test',
  moduleEventsUrl: 'https://modules.test',
}

/** Key of a cursor of {@link IDENTITY}. */
export const cursorKey = (consumer: string, eventType: string): string =>
  `cursor/production/us/key/https%3A%2F%2Fapi.test/https%3A%2F%2Fmodules.test/${consumer}/${eventType}`

/** Where a local server listens, over the default connections. */
export function targetOf(url: string): ServiceTarget {
  const connections = grpcConnections()
  return { host: new URL(url).host, open: () => connections(url) }
}

/** Defaults, with changes. */
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
    observer: undefined,
    accessTokens: undefined,
    accessTokenRequired: undefined,
    onClockSkew: undefined,
    store: undefined,
    identity: undefined,
    ...change,
  }
}
