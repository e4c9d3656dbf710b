/**
 * Selects the proxy for a target from environment variables. The functions are pure. As in curl, the
 * lower-case form of a variable takes precedence, and `HTTP_PROXY` is only for unencrypted connections. As in
 * Go, `localhost`, `127.0.0.0/8` and `::1` are always reached without a proxy, because a proxy would connect
 * to itself for these names.
 */
import { coreOptionFailure } from '../core-error.ts'
import { type ProxyAddress, readProxy } from './address.ts'
import { isInNoProxy } from './no-proxy.ts'

/** Environment variables, as `process.env` has them. */
export type ProxyEnvironment = Readonly<Record<string, string | undefined>>

/** The proxy for a target, or the reason why there is none. */
export type ProxyChoice =
  | { readonly type: 'proxy'; readonly address: ProxyAddress }
  /** The host is in the list of the variable `source`, which is `NO_PROXY` or `no_proxy`. */
  | { readonly type: 'excluded'; readonly source: string }
  | { readonly type: 'loopback' }
  /** No variable names a proxy. */
  | { readonly type: 'unset' }

const VARIABLES = {
  'https:': 'HTTPS_PROXY',
  'mqtts:': 'HTTPS_PROXY',
  'wss:': 'HTTPS_PROXY',
  'http:': 'HTTP_PROXY',
  'mqtt:': 'HTTP_PROXY',
  'ws:': 'HTTP_PROXY',
} as const

/** Returns the variable that is set, in lower case or in upper case; `undefined` if neither is set. */
function readVariable(env: ProxyEnvironment, upper: string): { name: string; value: string } | undefined {
  for (const name of [upper.toLowerCase(), upper]) {
    const value = env[name]?.trim()
    if (value) return { name, value }
  }
  return undefined
}

const fail = coreOptionFailure('OPTION_INVALID')

function addressOf(env: ProxyEnvironment, variable: string): ProxyAddress | undefined {
  const found = readVariable(env, variable)
  if (found === undefined) return undefined
  readProxy(found.value, found.name, fail)
  return { url: found.value, source: found.name }
}

/**
 * Chooses the proxy for a target from `HTTPS_PROXY` (`https:`, `mqtts:`, `wss:`) or `HTTP_PROXY` (`http:`,
 * `mqtt:`, `ws:`), then from `ALL_PROXY`. `NO_PROXY` excludes hosts. The lower-case form of each variable
 * takes precedence.
 *
 * @throws CoreError `OPTION_INVALID` if the value of the variable is not an address of an HTTP proxy. The
 * value is not shown.
 *
 * @example
 * ```ts
 * import { chooseProxy } from '@brokerwire/core/proxy'
 *
 * const choice = chooseProxy({ HTTPS_PROXY: 'http://proxy.example:3128', NO_PROXY: '.internal' }, 'https://api.internal')
 * console.log(choice.type) // excluded
 * ```
 */
export function chooseProxy(env: ProxyEnvironment, targetUrl: string): ProxyChoice {
  const url = new URL(targetUrl)
  const variable = VARIABLES[url.protocol as keyof typeof VARIABLES] ?? 'HTTPS_PROXY'
  const address = addressOf(env, variable) ?? addressOf(env, 'ALL_PROXY')
  if (address === undefined) return { type: 'unset' }
  // The host is converted to lower case, because `URL` does that only for the schemes that it knows.
  const hostname = url.hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
  if (isInNoProxy('localhost 127.0.0.0/8 ::1', hostname, 0)) return { type: 'loopback' }
  const list = readVariable(env, 'NO_PROXY')
  const port = Number(url.port || (variable === 'HTTPS_PROXY' ? 443 : 80))
  if (list !== undefined && isInNoProxy(list.value, hostname, port))
    return { type: 'excluded', source: list.name }
  return { type: 'proxy', address }
}

/**
 * Returns the value of the option `proxy` from environment variables, by the rules of {@link chooseProxy}. The
 * variables are read once.
 *
 * @returns `undefined` if no variable names a proxy.
 * @throws CoreError `OPTION_INVALID` if a variable's value is no address of an HTTP proxy. The value is not shown.
 *
 * @example
 * ```ts
 * import { proxyFromEnvironment } from '@brokerwire/core/proxy'
 *
 * const proxy = proxyFromEnvironment(process.env)
 * console.log(proxy?.('https://api.example.com') === undefined ? 'direct' : 'through a proxy')
 * ```
 */
export function proxyFromEnvironment(
  env: ProxyEnvironment,
): ((targetUrl: string) => ProxyAddress | undefined) | undefined {
  const read: Record<string, string | undefined> = {}
  for (const variable of ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY']) {
    const found = readVariable(env, variable)
    if (found === undefined) continue
    if (variable !== 'NO_PROXY') readProxy(found.value, found.name, fail)
    read[found.name] = found.value
  }
  if (Object.keys(read).every((name) => name.toUpperCase() === 'NO_PROXY')) return undefined
  return (targetUrl) => {
    const choice = chooseProxy(read, targetUrl)
    return choice.type === 'proxy' ? choice.address : undefined
  }
}
