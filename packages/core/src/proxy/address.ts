/**
 * The address of an HTTP proxy, as an option or as an environment variable. Messages never show the value, because it may
 * contain a password.
 */
import { coreOptionFailure } from '../core-error.ts'
import { type OptionFailure, received } from '../options/failure.ts'
import { optional, type Schema } from '../options/schema.ts'
import { Secret } from '../redaction/secret.ts'

/** The address of a proxy, and the setting that contains it. */
export interface ProxyAddress {
  /** `http://host:port` or `https://host:port`. With credentials, `http://user:password@host:port`. */
  readonly url: string
  /** The setting that errors name, for example `HTTPS_PROXY`. @defaultValue 'the option "proxy"' */
  readonly source?: string | undefined
}

/**
 * The option `proxy`: the address of the proxy for all connections, or a function that returns it for a target such as
 * `https://api.example.com`. `undefined` connects without a proxy. Every connection is a tunnel (CONNECT), also for `http:`
 * targets. SOCKS is not supported. No error contains the user or the password.
 */
export type ProxyOption = string | ((targetUrl: string) => string | ProxyAddress | undefined)

/** A proxy after its address was checked. */
export interface HttpProxy {
  /** The origin without user and password, for messages. */
  readonly origin: string
  readonly isSecure: boolean
  /** Host name without brackets. */
  readonly hostname: string
  readonly port: number
  /** Credentials in the form `user:password`. */
  readonly credentials: Secret | undefined
  readonly source: string
}

declare const URL: new (
  text: string,
) => {
  readonly protocol: string
  readonly hostname: string
  readonly port: string
  readonly host: string
  readonly username: string
  readonly password: string
  readonly pathname: string
  readonly search: string
  readonly hash: string
}

const EXPECTED = 'the address of an HTTP proxy, http://host:port or https://host:port'
const SCHEME = /^([a-z][a-z0-9+.-]{0,20}):\/\//i

/**
 * Reads the address of a proxy. An address without a scheme counts as `http:`, as in curl.
 *
 * @throws The error that `fail` creates.
 */
export function readProxy(value: unknown, source: string, fail: OptionFailure): HttpProxy {
  if (typeof value !== 'string' || value === '') throw fail(source, EXPECTED, received(value))
  const scheme = SCHEME.exec(value)?.[1]?.toLowerCase()
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https')
    throw fail(source, EXPECTED, `an address with the scheme ${scheme}:`)
  const isSecure = scheme === 'https'
  try {
    const url = new URL(scheme === undefined ? `http://${value}` : value)
    const { username, password, pathname, search, hash } = url
    if (url.hostname !== '' && pathname + search + hash === '/') {
      const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
      return {
        origin: `${url.protocol}//${url.host}`,
        isSecure,
        hostname: url.hostname.replace(/^\[|\]$/g, ''),
        port: Number(url.port || (isSecure ? 443 : 80)),
        credentials: username + password === '' ? undefined : new Secret(credentials),
        source,
      }
    }
  } catch {
    // The error of `URL` is not used, because it quotes the value.
  }
  throw fail(source, EXPECTED, 'another string')
}

const fail = coreOptionFailure('OPTION_INVALID')
const OPTION = 'the option "proxy"'

/**
 * Returns the proxy for a target; `undefined` if the connection uses none.
 *
 * @throws CoreError `OPTION_INVALID` if a function returned a value that is not an address.
 */
export function findProxy(option: ProxyOption | undefined, targetUrl: string): HttpProxy | undefined {
  const found = typeof option === 'function' ? option(targetUrl) : option
  if (found === undefined) return undefined
  const { url, source = OPTION } = typeof found === 'object' && found !== null ? found : { url: found }
  return readProxy(url, source, fail)
}

const checked: Schema<ProxyOption> = (value, path, fail) => {
  if (typeof value !== 'function') readProxy(value, path, fail)
  return value as ProxyOption
}

/** Schema of the option `proxy`. */
export const proxyOption: Schema<ProxyOption | undefined> = /* @__PURE__ */ optional(checked)
