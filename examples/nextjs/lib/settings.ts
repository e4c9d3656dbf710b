/** The settings of both routes, from the environment of the server. They are read at the first request, because `next build` has none. */
import { Secret } from '@brokerwire/core'
import type { Environment, Region } from '@brokerwire/core/endpoints'

/** @returns The options of `createBrokerage`. The base URL is that of a local service, if one is set. */
export function readSettings() {
  const { BROKERWIRE_REGION, BROKERWIRE_ENVIRONMENT, BROKERWIRE_BASE_URL } = process.env
  const { BROKERWIRE_APP_KEY = '', BROKERWIRE_APP_SECRET = '' } = process.env
  return {
    // `createBrokerage` rejects any other value, and a missing key.
    region: BROKERWIRE_REGION as Region,
    environment: BROKERWIRE_ENVIRONMENT as Environment,
    appKey: BROKERWIRE_APP_KEY,
    appSecret: new Secret(BROKERWIRE_APP_SECRET),
    overrides: { baseUrl: BROKERWIRE_BASE_URL },
  }
}
