/**
 * An address of a service as an option: scheme, host and port, nothing else.
 *
 * Clear text is for loopback alone: a secret in a signature, a token in a header must not cross a network open.
 */
import { describe } from './guards.ts'
import type { OptionFailure } from './options.ts'

declare const URL: new (
  text: string,
) => {
  readonly protocol: string
  readonly hostname: string
  readonly origin: string
  readonly pathname: string
  readonly search: string
  readonly hash: string
  readonly username: string
  readonly password: string
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/
const ORIGIN = 'an origin such as https://host or https://host:port; http: only on a loopback host'

/**
 * The origin in an option, in the form in which `fetch` sends it: lower case, Punycode, without the default port.
 */
export function readOrigin(fail: OptionFailure, option: string, value: unknown): string {
  if (typeof value !== 'string') throw fail(option, ORIGIN, describe(value))
  let url: InstanceType<typeof URL>
  try {
    url = new URL(value)
  } catch {
    throw fail(option, ORIGIN, value === '' ? describe(value) : 'a string that is no URL')
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && LOOPBACK.test(url.hostname))) {
    throw fail(option, ORIGIN, 'another scheme, or http: on a host that is not loopback')
  }
  if (url.username !== '' || url.password !== '') throw fail(option, ORIGIN, 'a URL with credentials')
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw fail(option, ORIGIN, 'a URL with a path, a query or a fragment')
  }
  return url.origin
}
