/** Checks that nothing of a service in production is sent in clear text. */
import { isLoopback } from '@brokerwire/core/internal'
import { type CheckResult, failed, note, ok } from '../finding.ts'

const CLEAR_TEXT: readonly string[] = ['http:', 'mqtt:', 'ws:', 'nats:', 'redis:']

/** Returns whether the URL sends its data in clear text. */
export const isClearText = (url: URL): boolean => CLEAR_TEXT.includes(url.protocol)

/** Checks the addresses of the service, by their names. */
export function checkAddresses(addresses: Readonly<Record<string, string | undefined>>): CheckResult {
  const urls = Object.entries(addresses).flatMap(([name, address]) =>
    address === undefined ? [] : [{ name, url: new URL(address) }],
  )
  const clear = urls.filter(({ url }) => isClearText(url))
  const beyond = clear.filter(({ url }) => !isLoopback(url.hostname))
  const list = (of: typeof urls): string => of.map(({ name, url }) => `${name} (${url.host})`).join(', ')
  if (beyond.length > 0)
    return failed(
      `clear text: ${list(beyond)}`,
      'use https: or mqtts: addresses, and remove --allow-insecure or allowInsecure: others on the network can read tokens',
    )
  if (clear.length > 0) return note(`clear text on this machine, as of a simulator: ${list(clear)}`)
  return ok('all use TLS')
}

/** Checks that the environment is production. */
export function checkEnvironment(environment: string): CheckResult {
  return environment === 'production' ? ok('production') : note(`${environment}: no second factor is needed`)
}
