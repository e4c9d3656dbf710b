/** Options of curl, and whether they change what is signed. */

/** Effect of an option on the request. */
export type CurlEffect =
  | 'header'
  | 'data'
  | 'data-raw'
  | 'data-urlencode'
  | 'json'
  | 'url'
  | 'get'
  /** Changes the request in a way that is not supported. */
  | 'unsupported'
  /** Has a value, and does not affect the signature. */
  | 'value'
  /** Has no value, and does not affect the signature. */
  | 'switch'

const named = (effect: CurlEffect, names: string): readonly (readonly [string, CurlEffect])[] =>
  names.split(/\s+/).map((name) => [name, effect])

/** Long options without the `--` prefix. */
const LONG_OPTIONS: ReadonlyMap<string, CurlEffect> = new Map([
  ...named('header', 'header'),
  ...named('data', 'data data-ascii data-binary'),
  ...named('data-raw', 'data-raw'),
  ...named('data-urlencode', 'data-urlencode'),
  ...named('json', 'json'),
  ...named('url', 'url'),
  ...named('get', 'get'),
  ...named('unsupported', 'form form-string upload-file config next url-query request-target'),
  ...named(
    'value',
    `request user user-agent referer cookie cookie-jar output max-time connect-timeout retry retry-delay
    retry-max-time resolve connect-to cacert capath cert cert-type key key-type pass pinnedpubkey proxy proxy-user
    proxy-header noproxy preproxy socks5 socks5-hostname write-out dump-header limit-rate ciphers tls13-ciphers tls-max
    interface dns-servers oauth2-bearer aws-sigv4 range max-redirs stderr trace trace-ascii unix-socket
    expect100-timeout keepalive-time speed-limit speed-time max-filesize time-cond doh-url output-dir netrc-file proto proto-default proto-redir`,
  ),
  ...named(
    'switch',
    `compressed insecure silent show-error location verbose include fail fail-with-body globoff path-as-is head
    http1.0 http1.1 http2 http2-prior-knowledge http3 no-buffer buffer progress-bar progress-meter ipv4 ipv6
    basic digest ntlm anyauth negotiate tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 ssl-reqd remote-name remote-header-name
    remote-time location-trusted keepalive tcp-nodelay alpn npn sessionid tr-encoding raw compressed-ssh create-dirs
    retry-connrefused retry-all-errors junk-session-cookies disable parallel styled-output trace-time fail-early
    post301 post302 post303 proxy-insecure ca-native netrc netrc-optional`,
  ),
])

/** Long names of short options. */
export const SHORT_OPTIONS: Readonly<Record<string, string>> = {
  H: 'header',
  d: 'data',
  G: 'get',
  F: 'form',
  T: 'upload-file',
  K: 'config',
  ':': 'next',
  X: 'request',
  u: 'user',
  A: 'user-agent',
  e: 'referer',
  b: 'cookie',
  c: 'cookie-jar',
  o: 'output',
  m: 'max-time',
  E: 'cert',
  x: 'proxy',
  U: 'proxy-user',
  w: 'write-out',
  D: 'dump-header',
  r: 'range',
  Y: 'speed-limit',
  y: 'speed-time',
  z: 'time-cond',
  k: 'insecure',
  s: 'silent',
  S: 'show-error',
  L: 'location',
  v: 'verbose',
  i: 'include',
  f: 'fail',
  g: 'globoff',
  I: 'head',
  N: 'no-buffer',
  '#': 'progress-bar',
  '0': 'http1.0',
  '1': 'tlsv1',
  '4': 'ipv4',
  '6': 'ipv6',
  O: 'remote-name',
  J: 'remote-header-name',
  R: 'remote-time',
  n: 'netrc',
  q: 'disable',
  Z: 'parallel',
}

/** Returns the effect of a long option. `--no-x` has the effect of `--x`. */
export function getEffect(name: string): CurlEffect | undefined {
  const known = LONG_OPTIONS.get(name)
  if (known !== undefined) return known
  return name.startsWith('no-') && LONG_OPTIONS.get(name.slice(3)) === 'switch' ? 'switch' : undefined
}
