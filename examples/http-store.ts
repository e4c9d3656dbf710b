/**
 * A store over an HTTP service with conditional requests (RFC 9110, If-Match), as object storages have them. A database with revisions
 * works in the same way: it writes only if the revision is still the one that was read.
 */
import type { Store } from '@brokerwire/core'

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** @param folder - Address of the folder of the store, with a slash at its end. */
export function createHttpStore(folder: string): Store {
  const addressOf = (key: string): string => {
    if (key === '') throw new Error('key must not be empty')
    return `${folder}key-${encodeURIComponent(key)}`
  }
  const failed = (method: string, status: number): Error => new Error(`${method}: status ${status}`)

  async function read(key: string): Promise<{ value: string; etag: string } | undefined> {
    const response = await fetch(addressOf(key))
    if (response.status === 404) return undefined
    if (!response.ok) throw failed('GET', response.status)
    return { value: decoder.decode(await response.arrayBuffer()), etag: response.headers.get('etag') ?? '' }
  }

  return {
    async get(key) {
      return (await read(key))?.value
    },
    async compareAndSet(key, expected, next) {
      const stored = await read(key)
      if (stored?.value !== expected) return false
      if (stored === undefined && next === undefined) return true
      // The server compares the revision and writes in one step.
      const headers = stored ? { 'if-match': stored.etag } : { 'if-none-match': '*' }
      const method = next === undefined ? 'DELETE' : 'PUT'
      const response = await fetch(addressOf(key), { method, headers, body: next ?? null })
      if (response.status === 412) return false
      if (!response.ok) throw failed(method, response.status)
      return true
    },
  }
}
