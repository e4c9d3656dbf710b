/** The URL of a receiver of webhooks. */
import { isLoopback, type OptionFailure, typeName } from '@brokerwire/core/internal'

const EXPECTED = 'an https: URL without credentials and fragment, such as https://host/path'

/**
 * Reads the URL of a receiver. `http:` is accepted only on a loopback host, and with `allowPrivateAddresses`. Errors do not show
 * the URL, because its query may contain a secret.
 */
export function readReceiverUrl(
  fail: OptionFailure,
  option: string,
  value: unknown,
  { allowPrivateAddresses }: { readonly allowPrivateAddresses: boolean },
): string {
  if (typeof value !== 'string')
    throw fail(option, EXPECTED, value === undefined ? 'nothing' : typeName(value))
  if (!URL.canParse(value)) throw fail(option, EXPECTED, 'another text')
  const { protocol, username, password, hash, hostname, href } = new URL(value)
  if (username + password !== '') throw fail(option, EXPECTED, 'a URL with credentials')
  if (hash !== '') throw fail(option, EXPECTED, 'a URL with a fragment')
  if (protocol === 'https:') return href
  if (protocol !== 'http:') throw fail(option, EXPECTED, 'a URL with another scheme')
  if (!isLoopback(hostname)) throw fail(option, EXPECTED, 'http: on a host that is not loopback')
  if (!allowPrivateAddresses) throw fail(option, EXPECTED, 'http: without allowPrivateAddresses: true')
  return href
}
