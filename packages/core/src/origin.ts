/**
 * An address of a service as an option: scheme, host and port, nothing else. The one reader of the house.
 *
 * Clear text is for loopback alone: a secret in a signature, a token in a header must not cross a network open. And
 * what `URL` would rewrite is refused: `https://h\evil` reads like another host than the one it connects to.
 */
import { describe } from './guards.ts'
import { type OptionFailure, readBoolean } from './options.ts'

declare const URL: new (
  text: string,
) => {
  readonly protocol: string
  readonly hostname: string
  readonly host: string
  readonly origin: string
  readonly pathname: string
  readonly search: string
  readonly hash: string
  readonly username: string
  readonly password: string
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/
const ORIGIN = 'an origin such as https://host or https://host:port'
const DEFAULT_PORT: Readonly<Record<string, string>> = { 'https:': ':443', 'http:': ':80' }

/**
 * The origin in an option, in the form in which it is sent: in lower case, without the default port and without the
 * slash behind it. Everything else that `URL` would rewrite is refused: backslashes, blanks and controls, credentials,
 * paths, other spellings of an address (`127.1`, `[0::1]`), letters that are not ASCII (a Punycode host is).
 *
 * @param allowInsecure - An option itself, of this name: takes `http:` on any host. Whoever is on the way then reads tokens
 * and may change what no signature covers. @defaultValue false
 */
export function readOrigin(
  fail: OptionFailure,
  option: string,
  value: unknown,
  allowInsecure?: boolean | undefined,
): string {
  const insecure = readBoolean(fail, 'allowInsecure', allowInsecure, false)
  const expected = `${ORIGIN}${insecure ? '' : '; http: only on a loopback host, or with allowInsecure: true'}`
  if (typeof value !== 'string') throw fail(option, expected, describe(value))
  let url: InstanceType<typeof URL>
  try {
    url = new URL(value)
  } catch {
    throw fail(option, expected, value === '' ? describe(value) : 'a string that is no URL')
  }
  const { protocol, host, hostname } = url
  if (protocol !== 'https:' && !(protocol === 'http:' && (insecure || LOOPBACK.test(hostname)))) {
    throw fail(option, expected, 'another scheme, or http: on a host that is not loopback')
  }
  if (url.username !== '' || url.password !== '') throw fail(option, expected, 'a URL with credentials')
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw fail(option, expected, 'a URL with a path, a query or a fragment')
  }
  // In ASCII alone: the Kelvin sign is a `k` in lower case.
  const written = value.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/\/$/, '')
  const asItIs = `${protocol}//${host}`
  if (written !== asItIs && written !== `${asItIs}${DEFAULT_PORT[protocol]}`) {
    throw fail(option, expected, 'a URL that is written in another way than it is sent')
  }
  return url.origin
}
