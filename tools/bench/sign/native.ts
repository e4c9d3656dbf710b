/** The plain native approach, as anybody writes it from the specification: sort, join, encode, HMAC. */
import { createHash, createHmac, randomUUID } from 'node:crypto'
import { APP_KEY, APP_SECRET } from './request.ts'

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

export function signNatively(
  host: string,
  path: string,
  query: readonly (readonly [string, string])[],
  body?: Uint8Array,
): Record<string, string> {
  const headers = {
    'x-app-key': APP_KEY,
    'x-timestamp': `${new Date().toISOString().slice(0, 19)}Z`,
    'x-signature-version': '1.0',
    'x-signature-algorithm': 'HMAC-SHA1',
    'x-signature-nonce': randomUUID().replaceAll('-', ''),
  }
  const entries = [...query, ['host', host] as const, ...Object.entries(headers)].sort(([a], [b]) =>
    a < b ? -1 : a > b ? 1 : 0,
  )
  let text = `${path}&${entries.map(([name, value]) => `${name}=${value}`).join('&')}`
  if (body !== undefined) text += `&${createHash('md5').update(body).digest('hex').toUpperCase()}`
  const signature = createHmac('sha1', `${APP_SECRET}&`).update(encode(text)).digest('base64')
  return { ...headers, 'x-signature': signature }
}
